import type { Mark, Session } from "@agentpool/core";
import { type Operation, type Scope, suspend, withResolvers } from "effection";
import type { Conversation } from "../conversation.ts";
import { Done } from "../done.ts";
import type { Chain } from "./chain.ts";
import { type Footing, type Told, toldFromFork, toldFromStart } from "./footing.ts";

/** What a conversation shares with its forks. */
export interface Origin extends Told {
  readonly chain: Chain;
  /** The place of the prefix alone. */
  readonly start: Mark;
}

/** Where a conversation stands: the session of one of the models that holds what it holds. It can be told to others. */
export class Standing {
  readonly #origin: Origin;
  readonly #conversation: Conversation;
  /** Where the sessions it moves to belong. */
  readonly #scope: Scope;
  /** Where the conversation stands that it was forked from. */
  readonly #source: Standing | undefined;
  #footing: Footing;
  /** Sessions of other models that hold what this one held, for its forks to fork from when they move. */
  readonly #twins = new Map<number, Operation<Base>>();
  #isClosed = false;

  constructor(origin: Origin, conversation: Conversation, scope: Scope, footing: Footing, source?: Standing) {
    this.#origin = origin;
    this.#conversation = conversation;
    this.#scope = scope;
    this.#footing = footing;
    this.#source = source;
  }

  /** The model's place in the list. */
  get index(): number {
    return this.#footing.index;
  }

  get session(): Session {
    return this.#footing.session;
  }

  get footing(): Footing {
    return this.#footing;
  }

  /** Tells a model what the conversation holds, and stands there from now on. */
  *moveTo(index: number): Operation<void> {
    this.#footing = (yield* this.#inOwnScope(() => this.#told(index))).footing;
  }

  close(): void {
    this.#isClosed = true;
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
    const { chain, start, ...told } = this.#origin;
    const end = this.#conversation.mark();
    const { prefix } = this.#conversation;
    const footing =
      (yield* this.#toldFromSource(index, end)) ??
      (yield* toldFromStart(chain, index, prefix, { start, end, ...told }));
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

  /** Opens something that lives as long as the conversation does, whoever waits for it. */
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
