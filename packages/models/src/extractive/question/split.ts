import { functionWords } from "../text/function-words.ts";
import { foldSpace } from "../text/passages.ts";
import { sentences } from "../text/sentences.ts";
import { words } from "../text/words.ts";
import { unframed } from "./unframed.ts";

const asking = "what|which|who|whom|whose|when|where|why|how";
const helping = "is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|must";
const ordering = "name|list|give|state|tell|describe|explain|compare|identify|find|summari[sz]e|show|define";

const prepositions =
  "in|on|at|by|for|from|to|of|with|into|under|during|since|until|about|through|after|before";
const opening = "(?:(?:and|or|but|also|then|plus|finally|please)[\\s,]+)*";

const startsAsking = new RegExp(
  `^${opening}(?:(?:(?:${prepositions})\\s+)?(?:${asking})|(?:${prepositions}|according to)\\s[^,?]{1,80},\\s*(?:${asking})|${helping}|${ordering})\\b`,
  "i",
);
const startsVerb = new RegExp(`^${opening}(?:${helping}|${ordering})\\b`, "i");

/** It has a question word that is none of a clause: `when did …` asks, `when many people …` only says when. */
const asks = new RegExp(
  `\\b(?:what|which|who|whom|whose)\\b|\\b(?:when|where|why|how(?:\\s+\\w+){0,3}?)\\s+(?:${helping})\\b|\\bhow\\s+(?:many|much|long|far|old|often|big|to)\\b`,
  "i",
);

/** A word that starts a question in the middle of a text, where someone forgot to end the one before. */
const capitalCue = new RegExp(
  `\\s(?=(?:${capital(prepositions)})\\s+(?:${asking})\\s|(?:${capital(asking)})\\s|(?:${capital(`${prepositions}|according to`)})\\s[^,?]{1,80},\\s*(?:${asking})\\s)`,
  "g",
);
/** A conjunction that a question follows, or a comma that one follows which is no relative clause. */
const joinCue = new RegExp(
  `(?:[,;:]\\s*|\\s+)(?:and|but|also|as well as|plus|then)\\s+(?:also\\s+)?(?=(?:(?:${prepositions})\\s+)?(?:${asking})\\b|(?:${prepositions}|according to)\\s[^,?]{1,80},\\s*(?:${asking})\\s|(?:${helping})\\s+(?:it|he|she|they|we|you|i|there|the|a|an|this|that|these|those|some|any|its|his|her|their)\\s)|[,;]\\s*(?=(?:what|how|why)\\b)`,
  "gi",
);

/** In a series that ends in `…, and what …` every comma before a question word parts. */
const seriesCue = new RegExp(
  `,\\s*(?=(?:(?:${prepositions})\\s+)?(?:what|which\\s+(?!(?:${helping})\\b)|who|whose|whom|why|how|(?:when|where)\\s+(?:${helping}))\\b)`,
  "gi",
);
const seriesEnd = new RegExp(`,\\s*(?:and|or)\\s[^?]*\\b(?:${asking})\\b`, "i");
/** What follows it asks, wherever its question word stands. */
const semicolon = /\s*;\s*/g;

/** After `, and` a question may also ask late: `…, and the treaty was signed in what year?`. */
const commaAnd = /,\s*and\s+(?:also\s+)?/gi;
const asksLate = /\b(?:what|whom|how (?:many|much))\b/i;

function capital(list: string): string {
  return list
    .split("|")
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join("|");
}

/**
 * The questions that a question is made of. It is taken apart where a question mark, a list, or a question word
 * after a conjunction says so, and only if both sides ask something of their own; what only introduces a question
 * stays with it. A part that points back with a pronoun names what it points to.
 *
 * ```ts
 * split("Who wrote Emma, and when was it published?");
 * // ["Who wrote Emma?", "When was it published (Emma)?"]
 * ```
 */
export function split(question: string): string[] {
  const whole = unframed(question);
  if (whole === "") return [];
  const parts = attach(listed(whole).flatMap(marks).flatMap(cutPiece));
  const asked = new Set<string>();
  const unique = parts.filter((part) => {
    const before = asked.size;
    return asked.add(foldSpace(part).toLowerCase()).size > before;
  });
  if (unique.length <= 1) {
    const only = foldSpace(unique[0] ?? whole);
    return [whole === question.trim() ? only : polished(only)];
  }
  return unique.map((part, at) => pointed(polished(part), unique.slice(0, at)));
}

function cutPiece(piece: string): string[] {
  const apart = cut(cut([piece], capitalCue), semicolon);
  const series = apart.flatMap((part) => (seriesEnd.test(part) ? cut([part], seriesCue) : [part]));
  return cut(cut(series, joinCue), commaAnd);
}

