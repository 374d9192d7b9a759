import type { AgentState } from "./agent-state.ts";
import { isTerminal } from "./begin-execution.ts";
import type { Call } from "./call-state.ts";
import { turnOf } from "./recall-agent.ts";

/**
 * Whether a call was read from a record that has something else in place of a secret among its arguments: it is not the
 * call that was made. One that only reports, and does nothing, is taken as it stands.
 */
export function lostSecret({ agent, bound, args }: Pick<Call, "agent" | "bound" | "args">): boolean {
  const hidden = agent.pool.run.recorder?.journal.hidden;
  if (hidden === undefined || !isRead(agent)) return false;
  if (isTerminal({ agent, bound }) && bound.tool.idempotent) return false;
  return JSON.stringify(args.args).includes(JSON.stringify(hidden).slice(1, -1));
}

/** Whether the turn an agent is in was read from a record. */
const isRead = (agent: AgentState): boolean =>
  agent.past !== undefined && (turnOf(agent)?.result ?? agent.past.report) !== undefined;
