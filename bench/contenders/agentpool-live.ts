import { defineTool, parallel, type Tool, useAgentPool } from "@agentpool/core";
import { type ScriptedTurn, scripted } from "@agentpool/models";
import { scoped } from "effection";
import { z } from "zod";
import type { Open } from "./contender.ts";
import { type Live, type LiveSettings, liveAgents } from "./live.ts";
import { readAll } from "./read-all.ts";
import { system, task } from "./turns.ts";

export interface PoolLiveSettings extends LiveSettings {
  /** Where its agents wait: in a tool that is an operation or an async function, or in a generation. */
  readonly waitIn: "operation" | "async" | "model";
}

const open: Open<PoolLiveSettings> = (settings) => {
  const { agents, waitIn } = settings;
  return liveAgents(settings, (live) =>
    scoped(function* () {
      const turn = (): ScriptedTurn =>
        waitIn === "model" ? { wait: live.wait() } : { calls: [{ tool: "wait", args: { for: "ever" } }] };
      const pool = yield* useAgentPool({
        model: scripted(() => [turn()], { keep: false }),
        system,
        tools: [waitingTool(live, waitIn)],
        orchestrate: parallel(Array.from({ length: agents }, (_, agent) => task(agent))),
        budget: { maxAgents: agents, concurrentTools: agents, concurrentGenerations: agents },
      });
      yield* readAll(pool.events);
    }),
  );
};
export default open;

const waitingTool = (live: Live, waitIn: PoolLiveSettings["waitIn"]): Tool =>
  defineTool({
    name: "wait",
    description: "Waits.",
    parameters: z.object({ for: z.string() }),
    execute: (_, { signal }) => (waitIn === "async" ? live.waitFor(signal) : live.wait()),
  });
