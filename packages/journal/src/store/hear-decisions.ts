import { type ApprovalDecision, type Clock, sleepOn } from "@agentpool/core";
import { type Operation, race, until } from "effection";
import type { Engine } from "../engine/engine.ts";
import type { Bell } from "./bell.ts";
import { decisionsOn } from "./decide.ts";

/** Milliseconds after which a decision is found of which nobody told us. */
const LOOK_AGAIN = 5_000;

const NONE: Awaited<ReturnType<typeof decisionsOn>> = [];

export interface Hearing {
  readonly engine: Pick<Engine, "all" | "watch">;
  readonly run: string;
  readonly clock: Clock;
  /** Rung when there is a reason to look. */
  readonly bell: Bell;
  /** Whether a call waits for a person: then it looks now and then even if nobody rings. */
  asks(): boolean;
}

/** Gives each decision about a run's calls once, in whatever process it was made. Goes on until it is halted. */
export function* hearDecisions(
  { engine, run, clock, bell, asks }: Hearing,
  decide: (approval: string, decision: ApprovalDecision) => void,
): Operation<void> {
  const given = new Set<string>();
  function* look(): Operation<void> {
    // a store that cannot be read right now is looked at again: reading is nothing that a run depends on
    for (const { id, decision } of yield* until(decisionsOn(engine, run).catch(() => NONE))) {
      if (given.has(id)) continue;
      given.add(id);
      decide(id, decision);
    }
  }
  const rung = bell.listen();
  yield* look();
  for (;;) {
    while (!asks()) yield* rung;
    // watched from before it looks: what is written in between is not missed
    const stop = engine.watch(() => bell.ring());
    try {
      for (yield* look(); asks(); yield* look()) yield* race([rung, sleepOn(clock, LOOK_AGAIN)]);
    } finally {
      stop();
    }
  }
}
