import { compare } from "./compare.ts";
import { aiSdk, bare, langGraph, openAiAgents, peers } from "./peers.ts";
import type { Row } from "./row.ts";
import { turnConditions } from "./turn-conditions.ts";

const ours = "a pool, the tool an operation";

export const turnOperation: Row = {
  number: 2,
  title: "a turn with a tool call, the tool an operation",
  conditions: turnConditions,
  entries: (scale) => [
    { name: ours, contender: "agentpool-turns", settings: { ...scale.turns, tool: "operation" } },
    ...peers(scale),
  ],
  findings: (measured) => [
    compare(measured, { of: ours, beside: aiSdk, unit: "turn", target: 0.4 }),
    compare(measured, { of: ours, beside: bare, unit: "turn", target: 1.4 }),
    compare(measured, { of: ours, beside: langGraph, unit: "turn" }),
    compare(measured, { of: ours, beside: openAiAgents, unit: "turn" }),
  ],
};
