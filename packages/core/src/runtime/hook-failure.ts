import { errorType } from "../decisions/parse.ts";
import type { Asked } from "./call-state.ts";

/** Where a hook failed. */
export interface HookPlace {
  readonly agent: Pick<Asked["agent"], "key" | "pool">;
  readonly call?: string;
  readonly hook: string;
  readonly moment: string;
  readonly since: number;
}

/** Puts a hook's failure on record: the kind of its error, never the message, which may hold secrets. */
export function hookFailed(place: HookPlace, error: unknown, verdict: "refused" | "skipped"): void {
  const { run } = place.agent.pool;
  run.emit({
    type: "hook:error",
    agent: place.agent.key,
    call: place.call,
    hook: place.hook,
    moment: place.moment,
    error: errorType(error),
    verdict,
    ms: run.clock.now() - place.since,
  });
}
