import { defineTool, type Tool, type ToolLifecycleHooks } from "@agentpool/core";
import { z } from "zod";

/** A quotation as an agent reports it, not yet verified. */
export interface ReportedFinding {
  readonly quote: string;
  readonly path: string;
  readonly lines?: readonly number[];
  readonly heading?: string;
  readonly confidence?: number;
}

export interface Report {
  readonly result: string;
  readonly findings: readonly ReportedFinding[];
  readonly notFound?: string;
}

const finding = z.object({
  quote: z
    .string()
    .min(1)
    .max(4_000)
    .describe("One or two sentences, word by word as they stand in the source."),
  path: z.string().min(1).max(2_000).describe("Path or URL of the source, as the tools name it."),
  lines: z.array(z.number().int().min(1)).length(2).optional().describe("First and last line."),
  heading: z.string().max(500).optional().describe("The heading it stands under."),
  confidence: z.number().min(0).max(1).optional().describe("How sure you are that it answers, 0 to 1."),
});

/** The call that ends a researching agent. Named `report`; its findings are quotations with their sources. */
export const reportFindings = (most: number, hooks: readonly ToolLifecycleHooks[] = []): Tool =>
  defineTool({
    name: "report",
    description:
      "Report what you found on your question, and end. Findings are verbatim quotations, best first.",
    parameters: z.object({
      result: z.string().max(20_000).describe("The answer in a sentence or two, or what you did not find."),
      findings: z
        .array(finding)
        .max(most)
        .default([])
        .describe("Quotations that answer the question, best first."),
      notFound: z.string().max(2_000).optional().describe("What you looked for and did not find."),
    }),
    hooks,
    idempotent: true,
    execute: ({ result }) => result,
  });

const shape = z.object({
  result: z.string().catch(""),
  findings: z
    .array(finding.partial().required({ quote: true, path: true }).catch({ quote: "", path: "" }))
    .catch([]),
  notFound: z.string().optional().catch(undefined),
});

/** A report out of a terminal call's arguments: what does not have its shape is left out, not an error. */
export function readReport(args: unknown): Report | undefined {
  const read = shape.safeParse(args);
  if (!read.success) return undefined;
  const { result, findings, notFound } = read.data;
  return {
    result,
    findings: findings.filter(({ quote, path }) => quote !== "" && path !== ""),
    ...(notFound ? { notFound } : {}),
  };
}
