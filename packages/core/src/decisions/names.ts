/** The known name closest to `name`, if one is close enough to have been meant. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.ceil(name.length / 3)) + 1;
  for (const candidate of known) {
    const d = distance(name.toLowerCase(), candidate.toLowerCase());
    if (d < least) [best, least] = [candidate, d];
  }
  return best;
}

/** Edits between two names: [Levenshtein distance](https://en.wikipedia.org/wiki/Levenshtein_distance). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
}

/** `"serch" is not a tool here; did you mean "search"? Known: read, search.` */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  const list = known.length ? `Known: ${[...known].sort().join(", ")}.` : "There are none.";
  return `"${name}" is not a ${what} here${near ? `; did you mean "${near}"?` : "."} ${list}`;
}

/** A tool as rules select it. */
export interface Named {
  readonly name: string;
  readonly identity: string;
}

/**
 * Whether a rule's pattern selects a tool: its name, its identity, or either with `*` for any run of characters.
 * Rules should use the identity (`mcp:server/tool`): a name can be taken by another tool.
 */
export function selects(pattern: string, tool: Named): boolean {
  if (pattern === tool.name || pattern === tool.identity) return true;
  if (!pattern.includes("*")) return false;
  const glob = new RegExp(`^${pattern.split("*").map(literal).join(".*")}$`, "s");
  return glob.test(tool.identity) || glob.test(tool.name);
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
