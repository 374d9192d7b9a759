import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A small seeded generator (mulberry32): the same documents every time. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const sentencesPerParagraph = 4;
const paragraphsPerDocument = 4;
/** Words that a document comes back to, so that it is about something. */
const topicWords = 40;
const topicShare = 0.5;
/** How many words there are that they do not have. */
const ownWords = 4_000;

/**
 * Writes documents that answer nothing: each is about words of its own, and uses those of the real documents in
 * passing. Its sentences have the length and the grammar words of real ones, half of their other words are its topic,
 * half are drawn from the real vocabulary. So every word of a question occurs in many of them, and only what stands
 * together tells an answer.
 */
export function writeUnrelated(from: string, to: string, count: number, seed = 1): void {
  const random = randomOf(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const text = readdirSync(from)
    .sort()
    .map((name) => readFileSync(join(from, name), "utf8").replace(/^#.*$/gm, ""))
    .join("\n");
  const tokens = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const frequency = new Map<string, number>();
  for (const token of tokens)
    frequency.set(token.toLowerCase(), (frequency.get(token.toLowerCase()) ?? 0) + 1);
  const grammar = new Set(
    [...frequency]
      .sort((a, b) => b[1] - a[1])
      .slice(0, 60)
      .map(([word]) => word),
  );
  const matter = tokens.filter((token) => !grammar.has(token.toLowerCase()));
  const syllable = (): string => `${pick([..."bcdfghklmnprstvw"])}${pick([..."aeiou"])}`;
  const own = Array.from({ length: ownWords }, () => syllable() + syllable() + syllable());
  const patterns = text
    .split(/(?<=[.!?])\s+(?=\p{Lu})/u)
    .map((sentence) => sentence.match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter(({ length }) => length >= 8 && length <= 40);
  mkdirSync(to, { recursive: true });
  for (let number = 0; number < count; number++) {
    const topic = Array.from({ length: topicWords }, () => pick(own));
    const word = (): string => (random() < topicShare ? pick(topic) : pick(matter));
    const sentence = (): string => {
      const made = pick(patterns).map((token) =>
        grammar.has(token.toLowerCase()) ? token.toLowerCase() : word(),
      );
      const joined = made.join(" ");
      return `${joined.charAt(0).toUpperCase()}${joined.slice(1)}.`;
    };
    const paragraph = (): string => Array.from({ length: sentencesPerParagraph }, sentence).join(" ");
    const title = `${pick(topic)} ${pick(topic)}`;
    const body = Array.from({ length: paragraphsPerDocument }, paragraph).join("\n\n");
    writeFileSync(join(to, `unrelated-${String(number).padStart(5, "0")}.md`), `# ${title}\n\n${body}\n`);
  }
}
