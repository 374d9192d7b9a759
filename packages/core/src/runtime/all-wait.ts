import type { AgentState } from "./agent-state.ts";
import type { Run } from "./run.ts";

/**
 * Says so where every agent of a run waits for people or clients, and nothing else is going on: whoever runs it may
 * leave, and take it up once somebody has decided.
 */
export function noteWaiting(run: Run): void {
  if (run.tools.held > 0 || run.generations.held > 0) return;
  const approvals = run.approvals.list().map(({ id }) => id);
  const calls = run.clients.list().map(({ id }) => id);
  if (approvals.length + calls.length === 0) return;
  const nesting = nestingCalls(run.live);
  for (const agent of run.live) if (!waits(agent, nesting.get(agent)?.size ?? 0)) return;
  run.emit({ type: "pool:waiting", pool: run.key, approvals, calls });
}

/** Whether all calls of an agent's step are parked, none of them for some time, or have a pool open that waits itself. */
const waits = ({ calling, parked, timed }: AgentState, nesting: number): boolean =>
  calling > 0 && timed === 0 && calling === parked + nesting;

/** The calls of each agent that others work for. */
function nestingCalls(live: Iterable<AgentState>): Map<AgentState, Set<string>> {
  const calls = new Map<AgentState, Set<string>>();
  for (const { pool } of live) {
    if (!pool.caller || pool.call === undefined) continue;
    const known = calls.get(pool.caller);
    if (known) known.add(pool.call);
    else calls.set(pool.caller, new Set([pool.call]));
  }
  return calls;
}
