import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomOf } from "./random.ts";

const sentencesPerParagraph = 4;
const paragraphsPerDocument = 4;
/** Words that a document comes back to, so that it is about something. */
const topicWords = 40;
const topicShare = 0.5;
/** How many words there are that they do not have. */
const ownWords = 4_000;

/**
 * What an unrelated document is about:
 *
 * - `own`: words that no real document has
 * - `shared`: words of which half are drawn from the real documents, and so are half of those in passing
 * - `same`: the words of one real document, and none beside: no word of a question tells it from the real one
 */
export type Topic = "own" | "shared" | "same";

/**
 * Writes documents that answer nothing. Each comes back to the words of its topic, and uses those of the real documents
 * in passing: its sentences have the length and the grammar words of real ones, half of their other words are its
 * topic's, half are drawn from the real vocabulary. So every word of a question occurs in many of them, and only what
 * stands together tells an answer.
 */
export function writeUnrelated(from: string, to: string, count: number, topicOf: Topic, seed = 1): void {
  const random = randomOf(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const texts = readdirSync(from)
    .sort()
    .map((name) => readFileSync(join(from, name), "utf8").replace(/^#.*$/gm, ""));
  const text = texts.join("\n");
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
  const isMatter = (token: string): boolean => !grammar.has(token.toLowerCase());
  const matter = tokens.filter(isMatter);
  const matters = texts.map((one) => (one.match(/[\p{L}\p{N}]+/gu) ?? []).filter(isMatter));
  const syllable = (): string => `${pick([..."bcdfghklmnprstvw"])}${pick([..."aeiou"])}`;
  const own = Array.from({ length: ownWords }, () => syllable() + syllable() + syllable());
  const patterns = text
    .split(/(?<=[.!?])\s+(?=\p{Lu})/u)
    .map((sentence) => sentence.match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter(({ length }) => length >= 8 && length <= 40);
  mkdirSync(to, { recursive: true });
  for (let number = 0; number < count; number++) {
    const real = topicOf === "same" ? pick(matters) : matter;
    const passing = (): string => pick(topicOf === "shared" && random() < 0.5 ? own : real);
    const topic = Array.from({ length: topicWords }, () => (topicOf === "own" ? pick(own) : passing()));
    const word = (): string => (random() < topicShare ? pick(topic) : passing());
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
