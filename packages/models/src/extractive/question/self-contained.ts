import { functionWords, pronouns } from "../text/function-words.ts";
import { type Word, words } from "../text/words.ts";

/** What was asked and answered before a question. */
export interface Before {
  readonly question: string;
  /** Names of what the answer quotes from, in its order. */
  readonly sources: readonly string[];
}

/**
 * A question that says by itself what it is about. One that points back, as "When did he die?" and "And in 1282?" do, is
 * given the topic of the question before it: "When did he die? (Yuan dynasty)".
 */
export function selfContained(question: string, before: Before | undefined): string {
  if (!before || !pointsBack(question)) return question;
  const own = new Set(words(question).map(({ stem }) => stem));
  const topic = topicOf(before).filter((phrase) => words(phrase).some(({ stem }) => !own.has(stem)));
  return topic.length === 0 ? question : `${question} (${topic.join(", ")})`;
}

/** Whether a question can be understood only with what was said before it. */
function pointsBack(question: string): boolean {
  const all = words(question);
  const first = all[0]?.plain ?? "";
  const leads = leading.has(first);
  const rest = leads ? all.slice(1) : all;
  if (rest.some(isPointer)) return true;
  // "And the largest?": what it leaves out was said before; "And who built the Eiffel Tower?" leaves out nothing
  return leads && !rest.slice(1).some(({ capital }) => capital) && rest.filter(carries).length <= 3;
}

const leading = new Set(["and", "but", "so"]);
const auxiliaries = new Set(
  "is are was were be do does did has have had can could may might will would shall should must".split(" "),
);
const prepositions = new Set("of about for with by from in to on at than after before against".split(" "));
const owners = new Set(["his", "her", "its", "their"]);
/** They also stand for nothing, as in "How long does it take?", and before nouns. */
const weak = new Set(["it", "this", "that", "there", "here", "such", "both", "former", "latter"]);

/**
 * Whether a word stands for something that the question itself has not named: nothing that carries matter is before it,
 * it ends the question, or it belongs to an auxiliary or a preposition. What a name before it may have meant it does not.
 */
function isPointer({ plain }: Word, at: number, all: readonly Word[]): boolean {
  if (!pronouns.has(plain)) return false;
  const before = all.slice(0, at);
  if (before.slice(1).some(({ capital }) => capital)) return false;
  if (weak.has(plain) && all.slice(1).some(({ capital }) => capital)) return false;
  if (at > 0 && at === all.length - 1) return true;
  if (owners.has(plain)) return !before.some(carries);
  const previous = before.at(-1)?.plain ?? "";
  if (auxiliaries.has(previous)) return !weak.has(plain) || all.filter(carries).length <= 2;
  return prepositions.has(previous) && !weak.has(plain);
}

const carries = ({ plain }: Word): boolean => !functionWords.has(plain) && !asking.has(plain);
const asking = new Set(["kind", "type", "sort", "name"]);

/**
 * What a question is about: the names in it with the words that belong to them, else all that carries matter. A question
 * that pointed back itself names nothing: what its answer quotes from does.
 */
function topicOf({ question, sources }: Before): readonly string[] {
  if (pointsBack(question) && sources[0] !== undefined) return [sources[0]];
  const all = words(question);
  const names = phrases(all, (word, at) => at > 0 && word.capital);
  if (names.length > 0) return names;
  const matter = all.filter(carries).map(({ surface }) => surface);
  return matter.length > 0 ? [matter.join(" ")] : sources.slice(0, 1);
}

/** Runs of words that carry matter and begin with a chosen one: `Yuan dynasty`, `Eiffel Tower`. */
function phrases(all: readonly Word[], begins: (word: Word, at: number) => boolean): string[] {
  const found: string[][] = [];
  let open: string[] | undefined;
  for (const [at, word] of all.entries()) {
    if (!carries(word)) open = undefined;
    else if (open && (word.capital || open.length === 1)) open.push(word.surface);
    else if (begins(word, at)) {
      open = [word.surface];
      found.push(open);
    } else open = undefined;
  }
  return found.map((phrase) => phrase.join(" "));
}
