import { z } from "zod";
import { count, key, milliseconds, share } from "./keys.ts";

/** Two limits of which the soft one comes first. */
const inOrder = <S extends z.ZodType<{ soft?: number | undefined; hard?: number | undefined }>>(
  schema: S,
  takes: string,
): S =>
  // a hard limit that is none is told by itself
  schema.refine(({ soft = 0, hard = Number.POSITIVE_INFINITY }) => soft <= hard || !(hard > 0), {
    path: ["soft"],
    params: { takes },
  });

export const budget = key(
  z.strictObject({
    maxTurns: count(1, "Generations per agent; the forced report is one beyond.").optional(),
    maxToolCalls: count(1, "Calls that execute, per agent.").optional(),
    maxCallsPerTool: key(
      z.record(z.string(), z.int().min(0)),
      "a map of tool names to whole numbers",
      "Calls that execute, per agent and tool.",
    ).optional(),
    maxToolRetries: count(0, "Parked retries per call.").optional(),
    runRetries: count(0, "Parked retries per run.").optional(),
    concurrentTools: count(1, "Tools executing at once in the run.").optional(),
    concurrentGenerations: count(1, "Generations at once in the run.").optional(),
    maxTokens: count(1, "Tokens the run may use.").optional(),
    maxCost: key(z.number().gt(0), "US dollars, above 0", "What the run may cost.").optional(),
    wallClock: key(
      inOrder(
        z.strictObject({
          soft: milliseconds("When the run winds down.").optional(),
          hard: milliseconds("When the run ends.").optional(),
        }),
        "milliseconds up to hard",
      ),
      "a map of soft and hard, in milliseconds",
      "How long the run may take.",
    ).optional(),
    context: key(
      inOrder(
        z.strictObject({
          soft: share("From where results wait and agents are told to report.").optional(),
          hard: share("What an agent may fill before it has to report.").optional(),
        }),
        "a share up to hard",
      ),
      "a map of soft and hard",
      "Shares of the model's window.",
    ).optional(),
    maxAgents: count(1, "Agents in the run.").optional(),
    maxDepth: count(0, "Pools nested in pools.").optional(),
  }),
  "a map of limits, such as { maxTurns: 10 }",
  "Limits of agents and of the run.",
);
