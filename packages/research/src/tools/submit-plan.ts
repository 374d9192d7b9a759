import { defineTool, type Tool } from "@agentpool/core";
import { z } from "zod";

export interface Plan {
  readonly questions: readonly string[];
}

/** The call that ends a planning agent. */
export const submitPlan = (most: number): Tool =>
  defineTool({
    name: "submit_plan",
    description:
      "Hand in the plan: the sub-questions, each answerable by itself, in the order to answer them.",
    parameters: z.object({
      questions: z
        .array(z.string().min(1).max(2_000))
        .min(1)
        .max(most)
        .describe("The sub-questions, in order."),
    }),
    idempotent: true,
    execute: ({ questions }) => ({ questions }),
  });
