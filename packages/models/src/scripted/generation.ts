import {
  type Delta,
  type GenerateRequest,
  ModelLimitError,
  type ProposedCall,
  type Turn,
  useClock,
} from "@agentpool/core";
import { action, type Effect, type Operation, type Subscription } from "effection";
import { Done } from "../done.ts";
import type { ScriptedTurn } from "./script.ts";
import type { Picked, ScriptedSession } from "./session.ts";

/** One turn as it is read. It is its own next step: evaluating it gives the next delta, in the end the turn. */
export class Generation implements Subscription<Delta, Turn>, Operation<IteratorResult<Delta, Turn>> {
  readonly #session: ScriptedSession;
  readonly #request: GenerateRequest;
  #picked: Picked | undefined;
  #calls = noCalls;
  #deltas: readonly Delta[] = [];
  #read = 0;
  #turn: Turn | undefined;

  constructor(session: ScriptedSession, request: GenerateRequest) {
    this.#session = session;
    this.#request = request;
  }

  next(): Operation<IteratorResult<Delta, Turn>> {
    return this;
  }

  [Symbol.iterator](): Iterator<Effect<unknown>, IteratorResult<Delta, Turn>, unknown> {
    if (this.#picked !== undefined) return new Done(this.#step(this.#picked));
    const picked = this.#session.pick(this.#request);
    return picked !== undefined && isImmediate(picked.turn)
      ? new Done(this.#start(picked))
      : this.#wait(picked)[Symbol.iterator]();
  }

  /** As the script says, it waits, and then it may fail. */
  *#wait(known: Picked | undefined): Operation<IteratorResult<Delta, Turn>> {
    const session = this.#session;
    if (known === undefined) yield* session.begin();
    const picked = known ?? session.pick(this.#request)!;
    const { wait, error } = picked.turn;
    try {
      if (wait !== undefined) yield* typeof wait === "number" ? sleepOnClock(wait) : wait;
      if (error !== undefined) throw errorOf(error);
    } catch (failure) {
      session.skip(picked);
      throw failure;
    }
    return this.#start(picked);
  }

  #start(picked: Picked): IteratorResult<Delta, Turn> {
    const { reasoning, text, calls } = picked.turn;
    const deltas: Delta[] = [];
    if (reasoning) deltas.push({ type: "reasoning", text: reasoning });
    if (text) deltas.push({ type: "text", text });
    if (calls !== undefined && calls.length > 0) {
      const proposed: ProposedCall[] = [];
      for (const { id = this.#session.nextId(), tool, args = {} } of calls) {
        deltas.push({ type: "call", id, tool });
        proposed.push({ id, tool, input: typeof args === "string" ? args : JSON.stringify(args) });
      }
      this.#calls = proposed;
    }
    this.#deltas = deltas;
    this.#picked = picked;
    return this.#step(picked);
  }

  #step(picked: Picked): IteratorResult<Delta, Turn> {
    if (this.#read < this.#deltas.length) return { done: false, value: this.#deltas[this.#read++]! };
    this.#turn ??= this.#session.complete(picked, this.#calls);
    return { done: true, value: this.#turn };
  }
}

const noCalls: readonly ProposedCall[] = [];

const isImmediate = ({ wait, error }: ScriptedTurn): boolean => wait === undefined && error === undefined;

function errorOf(error: NonNullable<ScriptedTurn["error"]>): Error {
  if (error instanceof Error) return error;
  const { limited } = error;
  return new ModelLimitError("rate limited, as scripted", limited === "unknown" ? undefined : limited);
}

function* sleepOnClock(ms: number): Operation<void> {
  const clock = yield* useClock();
  yield* action<void>((resolve) => clock.at(clock.now() + ms, resolve));
}
