import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigurationError } from "@agentpool/core";
import { parse, stringify } from "yaml";
import { z } from "zod";
import type { Plan } from "./plan.ts";

const shape = z.strictObject({
  question: z.string(),
  order: z.enum(["parallel", "chain"]).default("parallel"),
  inquiries: z.array(z.string().trim().min(1)).min(1),
});

const head = `# What is researched when this question is asked again. Reword, remove, add, reorder; delete the file to plan anew.
# order: parallel, all side by side; or chain, one after another, each starting with the reports of those before it.
`;

/** A plan as it is kept, and shown. */
export const planText = (plan: Plan): string => head + stringify(plan, { lineWidth: 0 });

/** Keeps a plan, and says where. */
export function keepPlan(folder: string, plan: Plan): string {
  mkdirSync(folder, { recursive: true });
  const file = fileOf(folder, plan.question);
  writeFileSync(file, planText(plan));
  return file;
}

/** The plan kept for a question. Throws where it was edited into something that is no plan. */
export function keptPlan(folder: string, question: string): { plan: Plan; file: string } | undefined {
  const file = fileOf(folder, question);
  if (!existsSync(file)) return undefined;
  const fail = (why: string) =>
    new ConfigurationError(`${file} is not a plan: ${why}. Mend it, or delete it to plan anew.`);
  let written: unknown;
  try {
    written = parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw fail((error as Error).message);
  }
  const plan = shape.safeParse(written);
  if (!plan.success) throw fail(z.prettifyError(plan.error));
  return { plan: { ...plan.data, question }, file };
}

/** One file for each question: its first words, and a digest that tells apart questions that start alike. */
function fileOf(folder: string, question: string): string {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const digest = createHash("sha256").update(question).digest("hex").slice(0, 6);
  return join(folder, `${[...words.slice(0, 8), digest].join("-")}.yml`);
}
