/** A file's bytes as text, or that they are none. */
export type Decoded = { readonly type: "text"; readonly text: string } | { readonly type: "binary" };

/**
 * Reads bytes as text: by their byte order mark, as the encoding they declare, as UTF-8, as UTF-16 where every other
 * byte is empty, else as Windows-1252, the usual encoding of older files.
 */
export function decode(bytes: Uint8Array, declared?: string): Decoded {
  if (isUtf32(bytes)) return { type: "binary" };
  const marked = markedEncoding(bytes);
  if (marked) return text(new TextDecoder(marked).decode(bytes));
  const sample = bytes.subarray(0, 8_192);
  if (sample.includes(0)) {
    const wide = wideEncoding(sample);
    return wide ? text(new TextDecoder(wide).decode(bytes)) : { type: "binary" };
  }
  const named = declared && encodingOf(declared);
  if (named) return text(decodeWith(named, bytes));
  try {
    return text(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return controls(sample) > sample.length / 50
      ? { type: "binary" }
      : text(decodeWith("windows-1252", bytes));
  }
}

const text = (value: string): Decoded => ({ type: "text", text: value });

/** No file of today is written so, and read as UTF-16 it would be full of zeros. */
const isUtf32 = ([a, b, c, d]: Uint8Array): boolean =>
  (a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff);

function markedEncoding([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xff && b === 0xfe) return "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return undefined;
}

/** UTF-16 of mostly Latin text has its zeros at the even places (big end first) or at the odd ones. */
function wideEncoding(sample: Uint8Array): string | undefined {
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2]!++;
  const [even = 0, odd = 0] = zeros;
  const half = sample.length / 2;
  if (odd > half * 0.6 && even < half * 0.05) return "utf-16le";
  if (even > half * 0.6 && odd < half * 0.05) return "utf-16be";
  return undefined;
}

/** An encoding's name by the [Encoding Standard](https://encoding.spec.whatwg.org/#names-and-labels); undefined: unknown. */
function encodingOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** Where Windows-1252 differs from Latin-1: bytes 0x80 to 0x9f. */
const windows = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

function decodeWith(encoding: string, bytes: Uint8Array): string {
  const decoded = new TextDecoder(encoding).decode(bytes);
  // Some versions of Node.js decode it as Latin-1.
  if (encoding !== "windows-1252") return decoded;
  return decoded.replace(/[\x80-\x9f]/g, (sign) => windows[sign.charCodeAt(0) - 0x80]!);
}

/** Control characters that text does not have. */
function controls(sample: Uint8Array): number {
  let count = 0;
  for (const byte of sample) if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) count++;
  return count;
}

/** A text's lines without their ends, whatever kind of line end it has. */
export const linesOf = (value: string): string[] => {
  const lines = value.split(/\r\n|\r|\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
};
