import type { CallInfo, Rule, ToolSchema } from "@agentpool/core";
import type { Excerpt } from "../conversation.ts";
import type { Depth } from "../effort.ts";
import { fence } from "../fence.ts";
import { DEPTH } from "./words.ts";

/** What the agent was told, and what was said. */
export interface Background {
  readonly task: string;
  readonly instructions: readonly string[];
  readonly applying: readonly Rule[];
  readonly conversation: Excerpt;
}

export interface StepMaterial extends Background {
  readonly reasoning: string | undefined;
  readonly text: string | undefined;
  readonly calls: readonly CallInfo[];
  readonly tools: readonly ToolSchema[];
}

export interface ReportMaterial extends Background {
  readonly report: unknown;
}

/** What a reviewer of a step is shown. Outside of the fences stands nothing that anybody else has written. */
export const describeStep = (material: StepMaterial, depth: Depth): string =>
  [
    ...describeBackground(material),
    "Why the agent proposes its calls, in its own words:",
    fence("reasoning", { reasoning: material.reasoning ?? null, text: material.text ?? null }),
    "The tools that it calls, as they describe themselves:",
    fence("tools", calledTools(material)),
    "The calls that would run, in order:",
    fence(
      "calls",
      material.calls.map(({ tool, identity, args }) => ({ tool, identity, args })),
    ),
    `Would running these calls break or diverge from what the agent was told to keep to? ${DEPTH[depth]}`,
  ].join("\n\n");

/** And of a report. */
export const describeReport = (material: ReportMaterial, depth: Depth): string =>
  [
    ...describeBackground(material),
    "The report:",
    fence("report", material.report ?? null),
    `Does the report break what the agent was told to keep to, or claim what no result says? ${DEPTH[depth]}`,
  ].join("\n\n");

/** What the one who decides which rules apply is shown. */
export const describeRules = (
  rules: readonly { readonly id: string; readonly rule: Rule }[],
  { task, conversation }: Pick<Background, "task" | "conversation">,
): string =>
  [
    "The agent's task:",
    fence("task", task),
    "Its conversation so far:",
    fence("conversation", conversation),
    "The rules:",
    fence(
      "rules",
      rules.map(({ id, rule: { title, content, when = null, kind = "policy" } }) => ({
        id,
        title,
        kind,
        when,
        content,
      })),
    ),
    "Which of these rules apply to the agent's next turn?",
  ].join("\n\n");

const describeBackground = ({ task, instructions, applying, conversation }: Background): string[] => [
  "What the agent was told to keep to:",
  fence("instructions", instructions),
  "Rules that apply to this turn:",
  fence(
    "rules",
    applying.map(({ title, content, kind = "policy", weight = "medium" }) => ({
      title,
      kind,
      weight,
      content,
    })),
  ),
  "Its task:",
  fence("task", task),
  "Its conversation so far:",
  fence("conversation", conversation),
];

const calledTools = ({ calls, tools }: StepMaterial): readonly ToolSchema[] =>
  tools
    .filter(({ name }) => calls.some(({ tool }) => tool === name))
    .map(({ name, description, parameters }) => ({ name, description, parameters }));
