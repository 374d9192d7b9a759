import { words } from "../decisions/words.ts";
import type { Outcome } from "../values/call.ts";
import type { AgentState } from "./agent-state.ts";
import type { Step } from "./step.ts";

/**
 * Reserves what the calls of a step will use of their agent's limits, before any of them runs: of a limit no call is
 * let past, whatever runs side by side. A call that does not come to execute gives its part back.
 */
export function reserveStep(agent: AgentState, step: Step): void {
  const { maxToolCalls } = agent.options;
  const { maxCallsPerTool } = agent.pool.budget;
  for (const at of step.open()) {
    const { name } = at.call.bound;
    const past = at.call.past;
    if (past?.made || (past?.dispatched && !past.outcome)) {
      agent.reserve(name);
      continue;
    }
    if (past?.outcome) {
      // it did not come to execute: it gave its part back, or had none
      if (isOutOfCalls(past.outcome) && agent.reserved >= maxToolCalls) agent.limit ??= "max_calls";
      continue;
    }
    const most = Object.hasOwn(maxCallsPerTool, name) ? maxCallsPerTool[name]! : Number.POSITIVE_INFINITY;
    if (agent.reserved >= maxToolCalls) {
      agent.limit ??= "max_calls";
      step.block(at, { type: "refused", guard: "limit", message: words.callLimit(maxToolCalls) });
    } else if (agent.reservedOf(name) >= most) {
      step.block(at, { type: "refused", guard: "limit", message: words.toolLimit(name, most) });
    } else agent.reserve(name);
  }
}

const isOutOfCalls = (outcome: Outcome): boolean => outcome.type === "refused" && outcome.guard === "limit";
