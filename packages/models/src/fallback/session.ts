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
import {
  type Operation,
  resource,
  type Scope,
  type Stream,
  suspend,
  useScope,
  withResolvers,
} from "effection";
import { Conversation } from "../conversation.ts";
import { Done } from "../done.ts";
import { messageOfTurn } from "../turn-message.ts";
import type { Chain } from "./chain.ts";
import { type Footing, Marks, toldFromFork, toldFromStart } from "./footing.ts";
import { FallbackGeneration } from "./generation.ts";
import { OwnMessages } from "./own-messages.ts";
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
    const session = new FallbackSession(origin, conversation, yield* useScope(), footing, undefined);
    try {
      yield* provide(session);
    } finally {
      session.close();
    }
  });

/** What a conversation shares with its forks. */
interface Origin {
  readonly chain: Chain;
  readonly marks: Marks;
  readonly own: OwnMessages;
  /** The place of the prefix alone. */
  readonly start: Mark;
}

export class FallbackSession implements Session {
  readonly #origin: Origin;
  readonly #conversation: Conversation;
  /** Where the sessions it moves to belong. */
  readonly #scope: Scope;
  readonly #source: FallbackSession | undefined;
  #footing: Footing;
  /** Sessions of other models that hold what this one held, for its forks to fork from when they move. */
  readonly #twins = new Map<number, Operation<Base>>();
  /** Failures in a row. */
  #failures = 0;
  /** The model that it had last, in an earlier process: where it goes on, once somebody has to say something. */
  #before: number | undefined;
  #isClosed = false;

  constructor(
    origin: Origin,
    conversation: Conversation,
    scope: Scope,
    footing: Footing,
    source: FallbackSession | undefined,
  ) {
    this.#origin = origin;
    this.#conversation = conversation;
    this.#scope = scope;
    this.#footing = footing;
    this.#source = source;
  }

  get tokens(): number {
    return this.#footing.session.tokens;
  }

  *append(messages: Prompt): Operation<void> {
    const { index, session } = this.#footing;
    const generatedBy = this.#before ?? index;
    const plain = this.#origin.own.plain(messages, generatedBy);
    yield* session.append(generatedBy === index ? messages : plain);
    this.#conversation.append(plain);
  }

  fork(): Operation<Session> {
    const source = this;
    return resource(function* (provide) {
      source.mark();
      const footing = { ...source.#footing };
      const conversation = source.#conversation.fork();
      const held = { ...footing, session: yield* footing.session.fork() };
      const fork = new FallbackSession(source.#origin, conversation, yield* useScope(), held, source);
      fork.#before = source.#before;
      try {
        yield* provide(fork);
      } finally {
        fork.close();
      }
    });
  }

  *rest(): Operation<void> {
    yield* this.#footing.session.rest?.() ?? new Done(undefined);
  }

  mark(): Mark {
    const place = this.#conversation.mark();
    this.#origin.marks.note(place, this.#footing);
    return place;
  }

  *rewind(to: Mark): Operation<void> {
    this.#conversation.rewind(to);
    const known = this.#origin.marks.of(to, this.#footing);
    if (known === undefined) yield* this.#stand(this.#footing.index);
    else yield* this.#footing.session.rewind(known);
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
    const { index } = this.#footing;
    const trouble = chain.trouble(index, clock);
    const next = chain.after(index, clock);
    if (trouble !== undefined && next !== undefined && chain.trouble(next, clock) === undefined) {
      yield* this.#moveOn(new Error(trouble));
    }
    return this.#footing.session;
  }

  /** Keeps a turn that was read to its end; the model's own session has it already. Says whose it is. */
  keep(turn: Turn): Turn {
    this.#failures = 0;
    const { index } = this.#footing;
    const { chain, own } = this.#origin;
    const message = messageOfTurn(turn);
    if (message !== undefined) this.#conversation.append([message]);
    if (message !== undefined && turn.kept !== undefined) own.note(message, index, turn.kept);
    return { ...turn, model: chain.models[index]!.id };
  }

  /** Moves to the next model, where the failure of this one asks for it and there is one. Says whether it did. */
  *failed(error: unknown): Operation<boolean> {
    const { chain } = this.#origin;
    const { index } = this.#footing;
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

  close(): void {
    this.#isClosed = true;
  }

  /** Goes on where it was before it was taken up, unless it came further; where that cannot be, with what comes next. */
  *#goBackTo(before: number | undefined): Operation<void> {
    this.#before = undefined;
    if (before === undefined || before <= this.#footing.index) return;
    const { chain } = this.#origin;
    const clock = yield* useClock();
    const trouble = chain.trouble(before, clock);
    if (trouble !== undefined && chain.after(before, clock) !== undefined)
      return yield* this.#moveOn(new Error(trouble), before);
    try {
      yield* this.#stand(before);
    } catch (failure) {
      chain.putOut(before, clock, Number.POSITIVE_INFINITY, reasonOf(failure));
      yield* this.#moveOn(failure, before);
    }
  }

  /** Moves to the first of the models after one that can be opened. */
  *#moveOn(why: unknown, from = this.#footing.index): Operation<void> {
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
        yield* this.#stand(index);
        this.#failures = 0;
        return;
      } catch (failure) {
        chain.putOut(index, clock, Number.POSITIVE_INFINITY, reasonOf(failure));
        error = failure;
      }
    }
  }

  /** Tells a model what this conversation holds, and goes on there. */
  *#stand(index: number): Operation<void> {
    this.#footing = (yield* this.#inOwnScope(() => this.#told(index))).footing;
  }

  /** A session of a model that holds what this conversation holds, or held a while ago. */
  #baseAt(index: number): Operation<Base> {
    if (this.#footing.index === index)
      return new Done({ footing: this.#footing, at: this.#conversation.mark() });
    let twin = this.#twins.get(index);
    if (twin === undefined) {
      twin = this.#inOwnScope(
        () => this.#told(index),
        () => this.#twins.delete(index),
      );
      this.#twins.set(index, twin);
    }
    return twin;
  }

  /** What this conversation holds, told to a model: from its source's session there, else from the beginning. */
  *#told(index: number): Operation<Base> {
    const { chain, marks, own, start } = this.#origin;
    const end = this.#conversation.mark();
    const { prefix } = this.#conversation;
    const footing =
      (yield* this.#toldFromSource(index, end)) ??
      (yield* toldFromStart(chain, index, prefix, { start, end, marks, own }));
    return { footing, at: end };
  }

  *#toldFromSource(index: number, end: Mark): Operation<Footing | undefined> {
    const source = this.#source;
    if (source === undefined || source.#isClosed) return undefined;
    try {
      const { footing: base, at } = yield* source.#baseAt(index);
      const { marks, own } = this.#origin;
      return yield* toldFromFork(base, { at, end, marks, own });
    } catch (error) {
      // What ended with its source can still be told from the beginning.
      if (source.#isClosed) return undefined;
      throw error;
    }
  }

  /** Opens something that lives as long as this session does, whoever waits for it. */
  #inOwnScope(open: () => Operation<Base>, onFailure = () => {}): Operation<Base> {
    const opened = withResolvers<Base>();
    this.#scope.run(function* () {
      let trouble: unknown = new Error("the conversation it was to be forked from has ended");
      try {
        opened.resolve(yield* open());
        yield* suspend();
      } catch (error) {
        trouble = error;
      } finally {
        onFailure();
        opened.reject(trouble as Error);
      }
    });
    return opened.operation;
  }
}

/** A session to fork from, and what of the conversation it holds. */
interface Base {
  readonly footing: Footing;
  readonly at: Mark;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
