import type { Outcome } from "../values/call.ts";
import type { AgentState } from "./agent-state.ts";
import type { Call } from "./call-state.ts";

/** Puts what became of a call on record, and frees the line unless it succeeded. */
export function settleCall(call: Call, outcome: Outcome, since: number): Outcome {
  const { agent, ticket } = call;
  const { run } = agent.pool;
  if (outcome.type === "ok" || outcome.type === "error") {
    if (!isKnown(agent, call.id))
      run.emit({
        type: "call:settled",
        agent: agent.key,
        call: call.id,
        tool: call.tool,
        outcome,
        ms: run.clock.now() - since,
      });
  } else recordBlocked(agent, call, outcome);
  if (ticket && outcome.type === "ok") run.line.succeed(ticket);
  else if (ticket) run.line.leave(ticket);
  return outcome;
}

/** Puts a call that did not run on record. */
export function recordBlocked(
  agent: AgentState,
  { id: call, tool }: { readonly id: string; readonly tool: string },
  outcome: Outcome,
): void {
  const { run } = agent.pool;
  const about = { agent: agent.key, call, tool };
  if (outcome.type === "refused" || outcome.type === "cancelled")
    agent.refusals.push({ tool, guard: outcome.guard, message: outcome.message });
  if (isKnown(agent, call)) return;
  switch (outcome.type) {
    case "refused":
    case "cancelled":
      run.totals.refusals++;
      run.emit({ ...about, type: `call:${outcome.type}`, guard: outcome.guard, message: outcome.message });
      return;
    case "substituted":
      run.emit({ ...about, type: "call:substituted", guard: outcome.guard, value: outcome.value });
      return;
    case "withdrawn":
      run.emit({ ...about, type: "call:withdrawn", message: outcome.message });
      return;
  }
}

/** Whether what became of a call is on record already. */
const isKnown = ({ past }: AgentState, call: string): boolean => past?.calls.get(call)?.outcome !== undefined;
