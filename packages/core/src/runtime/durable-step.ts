import type { Operation } from "effection";
import { reasonOf } from "../decisions/reason.ts";
import { toJson } from "../decisions/result.ts";
import { useClock } from "../effects/clock.ts";
import { Recorder } from "../effects/recorder.ts";
import { ConfigurationError } from "../values/errors.ts";
import type { Json } from "../values/json.ts";
import { type Nest, NestContext } from "./call-execution.ts";
import { JournalContext } from "./nest.ts";

/** What a {@link step} gets. */
export interface StepContext {
  /** Stable between runs: use it as an idempotency key. */
  readonly id: string;
}

/**
 * A harness's own side effect, done once in a run: its result is put on record, and a run that is taken up has it from
 * there. For a file that is written, a message that is sent, a random choice that must stay the same.
 *
 * ```ts
 * const ticket = yield* step("open ticket", ({ id }) => openTicket(question, { idempotencyKey: id }));
 * ```
 *
 * `key` names it within the call or the pool it is done in, else within the run. The result must be JSON, and is what
 * JSON makes of it. What throws is not on record and is done again, and so is a step in whose middle the process ended:
 * give `id` to whom it is done with. Without a journal it is simply done.
 */
export function* step<T extends Json | undefined>(
  key: string,
  operation: (context: StepContext) => Operation<T>,
): Operation<T> {
  const nest = yield* NestContext.get();
  const recorder = nest ? nest.pool.run.recorder : yield* ofJob();
  const id = placeOf(nest) + key;
  if (!recorder) return yield* operation({ id });
  const run = nest?.pool.run.id ?? recorder.journal.recorded[0]?.run ?? "";
  const clock = yield* useClock();
  recorder.begin("step", id, { run, at: clock.now() });
  if (recorder.recorded.effects.has(id)) return recorder.recorded.effects.get(id) as T;
  const value = json(id, yield* operation({ id }));
  recorder.add({ type: "record:effect", key: id, value, run, at: clock.now() });
  yield* recorder.settle();
  return value as T;
}

function* ofJob(): Operation<Recorder | undefined> {
  const journal = yield* JournalContext.get();
  return journal && Recorder.of(journal);
}

/** Attempts of a call share their steps: what one has done the next does not do again. */
const placeOf = (nest: Nest | undefined): string =>
  nest === undefined ? "" : `${nest.execution?.call.id ?? nest.pool.key}/`;

function json(id: string, value: unknown): Json {
  try {
    return toJson(value);
  } catch (error) {
    throw new ConfigurationError(
      `step "${id}": its result is put on record and has to be JSON: ${reasonOf(error)}.`,
    );
  }
}
