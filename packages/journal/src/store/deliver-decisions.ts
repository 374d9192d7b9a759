import { type ApprovalDesk, type Clock, sleepOn } from "@agentpool/core";
import { createQueue, type Operation, race, resource, spawn, until } from "effection";
import type { Engine } from "../engine/engine.ts";
import { decisionsOn } from "./decide.ts";

/** Milliseconds after which a decision is found of which nobody told us. */
const LOOK_AGAIN = 5_000;

/** Tells a run's desk what people decided, in whatever process they did it. */
export interface Deliveries {
  /** Looks at once: for a call that parks, and may have been decided on before. */
  look(): void;
}

/**
 * Brings decisions from the store to the desk where calls wait, while the scope lives. It looks when somebody wrote,
 * when it is told to, and now and then on the run's clock; and only while a call waits.
 */
export const useDeliveries = (
  engine: Engine,
  { run, desk, clock }: { readonly run: string; readonly desk: ApprovalDesk; readonly clock: Clock },
): Operation<Deliveries> =>
  resource(function* (provide) {
    const calls = createQueue<void, never>();
    let called = false;
    const look = () => {
      if (called || desk.list().length === 0) return;
      called = true;
      calls.add();
    };
    yield* spawn(function* () {
      for (;;) {
        yield* desk.list().length > 0 ? race([calls.next(), sleepOn(clock, LOOK_AGAIN)]) : calls.next();
        called = false;
        yield* deliver(engine, run, desk);
      }
    });
    const stop = engine.watch(look);
    try {
      yield* provide({ look });
    } finally {
      stop();
    }
  });

function* deliver(engine: Engine, run: string, desk: ApprovalDesk): Operation<void> {
  const decisions = yield* until(decisionsOn(engine, run));
  const open = new Set(desk.list().map(({ id }) => id));
  for (const { id, decision } of decisions) if (open.has(id)) desk.answer(id, decision);
}