/** Items of a list in a line, `(1) … (2) …` or `a) … b) …`: its marks count up from the first, and two items ask. */
function listed(text: string): string[] {
  for (const first of ["1", "a"]) {
    const pieces: string[] = [];
    let rest = text;
    for (let code = first.charCodeAt(0); pieces.length <= mostItems; code++) {
      const found = new RegExp(`(?:^|[\\s,;:])\\(?${String.fromCharCode(code)}\\)\\s+`, "i").exec(rest);
      if (found === null) break;
      pieces.push(rest.slice(0, found.index + 1).replace(/[\s,;(]+$/, ""));
      rest = rest.slice(found.index + found[0].length);
    }
    const items = [...pieces.slice(1), rest];
    if (items.length > 1 && items.filter((item) => stands(item)).length > 1)
      return [pieces[0]!, ...items.map((item) => (/[?.!]\s*$/.test(item) ? item : `${item}?`))].filter(
        (piece) => piece !== "",
      );
  }
  return [text];
}

const mostItems = 9;

/** Pieces by question marks, other ends of sentences, lines, and the numbers or bullets of a list. */
function marks(text: string): string[] {
  return text
    .split(/(?<=[?？][)"'”’]*)\s+|\n+|(?:^|\s)(?:\(?\d{1,2}[.)]|[-*•])\s+(?=\p{Lu})/u)
    .map((line) => line.replace(/^\s*(?:\(?\d{1,2}[.)]|[-*•])\s+(?=\p{Lu})/u, "").trim())
    .flatMap((line) => sentences(line).map(({ start, end }) => line.slice(start, end)))
    .filter((piece) => /[\p{L}\p{N}]/u.test(piece));
}

function cut(pieces: readonly string[], cue: RegExp): string[] {
  return pieces.flatMap((piece) => {
    const done: string[] = [];
    let rest = piece;
    let searched = 0;
    while (true) {
      cue.lastIndex = searched;
      const found = cue.exec(rest);
      if (found === null) break;
      const left = rest.slice(0, found.index);
      const right = rest.slice(found.index + found[0].length);
      if (stands(left, cue === capitalCue) && stands(right) && asksAfter(cue, right)) {
        // A phrase that asks by what is missing at its end is marked as what it is.
        done.push(stands(left) ? left : `${left.trim()}?`);
        rest = right;
        searched = 0;
      } else {
        searched = found.index + Math.max(1, found[0].length);
      }
    }
    done.push(rest);
    return done;
  });
}

/** It asks, and about something. Before a question that starts with a capital a long phrase is enough. */
function stands(whole: string, phrase = false): boolean {
  // The nearest words decide, and a text of any length is judged in little time.
  const piece = whole.length <= near * 2 ? whole : `${whole.slice(0, near)} ${whole.slice(-near)}`;
  const own = words(piece);
  if (phrase && own.length >= longPhrase) return true;
  if (!asks.test(piece) && !startsVerb.test(piece)) return false;
  return own.length >= 3 && own.some((word) => !functionWords.has(word.plain));
}

/** Whether what follows a cue asks in a way that the cue allows. */
function asksAfter(cue: RegExp, right: string): boolean {
  if (cue === semicolon) return true;
  return startsAsking.test(right) || (cue === commaAnd && asksLate.test(right.slice(0, near)));
}

const longPhrase = 6;
const near = 300;

/** Pieces that ask nothing go with the question they introduce; after the last question a phrase asks by itself. */
function attach(pieces: readonly string[]): string[] {
  const parts: string[] = [];
  let introduction = "";
  for (const piece of pieces) {
    const whole = introduction === "" ? piece : `${introduction.slice(-longestIntroduction)} ${piece}`;
    const asksItself = stands(piece) || /[?？]/.test(piece);
    if (asksItself) parts.push(introduces(introduction, piece) ? whole : piece);
    introduction = asksItself ? "" : whole;
  }
  if (introduction === "") return parts;
  const last = parts.at(-1);
  if (last !== undefined && instruction.test(introduction)) return parts;
  if (last === undefined || words(introduction).length >= phraseAlone) return [...parts, introduction];
  return [...parts.slice(0, -1), `${last} ${introduction}`];
}

/**
 * Whether a question needs what was said before it. One that says enough by itself does not, unless it points back or
 * something was named: “I am stuck with my essay. …” would only be searched for.
 */
const introduces = (introduction: string, question: string): boolean =>
  !/[.!]\s*$/.test(introduction) ||
  pointsBack.test(question) ||
  names(introduction).length > 0 ||
  words(question).filter(({ plain }) => !functionWords.has(plain)).length < enoughWords;

const pointsBack =
  /\b(?:it|its|he|him|his|she|her|hers|they|them|their|this|that|these|those|there|such|one|ones|same)\b/i;
const enoughWords = 3;

/** How to answer is no question, and neither are thanks. */
const instruction =
  /^(?:please,?\s+)?(?:quote|cite|answer|reply|respond|keep|use|be|make|include|write|do\s+not|don['’]t|thanks?|thank\s+you|(?:kind|best)\s+regards)\b/i;
const phraseAlone = 4;
/** Of a long text before a question its end introduces it. */
const longestIntroduction = 400;

function polished(part: string): string {
  const text = foldSpace(part)
    .replace(/^(?:and|or|but|also|then|plus|finally)[\s,]+/i, "")
    .replace(/[,;:\s]+$/, "");
  const opened = text.charAt(0).toUpperCase() + text.slice(1);
  return /[?.!？]["'”’)]*$/.test(opened) ? opened : `${opened}?`;
}

/** A pronoun where the question names what it is about: `did he`, `founded it`. */
const pointing = new RegExp(
  `\\b(?:${helping})\\s+(?:it|he|she|they)\\b|^(?:who|what|which\\s+\\w+)\\s+\\w+\\s+(?:it|him|her|them)\\b`,
  "i",
);

/** Names and other capitalised words after the first word. */
const names = (part: string): string[] =>
  [
    ...part.matchAll(
      /(?<=[\s("'“])\p{Lu}[\p{L}\p{N}'’.-]*(?:\s+(?:(?:of|the|de|von|van)\s+)*\p{Lu}[\p{L}\p{N}'’.-]*)*/gu,
    ),
  ]
    .map(([name]) => name.replace(/[.'’]+$/, ""))
    .filter((name) => name.length > 1);

function pointed(part: string, before: readonly string[]): string {
  if (!pointing.test(part) || names(part).length > 0) return part;
  const name = [...before]
    .reverse()
    .flatMap((other) => names(other))
    .at(0);
  return name === undefined ? part : part.replace(/\?*$/, ` (${name})?`);
}
