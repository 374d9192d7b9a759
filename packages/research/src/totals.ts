import { addUsage, noUsage, type Totals } from "@agentpool/core";

export const noTotals: Totals = {
  agents: 0,
  turns: 0,
  toolCalls: 0,
  attended: 0,
  refusals: 0,
  parks: 0,
  usage: noUsage,
};

export const addTotals = (left: Totals, right: Totals): Totals => ({
  agents: left.agents + right.agents,
  turns: left.turns + right.turns,
  toolCalls: left.toolCalls + right.toolCalls,
  attended: left.attended + right.attended,
  refusals: left.refusals + right.refusals,
  parks: left.parks + right.parks,
  usage: addUsage(left.usage, right.usage),
});
