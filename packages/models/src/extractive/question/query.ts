import { functionWords } from "../text/function-words.ts";
import { type Word, words } from "../text/words.ts";
import { type AnswerType, answerType } from "./answer-type.ts";
import { unframed } from "./unframed.ts";

/** A question, taken apart for scoring. */
export interface Query {
  readonly text: string;
  readonly type: AnswerType;
  /** The words that carry its matter, each stem once, in order. */
  readonly terms: readonly Word[];
  /** Every stem of the question, function words too. */
  readonly stems: ReadonlySet<string>;
  /** Stem of what is asked for, where the question names it: `river` in "Which river …", `points` in "How many points …". */
  readonly focus: string | undefined;
  /** Words that stand next to each other, at least one of which carries matter: `went to`, `to Harvard`. */
  readonly phrases: readonly (readonly [string, string])[];
}

/** Words a question asks with and an answer does not repeat. */
const askingWords = new Set(
  "what which who whom whose when where why how many much name kind type sort called list state give tell describe explain find".split(
    " ",
  ),
);

/** A question has no more words that count; of a pasted page the beginning has to do. */
const mostWords = 120;
const mostCharacters = 1_000;
const mostRead = 20_000;

export function query(asked: string): Query {
  const question = unframed(asked.slice(0, mostRead));
  const all = words(question).slice(0, mostWords);
  const content = all.filter((word) => !functionWords.has(word.plain) && word.plain.length > 0);
  const matter = content.filter((word) => !askingWords.has(word.plain));
  const chosen = matter.length > 0 ? matter : content.length > 0 ? content : all;
  const terms = [...new Map(chosen.map((word) => [word.stem, word])).values()];
  return {
    text: question.length <= mostCharacters ? question : question.slice(0, mostCharacters),
    type: answerType(question),
    terms,
    stems: new Set(all.map((word) => word.stem)),
    phrases: phrasesOf(all),
    focus: focusOf(all),
  };
}

function phrasesOf(all: readonly Word[]): (readonly [string, string])[] {
  const phrases: (readonly [string, string])[] = [];
  for (let at = 1; at < all.length; at++) {
    const [left, right] = [all[at - 1]!, all[at]!];
    if (askingWords.has(left.plain) || askingWords.has(right.plain)) continue;
    if (functionWords.has(left.plain) && functionWords.has(right.plain)) continue;
    phrases.push([left.stem, right.stem]);
  }
  return phrases;
}

const focusCues = new Set(["what", "which", "many", "much"]);
/** Say nothing about what is asked for, the word after them does. */
const emptyFocus = new Set(["name", "kind", "type", "sort", "many", "much", "other", "number", "amount"]);
const focusReach = 4;

function focusOf(all: readonly Word[]): string | undefined {
  const cue = all.findIndex((word) => focusCues.has(word.plain));
  if (cue === -1) return undefined;
  return all
    .slice(cue + 1, cue + 1 + focusReach)
    .find((word) => !functionWords.has(word.plain) && !emptyFocus.has(word.plain))?.stem;
}
