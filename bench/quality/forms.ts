import type { Question } from "./dataset.ts";
import { randomOf } from "./random.ts";

/** One way to ask several questions at once. */
interface Form {
  readonly name: string;
  readonly parts: number;
  readonly ask: (questions: readonly string[]) => string;
}

/** Without its question mark. */
const bare = (question: string): string => question.trim().replace(/[?\s]+$/, "");
const starters =
  /^(?:what|which|who|whom|whose|when|where|why|how|in|on|at|by|for|from|to|of|with|during|under|is|are|was|were|do|does|did|has|have|can|the|a|an)\b/i;
/** As it stands in the middle of a sentence. */
const inside = (question: string): string => {
  const text = bare(question);
  return starters.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
};
const marked = (question: string): string => `${bare(question)}?`;

const forms: readonly Form[] = [
  { name: "semicolons", parts: 3, ask: (all) => `${bare(all[0]!)}; ${all.slice(1).map(inside).join("; ")}?` },
  {
    name: "numbered lines",
    parts: 3,
    ask: (all) => all.map((one, at) => `${at + 1}. ${marked(one)}`).join("\n"),
  },
  {
    name: "numbers in a line",
    parts: 3,
    ask: (all) => all.map((one, at) => `(${at + 1}) ${inside(one)}`).join(" "),
  },
  {
    name: "letters in a line",
    parts: 2,
    ask: (all) => `Answer: a) ${inside(all[0]!)}, b) ${inside(all[1]!)}`,
  },
  {
    name: "bullets",
    parts: 4,
    ask: (all) => `Please answer these:\n${all.map((one) => `- ${bare(one)}`).join("\n")}`,
  },
  { name: "and also", parts: 2, ask: ([one, two]) => `${marked(one!)} And also, ${inside(two!)}?` },
  { name: "as well as", parts: 2, ask: ([one, two]) => `${bare(one!)}, as well as ${inside(two!)}?` },
  { name: "and", parts: 2, ask: ([one, two]) => `${bare(one!)} and ${inside(two!)}?` },
  {
    name: "first, second",
    parts: 2,
    ask: ([one, two]) => `First, ${inside(one!)}? Second, ${inside(two!)}?`,
  },
  {
    name: "first, then, finally",
    parts: 3,
    ask: ([one, two, three]) =>
      `First tell me ${inside(one!)}. Then ${inside(two!)}? Finally, ${inside(three!)}?`,
  },
  {
    name: "I would like to know",
    parts: 2,
    ask: ([one, two]) => `I would like to know ${inside(one!)}, and ${inside(two!)}.`,
  },
  { name: "four marks", parts: 4, ask: (all) => all.map(marked).join(" ") },
  {
    name: "commas and and",
    parts: 3,
    ask: ([one, two, three]) => `${bare(one!)}, ${inside(two!)}, and ${inside(three!)}?`,
  },
  { name: "no marks", parts: 3, ask: (all) => all.map(bare).join(". ") },
  { name: "also", parts: 2, ask: ([one, two]) => `${marked(one!)} Also ${inside(two!)}?` },
];

/** A question of several parts that the data does not have, made of questions it has. */
export interface Formed {
  readonly form: string;
  readonly question: string;
  readonly parts: readonly Question[];
}

/** So many of each form, of questions drawn by chance, each of another article. */
export function formed(questions: readonly Question[], each: number, seed = 1): Formed[] {
  const random = randomOf(seed);
  const draw = (count: number): Question[] => {
    const drawn: Question[] = [];
    while (drawn.length < count) {
      const one = questions[Math.floor(random() * questions.length)]!;
      if (drawn.every(({ doc }) => doc !== one.doc)) drawn.push(one);
    }
    return drawn;
  };
  return forms.flatMap(({ name, parts, ask }) =>
    Array.from({ length: each }, () => {
      const drawn = draw(parts);
      return { form: name, question: ask(drawn.map(({ question }) => question)), parts: drawn };
    }),
  );
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether a plan has a question for each part, in order, with all of its words and hardly any others. */
export const takesApart = (plan: readonly string[], parts: readonly Question[]): boolean =>
  plan.length === parts.length &&
  parts.every(({ question }, at) => {
    const asked = wordsOf(question);
    const planned = wordsOf(plan[at]!);
    return asked.every((word) => planned.includes(word)) && planned.length <= asked.length + spare;
  });

/** Words that may introduce a part. */
const spare = 6;
