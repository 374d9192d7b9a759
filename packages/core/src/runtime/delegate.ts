import { z } from "zod";
import type { AgentPoolOptions } from "../values/options.ts";
import { defineTool, type Tool } from "../values/tool.ts";
import { agentPool } from "./agent-pool.ts";
import { parallel } from "./orchestrators.ts";

/** What a pool of delegates may differ in from its caller's. */
export type DelegateOptions = Partial<Omit<AgentPoolOptions, "orchestrate" | "parent" | "run" | "clock">> & {
  /** Default `delegate`. */
  readonly name?: string;
};

/**
 * A tool that hands tasks to agents forked from its caller: they know what it knows, and every guard, grant and deny
 * that holds for it holds for them.
 */
export function delegate({ name = "delegate", key, ...pool }: DelegateOptions = {}): Tool {
  return defineTool({
    name,
    // helpers whose record is there go on by it: what they have done they do not do again
    idempotent: true,
    description: "Hands tasks to helpers who know what you know, and returns what each of them found.",
    parameters: z.object({
      tasks: z.array(z.string().min(1)).min(1).max(16).describe("One task for each helper."),
    }),
    *execute({ tasks }, { id, attempt }) {
      // a key of its own names the helpers of one call: a tool is called more than once
      const own = key === undefined ? {} : { key: `${key}/${id}~${attempt}` };
      const { agents } = yield* agentPool({ ...pool, ...own, orchestrate: parallel(tasks) });
      return agents.map(({ task, exit, result, reason }) => ({ task, exit, result: result ?? null, reason }));
    },
  });
}
