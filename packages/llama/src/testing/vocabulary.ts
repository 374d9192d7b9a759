/** What a byte-level BPE tokenizer of the GPT-2 kind is made of. */
export interface Vocabulary {
  /** Token texts by id. Bytes that are no printable letter are written as GPT-2 writes them. */
  readonly tokens: readonly string[];
  /** GGUF's kind of each token: 1 normal, 3 control, 5 unused. */
  readonly kinds: readonly number[];
  readonly merges: readonly string[];
}

/** The control tokens come first, so their ids are the same in every vocabulary. */
export const control = { text: "<|endoftext|>", start: "<|im_start|>", end: "<|im_end|>", pad: "<|pad|>" };
export const controlTokens: readonly string[] = Object.values(control);

const letters = [..."etaoinshrdlcumwfgypbvkjxqz"];

/** A vocabulary of exactly `size` tokens: control tokens, all bytes, then merges of frequent letters. */
export function vocabulary(size: number): Vocabulary {
  const bytes = byteTexts();
  const least = controlTokens.length + bytes.length;
  if (size < least)
    throw new RangeError(`a vocabulary has at least ${least} tokens, and ${size} were asked for`);
  const tokens = [...controlTokens, ...bytes];
  const kinds = [...controlTokens.map(() => 3), ...bytes.map(() => 1)];
  const merges: string[] = [];
  for (const [left, right] of pairs()) {
    if (tokens.length === size) break;
    tokens.push(left + right);
    kinds.push(1);
    merges.push(`${left} ${right}`);
  }
  while (tokens.length < size) {
    tokens.push(`<|unused${tokens.length}|>`);
    kinds.push(5);
  }
  return { tokens, kinds, merges };
}

/** Each pair's halves are tokens already: a space and a letter, two letters, three, four. */
function* pairs(): Generator<readonly [string, string]> {
  const space = byteTexts()[32]!;
  for (const a of letters) yield [space, a];
  for (const a of letters) for (const b of letters) yield [a, b];
  for (const a of letters) for (const b of letters) for (const c of letters) yield [a + b, c];
  for (const a of letters)
    for (const b of letters) for (const c of letters) for (const d of letters) yield [a + b, c + d];
}

/** GPT-2's letter for each byte: itself where it can be printed, else one from U+0100 on. */
function byteTexts(): string[] {
  let unprintable = 0;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    return String.fromCharCode(printable ? byte : 256 + unprintable++);
  });
}
