import type { Operation } from "effection";
import { stateOf } from "./agent-state.ts";
import { useCurrentAgent } from "./current-agent.ts";

/** A conversation goes on with another model. */
export interface Fallback {
  readonly from: string;
  readonly to: string;
  /** What went wrong, in words. */
  readonly reason: string;
}

/**
 * For models that are a list of models: tells the run that a conversation moved, as a `model:fallback` event of the
 * agent this runs for, so that it goes on there once the run is taken up. Where it runs for no agent nobody is told.
 */
export function* noteFallback({ from, to, reason }: Fallback): Operation<void> {
  const view = yield* useCurrentAgent();
  const agent = view && stateOf(view);
  if (!agent) return;
  const { run } = agent.pool;
  run.emit({ type: "model:fallback", agent: agent.key, from, to, reason });
  // whoever takes the run up has to see it
  run.recorder?.flush();
}
