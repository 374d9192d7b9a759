/** Bounds of a number, both taken in. Infinite where there is none. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

/** Digits of a whole number; more would not survive JSON. */
const mostDigits = 15;
const mostDecimals = 6;

/** GBNF for the whole numbers of a range, written without sign where positive and without exponent. */
export function integer({ least, most }: Range): string {
  const ways: string[] = [];
  if (least < 0) {
    const size = { least: Math.max(1, -Math.min(most, -1)), most: -least };
    ways.push(`"-" (${whole(size)})`);
  }
  if (most >= 0) ways.push(whole({ least: Math.max(0, least), most }));
  const given = ways.filter((way) => way !== "");
  // Nothing is in the range: whoever validates the value says so.
  return given.length > 0 ? either(given) : `"${Number.isFinite(least) ? least : 0}"`;
}

/**
 * GBNF for numbers of a range with at most six decimals. Where a bound is a fraction, numbers between it and the next
 * whole one are left out: all that can be written is in the range.
 */
export function real(range: Range): string {
  const whole = { least: Math.ceil(range.least), most: Math.floor(range.most) };
  const ways: string[] = [];
  if (whole.least <= whole.most) {
    const decimals = `"." [0-9]{1,${mostDecimals}}`;
    ways.push(integer(whole));
    // A decimal lies further from zero than its whole part does.
    if (whole.most >= 1) {
      const above = { least: Math.max(0, whole.least), most: whole.most - 1 };
      if (above.least <= above.most) ways.push(`(${integer(above)}) ${decimals}`);
    }
    if (whole.least <= -1) {
      const below = { least: whole.least + 1, most: Math.min(0, whole.most) };
      const size = { least: Math.max(0, -below.most), most: -below.least };
      if (size.least <= size.most) ways.push(`"-" (${integer(size)}) ${decimals}`);
    }
  } else {
    for (const bound of [range.least, range.most]) if (Number.isFinite(bound)) ways.push(`"${bound}"`);
  }
  return either(ways);
}

/** Whole numbers from zero up. */
function whole({ least, most }: Range): string {
  const from = String(Math.min(least, 10 ** mostDigits - 1));
  if (most < 10 ** mostDigits) return either(spans(from, String(most)));
  if (least === 0) return `"0" | [1-9] [0-9]{0,${mostDigits - 1}}`;
  const ways = spans(from, "9".repeat(from.length));
  if (from.length < mostDigits) ways.push(`[1-9] [0-9]{${from.length},${mostDigits - 1}}`);
  return either(ways);
}

/** The numbers between two, which may differ in length: one way for each length, and more for the outer ones. */
function spans(from: string, to: string): string[] {
  if (from.length > to.length || (from.length === to.length && from > to)) return [];
  if (from.length === to.length) return between(from, to);
  const ways = between(from, "9".repeat(from.length));
  for (let length = from.length + 1; length < to.length; length++) ways.push(`[1-9]${anyDigits(length - 1)}`);
  return [...ways, ...between(`1${"0".repeat(to.length - 1)}`, to)];
}

/** The same for two of one length. */
function between(from: string, to: string): string[] {
  let same = 0;
  while (same < from.length && from[same] === to[same]) same++;
  const head = same > 0 ? `"${from.slice(0, same)}" ` : "";
  if (same === from.length) return [head.trim()];
  const low = Number(from[same]);
  const high = Number(to[same]);
  const left = from.length - same - 1;
  if (left === 0) return [`${head}[${low}-${high}]`];
  const zeros = "0".repeat(left);
  const nines = "9".repeat(left);
  const ways: string[] = [];
  const inside = { low, high };
  if (from.slice(same + 1) !== zeros) {
    inside.low++;
    ways.push(`${head}"${low}" (${either(between(from.slice(same + 1), nines))})`);
  }
  if (to.slice(same + 1) !== nines) {
    inside.high--;
    ways.push(`${head}"${high}" (${either(between(zeros, to.slice(same + 1)))})`);
  }
  if (inside.low <= inside.high) ways.push(`${head}[${inside.low}-${inside.high}]${anyDigits(left)}`);
  return ways;
}

const anyDigits = (count: number): string => (count === 0 ? "" : ` [0-9]{${count}}`);

const either = (ways: readonly string[]): string => ways.join(" | ");
