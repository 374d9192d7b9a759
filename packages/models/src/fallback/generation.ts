import {
  addUsage,
  type Delta,
  type GenerateRequest,
  GenerationError,
  noUsage,
  type Turn,
} from "@agentpool/core";
import type { Operation, Subscription } from "effection";
import { InterruptedError } from "../failure/model-failure.ts";
import type { FallbackSession } from "./session.ts";

/**
 * A turn of whichever model has it. One that fails before anything was handed out is asked of the next model at once;
 * one that fails later is an interruption, so that its reader begins the turn anew.
 */
export class FallbackGeneration implements Subscription<Delta, Turn> {
  readonly #session: FallbackSession;
  readonly #request: GenerateRequest;
  #reading: Subscription<Delta, Turn> | undefined;
  #hasBegun = false;
  /** What models have used that came to nothing: it is part of what the turn costs. */
  #lost = noUsage;
  #turn: Turn | undefined;

  constructor(session: FallbackSession, request: GenerateRequest) {
    this.#session = session;
    this.#request = request;
  }

  *next(): Operation<IteratorResult<Delta, Turn>> {
    if (this.#turn !== undefined) return { done: true, value: this.#turn };
    for (;;) {
      const { result, error } = yield* this.#step();
      if (result === undefined) {
        this.#reading = undefined;
        if (error instanceof GenerationError && error.usage) this.#lost = addUsage(this.#lost, error.usage);
        if (!(yield* this.#session.failed(error))) throw this.#paid(error);
        if (this.#hasBegun) {
          throw this.#paid(
            new InterruptedError("the turn goes to another model, and begins anew", 0, { cause: error }),
          );
        }
      } else {
        this.#hasBegun = true;
        if (!result.done) return result;
        const turn = this.#session.keep(result.value);
        this.#turn = { ...turn, usage: addUsage(this.#lost, turn.usage) };
        return { done: true, value: this.#turn };
      }
    }
  }

  /** A failure costs what all of them cost that were asked. */
  #paid(error: unknown): unknown {
    if (error instanceof GenerationError && this.#lost !== noUsage) error.usage = this.#lost;
    return error;
  }

  *#step(): Operation<{ readonly result?: IteratorResult<Delta, Turn>; readonly error?: unknown }> {
    try {
      this.#reading ??= yield* (yield* this.#session.ready()).generate(this.#request);
      return { result: yield* this.#reading.next() };
    } catch (error) {
      return { error };
    }
  }
}
