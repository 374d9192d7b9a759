import { compare } from "./compare.ts";
import { aiSdk, bare, langGraph, openAiAgents, peers } from "./peers.ts";
import type { Row } from "./row.ts";
import { turnConditions } from "./turn-conditions.ts";

const ours = "a pool, the tool an async function";
const unlimited = "a pool without a limit on tools that run at once";

export const turnAsync: Row = {
  number: 1,
  title: "a turn with a tool call, the tool an async function",
  conditions: turnConditions,
  entries: (scale) => [
    { name: ours, contender: "agentpool-turns", settings: { ...scale.turns, tool: "async" } },
    {
      name: unlimited,
      contender: "agentpool-turns",
      settings: { ...scale.turns, tool: "async", concurrentTools: scale.turns.agents },
    },
    ...peers(scale),
  ],
  findings: (measured) => [
    compare(measured, { of: ours, beside: aiSdk, unit: "turn", target: 0.25 }),
    compare(measured, { of: ours, beside: langGraph, unit: "turn", target: 0.06 }),
    compare(measured, { of: ours, beside: bare, unit: "turn", target: 0.8 }),
    compare(measured, { of: ours, beside: openAiAgents, unit: "turn" }),
    compare(measured, { of: unlimited, beside: bare, unit: "turn", label: `${bare}, all tools at once` }),
  ],
};
