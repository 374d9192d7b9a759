import type { JsonSchema } from "@agentpool/core";
import { type Exchange, isRecord } from "../conversation/exchanges.ts";
import { type Listed, listedOf } from "../conversation/findings.ts";
import { type PlanRole, propertiesOf, type ToolRole } from "../conversation/roles.ts";
import { query } from "../question/query.ts";
import { split } from "../question/split.ts";
import { words } from "../text/words.ts";
import { fill, fits, itemsOf } from "./fill.ts";
import type { Move } from "./move.ts";

export interface PlanView {
  readonly task: string;
  readonly exchanges: readonly Exchange[];
  readonly plan: ToolRole<PlanRole>;
  readonly list: ToolRole | undefined;
  /** The plan is due now. */
  readonly forced: boolean;
}

/** Most questions made of a topic's outline, the topic itself included. */
const outlineQuestions = 4;

/**
 * Splits a question into the questions it is made of. A bare topic asks nothing to split: then the outline says what
 * there is to ask about.
 */
export function planMove(view: PlanView): Move {
  const parts = split(view.task);
  if (!isTopic(view.task) || parts.length > 1) {
    return submit(view, parts, parts.length > 1 ? `It asks ${parts.length} things.` : "It asks one thing.");
  }
  const { list } = view;
  const looked = list && view.exchanges.find((exchange) => exchange.tool === list.name);
  if (list && !looked && !view.forced) {
    return {
      reasoning: "A topic, not a question: the outline may say what to ask.",
      calls: [{ tool: list.name, args: {} }],
    };
  }
  const listed = looked?.outcome.type === "value" ? (listedOf(looked.outcome.value) ?? []) : [];
  return submit(view, fromOutline(view.task, listed), "Questions from the outline's headings on the topic.");
}

/** Few words, none that asks. */
const isTopic = (task: string): boolean =>
  !/[?？]|\b(?:what|which|who|whom|whose|when|where|why|how)\b/i.test(task) && words(task).length <= 12;

/** The topic, and it under each heading that shares its rarer words. */
function fromOutline(topic: string, listed: readonly Listed[]): string[] {
  const asked = query(topic);
  const terms = new Set(asked.terms.map(({ stem }) => stem));
  const about = listed
    .map((document) => {
      const title = words(document.title).filter(({ stem }) => terms.has(stem)).length;
      return { document, title };
    })
    .filter(({ title }) => title > 0)
    .sort((a, b) => b.title - a.title)
    .slice(0, 1);
  const headings = about.flatMap(({ document }) =>
    document.headings.filter((heading) => heading !== document.title && words(heading).length <= 8),
  );
  const chosen = headings.slice(0, outlineQuestions - 1).map((heading) => `${topic}: ${heading}`);
  return [topic, ...chosen];
}

function submit(view: PlanView, questions: readonly string[], reasoning: string): Move {
  const { schema, role, name } = view.plan;
  const list = propertiesOf(schema.parameters)[role.questions];
  const item = itemsOf(list);
  const most = isRecord(list) && typeof list.maxItems === "number" ? list.maxItems : questions.length;
  // What does not fit the list's length is asked with its last question: nothing is dropped.
  const kept =
    questions.length <= most
      ? [...questions]
      : [...questions.slice(0, most - 1), questions.slice(most - 1).join(" ")];
  const longest = typeof item.maxLength === "number" ? item.maxLength : Number.POSITIVE_INFINITY;
  const values = fits(item, "")
    ? kept.map((question) => question.slice(0, longest))
    : kept.map((question) => taskItem(item, question));
  return {
    reasoning,
    calls: [
      { tool: name, args: fill(schema.parameters, { [role.questions]: values, reasoning }, view.task) },
    ],
  };
}

const taskItem = (item: JsonSchema, question: string): Record<string, unknown> =>
  fill(
    item,
    { question, task: question, query: question, text: question, title: question, description: question },
    question,
  );
