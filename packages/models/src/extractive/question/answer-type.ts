import { functionWords } from "../text/function-words.ts";
import type { Word } from "../text/words.ts";

/** What kind of thing a question asks for. */
export type AnswerType =
  | "count"
  | "amount"
  | "share"
  | "time"
  | "person"
  | "place"
  | "name"
  | "term"
  | "reason"
  | "manner"
  | "other";

const asks: readonly (readonly [AnswerType, RegExp])[] = [
  ["share", /\b(?:percent(?:age)?|proportion|fraction|what share|how much of)\b/],
  ["amount", /\bhow (?:much|expensive)\b|\bwhat (?:was|is|were) the (?:cost|price|value|budget)\b/],
  [
    "time",
    /\bwhen\b|\bhow (?:old|long ago|recently)\b|\b(?:what|which) (?:\w+ ){0,2}(?:years?|dates?|days?|months?|century|centuries|decades?|times?|era|period|season)\b|\bsince what\b|\bby what year\b/,
  ],
  [
    "count",
    /\bhow (?:many|long|far|high|tall|big|large|deep|wide|fast|heavy|hot|cold|often|few)\b|\bwhat (?:is|was|are|were)? ?(?:the )?(?:\w+ ){0,2}(?:number|population|size|area|length|height|depth|distance|temperature|speed|age|ratio|rate|average|total|score)\b/,
  ],
  [
    "reason",
    /\bwhy\b|\bwhat (?:was|is) the (?:reason|cause|purpose)\b|\bfor what (?:reason|purpose)\b|\bwhat caused?\b/,
  ],
  [
    "person",
    /\bwho(?:m|se)?\b|\b(?:what|which) (?:\w+ ){0,2}(?:person|man|woman|people|player|actor|actress|author|scientist|president|king|queen|emperor|director|writer|engineer|leader|founder|inventor|historian|philosopher|mathematician|politician|general)\b/,
  ],
  [
    "place",
    /\bwhere\b|\b(?:what|which) (?:\w+ ){0,2}(?:city|cities|country|countries|state|states|river|town|place|location|region|continent|island|county|province|nation|area|street|building|stadium|venue|site)\b/,
  ],
  [
    "term",
    /\b(?:called|termed|known as|referred to as|nicknamed|dubbed)\s*\??$|\bwhat (?:is|was|are) (?:the )?(?:term|word|name|nickname|title)\b|\b(?:what|which) (?:\w+ )?(?:term|word|name|nickname|title)\b|\bwhat does .+ (?:mean|stand for)\b/,
  ],
  [
    "name",
    /\b(?:what|which) (?:\w+ ){0,2}(?:company|companies|team|group|party|organization|organisation|university|school|language|song|album|film|movie|show|book|act|law|treaty|war|battle|award|program|project|ship|network|agency|tribe|religion|church|dynasty|position)\b/,
  ],
  [
    "manner",
    /\bhow (?:do|does|did|is|are|was|were|can|could|would|should|has|have)\b|\bin what way\b|\bby what means\b/,
  ],
];

/** The kind of thing a question asks for, by the words it asks with. */
export function answerType(question: string): AnswerType {
  const text = question.toLowerCase();
  for (const [type, pattern] of asks) if (pattern.test(text)) return type;
  return "other";
}

const numberWords = new Set(
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions billion trillion dozen half third quarter twice once double first second".split(
    " ",
  ),
);
const months =
  /\b(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b/;
const year = /\b(?:1\d{3}|20\d{2})s?\b/;
const century =
  /\b(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|\w+th)[- ]centur(?:y|ies)\b|\b(?:BC|BCE|AD|CE)\b|\byears?\b|\bdecades?\b/;
const share =
  /%|\bper ?cent|\bpercentage|\b(?:half|third|quarter|fifth|majority|two-thirds|three-quarters)\b/i;
const money = /[$£€¥]\s?\d|\b(?:dollars?|pounds?|euros?|cents?)\b/i;
const reason =
  /\b(?:because|due to|owing to|since|so that|in order to|as a result|therefore|thus|reason|caused?|leads? to|led to|to (?:avoid|prevent|protect|allow|make|keep|reduce|increase|ensure))\b/i;
const manner = /\b(?:by|through|using|via|with|as)\b/i;
const naming =
  /\b(?:called|known as|termed|named|referred to as|nicknamed|dubbed|titled|entitled|means?|term)\b|["“‘*`]/i;

/** Types whose answers show in the form of their words: numbers, dates, names. */
const shown: ReadonlySet<AnswerType> = new Set([
  "count",
  "amount",
  "share",
  "time",
  "person",
  "place",
  "name",
]);

export const showsInWords = (type: AnswerType): boolean => shown.has(type);

/** Whether a word may be of an answer of that type, by its form. */
export function mayAnswer(type: AnswerType, word: Word): boolean {
  switch (type) {
    case "count":
    case "amount":
    case "share":
      return /^\p{N}/u.test(word.plain) || numberWords.has(word.plain);
    case "time":
      return /^\p{N}/u.test(word.plain) || months.test(word.surface) || word.plain === "century";
    case "person":
    case "place":
    case "name":
      return word.capital && !functionWords.has(word.plain);
    default:
      return !functionWords.has(word.plain);
  }
}

/**
 * How far a sentence holds something of the kind asked for that the question does not say itself: 0 to 1.
 * `asked` holds the question's stems.
 */
export function holdsAnswer(
  type: AnswerType,
  text: string,
  sentence: readonly Word[],
  asked: ReadonlySet<string>,
): number {
  const newWords = sentence.filter((word) => !asked.has(word.stem));
  const numbers = newWords.filter((word) => /^\p{N}/u.test(word.plain) || numberWords.has(word.plain)).length;
  const names = newWords.filter(
    (word, index) => word.capital && (index > 0 || newWords[0] !== sentence[0]),
  ).length;
  switch (type) {
    case "count":
      return Math.min(1, numbers / 1);
    case "amount":
      return money.test(text) ? 1 : numbers > 0 ? 0.6 : 0;
    case "share":
      return share.test(text) ? 1 : numbers > 0 ? 0.3 : 0;
    case "time":
      return newWords.some((word) => year.test(word.surface)) || months.test(text)
        ? 1
        : century.test(text)
          ? 0.7
          : numbers > 0
            ? 0.4
            : 0;
    case "person":
      return names >= 2 ? 1 : names === 1 ? 0.6 : 0;
    case "place":
      return names >= 1 ? 1 : /\b(?:in|at|near|from|on)\b/.test(text) ? 0.3 : 0;
    case "name":
      return names >= 1 ? 1 : 0;
    case "term":
      return naming.test(text) ? 1 : 0;
    case "reason":
      return reason.test(text) ? 1 : 0;
    case "manner":
      return manner.test(text) ? 1 : 0;
    case "other":
      return 0.5;
  }
}
