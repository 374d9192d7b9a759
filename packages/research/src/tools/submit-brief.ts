import { defineTool, type Tool } from "@agentpool/core";
import { z } from "zod";

export interface SubmittedSection {
  readonly question: string;
  readonly findings: readonly string[];
  readonly answer?: string;
  readonly notFound?: string;
}

export interface SubmittedBrief {
  readonly title?: string;
  readonly sections: readonly SubmittedSection[];
  readonly note?: string;
}

const section = z.object({
  question: z.string().min(1).max(2_000).describe("The question it answers, as the report names it."),
  findings: z.array(z.string().max(40)).max(200).describe("Ids of the findings that answer it, best first."),
  answer: z.string().max(4_000).optional().describe("A short answer that says only what the findings say."),
  notFound: z.string().max(2_000).optional().describe("What was not found."),
});

const shape = z.object({
  title: z.string().max(500).optional().describe("A title for the brief."),
  sections: z.array(section).max(200).describe("One section for each question, in order."),
  note: z.string().max(2_000).optional().describe("What a reader has to know about how the brief was made."),
});

/** The call that ends a synthesis. Sections cite findings by id, so that a quotation cannot change on the way. */
export const submitBrief = (): Tool =>
  defineTool({
    name: "submit_brief",
    description: "Hand in the brief: sections that cite findings by their ids.",
    parameters: shape,
    idempotent: true,
    execute: (args) => args,
  });

export function readSubmittedBrief(value: unknown): SubmittedBrief | undefined {
  const read = shape.safeParse(value);
  return read.success ? read.data : undefined;
}
