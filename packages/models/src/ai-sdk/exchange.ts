import { type Clock, ModelLimitError, useClock } from "@agentpool/core";
import { APICallError } from "@ai-sdk/provider";
import { action, type Operation, until } from "effection";
import { failureOf } from "../failure/failure-of.ts";
import { failureKind, InterruptedError } from "../failure/model-failure.ts";
import { type Ended, type Limiter, longWait, type Place } from "../limiter/limiter.ts";
import type { Part } from "./assembly.ts";
import type { CallOptions } from "./language-model.ts";
import type { AiSdkRuntime } from "./runtime.ts";

/**
 * One request and its answer, part by part. It waits for its place at the provider, gives up on one that is silent for
 * too long, and gives the place back however it ends.
 *
 * No scope and no task is made for it: whoever reads it releases it, unless it was read to its end.
 */
export class Exchange {
  readonly #runtime: AiSdkRuntime;
  readonly #call: (signal: AbortSignal) => CallOptions;
  readonly #controller = new AbortController();
  readonly #place: Place = { held: false, era: 0 };
  #clock: Clock | undefined;
  #limiter: Limiter | undefined;
  #reader: ReadableStreamDefaultReader<unknown> | undefined;
  #isOver = false;

  constructor(runtime: AiSdkRuntime, call: (signal: AbortSignal) => CallOptions) {
    this.#runtime = runtime;
    this.#call = call;
  }

  /** The next part; undefined at the end of the stream. Throws what its failure means to a pool. */
  *read(): Operation<Part | undefined> {
    try {
      this.#reader ??= yield* this.#open();
      const { done, value } = yield* this.#promptly(this.#reader.read());
      if (done) return undefined;
      const part: Part = typeof value === "object" && value !== null ? value : {};
      if (part.type === "error") throw part.error;
      return part;
    } catch (error) {
      throw this.fail(error);
    }
  }

  /** It was read to its end, and is a turn. */
  complete(): void {
    this.#end({ type: "answered" });
  }

  /** It is no turn after all: what that means to a pool. */
  fail(cause: unknown): Error {
    const failure = failureOf(cause, this.#runtime.id);
    const status = APICallError.isInstance(cause) ? cause.statusCode : undefined;
    if (status !== undefined && this.#limiter !== undefined) this.#limiter.answered = true;
    this.#end(endedBy(failure, status));
    return this.#kinder(failure);
  }

  /** Lets go of the request and the stream. What they still bring is dropped. */
  release(): void {
    this.#end({ type: "abandoned" });
  }

  #end(ended: Ended): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (ended.type !== "answered") {
      this.#controller.abort(new Error("the generation was abandoned"));
      this.#reader?.cancel().catch(ignore);
    }
    this.#limiter?.leave(this.#place, this.#clock, ended);
  }

  *#open(): Operation<ReadableStreamDefaultReader<unknown>> {
    this.#clock = yield* useClock();
    this.#limiter = this.#runtime.limiterOn(this.#clock);
    yield* this.#limiter.enter(this.#place, this.#clock);
    const { model } = this.#runtime;
    const opening = Promise.resolve().then(() => model.doStream(this.#call(this.#controller.signal)));
    let stream: ReadableStream<unknown> | undefined;
    try {
      ({ stream } = yield* this.#promptly(opening));
    } finally {
      // A model that does not heed the signal may still answer.
      if (stream === undefined) opening.then((late) => late.stream.cancel(), ignore).catch(ignore);
    }
    this.#limiter.answered = true;
    return stream.getReader();
  }

  /** Waits for a promise, as long as the provider may be silent. */
  #promptly<T>(promise: Promise<T>): Operation<T> {
    const { timeoutMs, id } = this.#runtime;
    const clock = this.#clock;
    if (clock === undefined || timeoutMs === Number.POSITIVE_INFINITY) return until(promise);
    return action<T>((resolve, reject) => {
      const disarm = clock.at(clock.now() + timeoutMs, () =>
        reject(new InterruptedError(`${id}: nothing came for ${timeoutMs} ms; the request was given up`)),
      );
      promise.then(resolve, reject);
      return disarm;
    });
  }

  /** A provider that has answered before is worth waiting for; and who would wait long anyway is told so. */
  #kinder(failure: Error): Error {
    if (this.#limiter === undefined || this.#clock === undefined) return failure;
    if (failureKind(failure) === "unreachable" && this.#limiter.answered) {
      return new InterruptedError(failure.message, undefined, { cause: failure.cause }, "unreachable");
    }
    if (!(failure instanceof ModelLimitError) || failure instanceof InterruptedError) return failure;
    const wait = this.#limiter.heldBackFor(this.#clock);
    if (wait <= Math.max(longWait, failure.retryAfterMs ?? 0)) return failure;
    const { message, reason, cause } = failure;
    return new ModelLimitError(message, wait, { reason, cause });
  }
}

/** A server in trouble is asked less often, as one that says so. */
function endedBy(failure: Error, status = 0): Ended {
  const kind = failureKind(failure);
  return failure instanceof ModelLimitError && (kind === "limited" || status >= 500)
    ? { type: "limited", retryAfterMs: failure.retryAfterMs, reason: failure.reason }
    : { type: "failed" };
}

const ignore = (): void => {};
