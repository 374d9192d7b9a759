import {
  type Delta,
  type GenerateRequest,
  type Mark,
  type Prefix,
  type Prompt,
  type Session,
  type Turn,
  useClock,
} from "@agentpool/core";
import { type Operation, resource, type Stream, useScope } from "effection";
import { Conversation } from "../conversation.ts";
import { Done } from "../done.ts";
import { messageOfTurn } from "../turn-message.ts";
import type { Chain } from "./chain.ts";
import { type Footing, Marks, toldFromStart } from "./footing.ts";
import { FallbackGeneration } from "./generation.ts";
import { OwnMessages } from "./own-messages.ts";
import { type Origin, Standing } from "./standing.ts";
import { verdictOn } from "./verdict.ts";

/** Opens a conversation with the first model that can be opened. */
export const openSession = (chain: Chain, prefix: Prefix): Operation<Session> =>
  resource(function* (provide) {
    const conversation = Conversation.open(prefix);
    const marks = new Marks();
    const own = new OwnMessages();
    const start = conversation.mark();
    const clock = yield* useClock();
    let index = chain.trouble(0, clock) === undefined ? 0 : (chain.after(0, clock) ?? 0);
    let footing: Footing | undefined;
    while (footing === undefined) {
      try {
        footing = yield* toldFromStart(chain, index, prefix, { start, end: start, marks, own });
      } catch (error) {
        const next = chain.after(index, clock);
        if (next === undefined) throw error;
        const reason = reasonOf(error);
        chain.putOut(index, clock, Number.POSITIVE_INFINITY, reason);
        yield* chain.say(index, next, reason);
        index = next;
      }
    }
    const origin = { chain, start, marks, own };
    const standing = new Standing(origin, conversation, yield* useScope(), footing);
    try {
      yield* provide(new FallbackSession(origin, conversation, standing));
    } finally {
      standing.close();
    }
  });

export class FallbackSession implements Session {
  readonly #origin: Origin;
  readonly #conversation: Conversation;
  readonly #standing: Standing;
  /** Failures in a row. */
  #failures = 0;
  /** The model that it had last, in an earlier process: where it goes on, once somebody has to say something. */
  #before: number | undefined;

  constructor(origin: Origin, conversation: Conversation, standing: Standing) {
    this.#origin = origin;
    this.#conversation = conversation;
    this.#standing = standing;
  }

  get tokens(): number {
    return this.#standing.session.tokens;
  }

  *append(messages: Prompt): Operation<void> {
    const { index, session } = this.#standing;
    const generatedBy = this.#before ?? index;
    const plain = this.#origin.own.plain(messages, generatedBy);
    yield* session.append(generatedBy === index ? messages : plain);
    this.#conversation.append(plain);
  }

  fork(): Operation<Session> {
    const source = this;
    return resource(function* (provide) {
      source.mark();
      const footing = { ...source.#standing.footing };
      const conversation = source.#conversation.fork();
      const held = { ...footing, session: yield* footing.session.fork() };
      const scope = yield* useScope();
      const standing = new Standing(source.#origin, conversation, scope, held, source.#standing);
      const fork = new FallbackSession(source.#origin, conversation, standing);
      fork.#before = source.#before;
      try {
        yield* provide(fork);
      } finally {
        standing.close();
      }
    });
  }

  *rest(): Operation<void> {
    yield* this.#standing.session.rest?.() ?? new Done(undefined);
  }

  mark(): Mark {
    const place = this.#conversation.mark();
    this.#origin.marks.note(place, this.#standing.footing);
    return place;
  }

  *rewind(to: Mark): Operation<void> {
    this.#conversation.rewind(to);
    const known = this.#origin.marks.of(to, this.#standing.footing);
    if (known === undefined) yield* this.#standing.moveTo(this.#standing.index);
    else yield* this.#standing.session.rewind(known);
  }

  goOnWith(model: string): void {
    const index = this.#origin.chain.models.findIndex(({ id }) => id === model);
    if (index >= 0) this.#before = index;
  }

  generate(request: GenerateRequest): Stream<Delta, Turn> {
    return { [Symbol.iterator]: () => new Done(new FallbackGeneration(this, request)) };
  }

  /** The session of the model that is next asked: another one's, where its own is known to be out. */
  *ready(): Operation<Session> {
    const { chain } = this.#origin;
    const clock = yield* useClock();
    yield* this.#goBackTo(this.#before);
    const { index } = this.#standing;
    const trouble = chain.trouble(index, clock);
    const next = chain.after(index, clock);
    if (trouble !== undefined && next !== undefined && chain.trouble(next, clock) === undefined) {
      yield* this.#moveOn(new Error(trouble));
    }
    return this.#standing.session;
  }

  /** Keeps a turn that was read to its end; the model's own session has it already. Says whose it is. */
  keep(turn: Turn): Turn {
    this.#failures = 0;
    const { index } = this.#standing;
    const { chain, own } = this.#origin;
    const message = messageOfTurn(turn);
    if (message !== undefined) this.#conversation.append([message]);
    if (message !== undefined && turn.kept !== undefined) own.note(message, index, turn.kept);
    return { ...turn, model: chain.models[index]!.id };
  }

  /** Moves to the next model, where the failure of this one asks for it and there is one. Says whether it did. */
  *failed(error: unknown): Operation<boolean> {
    const { chain } = this.#origin;
    const { index } = this.#standing;
    const verdict = verdictOn(error, this.#failures, chain.patience);
    if (verdict.type === "stay") {
      if (verdict.counts) this.#failures++;
      return false;
    }
    const clock = yield* useClock();
    chain.putOut(index, clock, verdict.outForMs, reasonOf(error));
    if (chain.after(index, clock) === undefined) return false;
    yield* this.#moveOn(error);
    return true;
  }

  /** Goes on where it was before it was taken up, unless it came further; where that cannot be, with what comes next. */
  *#goBackTo(before: number | undefined): Operation<void> {
    this.#before = undefined;
    if (before === undefined || before <= this.#standing.index) return;
    const { chain } = this.#origin;
    const clock = yield* useClock();
    const trouble = chain.trouble(before, clock);
    if (trouble !== undefined && chain.after(before, clock) !== undefined)
      return yield* this.#moveOn(new Error(trouble), before);
    try {
      yield* this.#standing.moveTo(before);
    } catch (failure) {
      chain.putOut(before, clock, Number.POSITIVE_INFINITY, reasonOf(failure));
      yield* this.#moveOn(failure, before);
    }
  }

  /** Moves to the first of the models after one that can be opened. */
  *#moveOn(why: unknown, from = this.#standing.index): Operation<void> {
    const { chain } = this.#origin;
    const clock = yield* useClock();
    let index = from;
    let error = why;
    for (;;) {
      const next = chain.after(index, clock);
      if (next === undefined) throw error;
      yield* chain.say(index, next, reasonOf(error));
      index = next;
      try {
        yield* this.#standing.moveTo(index);
        this.#failures = 0;
        return;
      } catch (failure) {
        chain.putOut(index, clock, Number.POSITIVE_INFINITY, reasonOf(failure));
        error = failure;
      }
    }
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
