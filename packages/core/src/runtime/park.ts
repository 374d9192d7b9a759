import type { Operation } from "effection";
import { isClosing } from "../decisions/life.ts";
import type { Woken } from "../effects/parking.ts";
import type { ParkReason } from "../values/event.ts";
import type { AgentState } from "./agent-state.ts";
import { noteWaiting } from "./all-wait.ts";
import type { Call } from "./call-state.ts";

export interface Park<T> {
  readonly reason: ParkReason;
  /** When it ends by itself, where that is known. */
  readonly until?: number;
  /** Waits; returns how to leave. */
  enter(wake: (value: T) => void): () => void;
}

/** Parks a call: no turn, no token, no context, no permit. */
export function* parkCall<T>(call: Call, { reason, until, enter }: Park<T>): Operation<Woken<T>> {
  const { agent } = call;
  const { run } = agent.pool;
  const about = { agent: agent.key, call: call.id, tool: call.tool, reason };
  let parked = false;
  try {
    return yield* run.parking.park<T>(agent.life, (wake) => {
      const leave = enter(wake);
      // announced once it can be woken: an observer may do it at once
      parked = true;
      agent.parked++;
      if (reason === "retry") agent.timed++;
      if (!isTheSame(call, reason)) {
        agent.parks++;
        run.totals.parks++;
        run.emit({ ...about, type: "call:parked", until });
        // others may have to see it, as those who decide; and that an attempt is over is what its next one goes by
        run.recorder?.flush();
      }
      if (agent.parked === agent.calling) setPhase(agent, "parked", reason, until);
      return leave;
    });
  } finally {
    if (parked) agent.parked--;
    if (parked && reason === "retry") agent.timed--;
    if (parked && !isClosing(agent.life)) {
      run.emit({ ...about, type: "call:resumed" });
      setPhase(agent, "calling");
    }
  }
}

/** Whether a call waits for what it waited for when its record ended: it is the same park. */
function isTheSame({ past }: Call, reason: ParkReason): boolean {
  if (!past || past.parked === undefined) return false;
  const before = past.parked;
  past.parked = undefined;
  return before === reason;
}

/** One of an agent's calls is over: whether the agent is parked depends on the others. */
export function settleState(agent: AgentState): void {
  if (agent.calling > 0 && agent.parked === agent.calling && !isClosing(agent.life))
    setPhase(agent, "parked");
}

/** Parks a whole agent, between turns. */
export function* parkAgent<T>(agent: AgentState, { reason, until, enter }: Park<T>): Operation<Woken<T>> {
  agent.parks++;
  agent.pool.run.totals.parks++;
  setPhase(agent, "parked", reason, until);
  agent.pool.run.recorder?.flush();
  try {
    return yield* agent.pool.run.parking.park(agent.life, enter);
  } finally {
    if (!isClosing(agent.life)) setPhase(agent, "ready");
  }
}

/** Moves an agent to another state and says so; nothing happens where it is there already, or over. */
export function setPhase(
  agent: AgentState,
  phase: AgentState["phase"],
  reason?: ParkReason,
  until?: number,
): void {
  if (agent.phase === phase || agent.phase === "done") return;
  agent.phase = phase;
  agent.pool.run.emit({ type: "agent:state", agent: agent.key, state: phase, reason, until });
  if (phase === "parked") noteWaiting(agent.pool.run);
}
