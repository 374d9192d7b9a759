import {
  ConfigurationError,
  type Delta,
  type GenerateRequest,
  type Mark,
  type Prefix,
  type Prompt,
  type Session,
  type Turn,
} from "@agentpool/core";
import { Conversation } from "@agentpool/models";
import { ensure, type Operation, resource, type Stream } from "effection";
import type { Seat } from "./engine/seats.ts";
import { Generation } from "./generation.ts";
import type { Loaded } from "./loaded.ts";
import type { Sampler } from "./native/kernel.ts";
import { Places } from "./places.ts";
import { tooLong } from "./too-long.ts";

/** What a session is made of. */
interface Parts {
  readonly loaded: Loaded;
  readonly places: Places;
  readonly conversation: Conversation;
}

/** A session with an empty conversation. A resource: its sequence is free again when its scope ends. */
export function openSession(loaded: Loaded, prefix: Prefix): Operation<Session> {
  const places = new Places(prefix, loaded.template, loaded.calls === "choose");
  return useSession({ loaded, places, conversation: Conversation.open(prefix) }, function* ({ seat, parts }) {
    const { tokens } = places.at(parts.conversation);
    if (tokens.length >= loaded.engine.window) throw new ConfigurationError(tooLong(loaded, tokens.length));
    yield* loaded.seats.take(seat, tokens);
    loaded.seats.rest(seat);
  });
}

/**
 * A conversation with the model, and a sequence that holds what was computed of it. The conversation is what counts:
 * the sequence may hold less, or something else by now, and is brought in line before a turn is written.
 */
class LlamaSession implements Session {
  readonly parts: Parts;
  readonly seat: Seat;
  readonly #sampler: Sampler;
  #generation: Generation | undefined;

  constructor(parts: Parts, sampler: Sampler) {
    this.parts = parts;
    this.seat = parts.loaded.seats.newSeat();
    this.#sampler = sampler;
  }

  get tokens(): number {
    return this.parts.places.at(this.parts.conversation).tokens.length;
  }

  *append(messages: Prompt): Operation<void> {
    this.#abandon();
    this.parts.conversation.append(messages);
  }

  /** Copies the state of whatever sequence holds most of the conversation, and computes the rest once for all forks. */
  fork(): Operation<Session> {
    const { loaded, places } = this.parts;
    const conversation = this.parts.conversation.fork();
    const { seat: source } = this;
    return useSession({ loaded, places, conversation }, function* ({ seat }) {
      const { engine, seats, forking } = loaded;
      source.forked = true;
      const tokens = places.stableAt(conversation);
      if (tokens.length >= engine.window) throw new Error(tooLong(loaded, tokens.length));
      const slot = yield* seats.take(seat, tokens);
      yield* forking.hold(function* () {
        yield* engine.place(slot, tokens, 0);
        yield* engine.compute(slot, tokens.slice(slot.tokens.length));
      });
      seats.rest(seat);
    });
  }

  mark(): Mark {
    return this.parts.conversation.mark();
  }

  *rewind(to: Mark): Operation<void> {
    this.#abandon();
    this.parts.conversation.rewind(to);
  }

  generate(request: GenerateRequest): Stream<Delta, Turn> {
    const session = this;
    return {
      *[Symbol.iterator]() {
        session.#abandon();
        const { parts, seat } = session;
        session.#generation = new Generation({ ...parts, seat, sampler: session.#sampler }, request);
        return session.#generation;
      },
    };
  }

  /** Its sequence goes to whoever waits for one. Forks find what it held where it still is, or compute it again. */
  *rest(): Operation<void> {
    this.#abandon();
    yield* this.parts.loaded.engine.settled();
    this.parts.loaded.seats.leave(this.seat);
  }

  /** What was computed so far is free for others, once nothing of it is under way. */
  *close(): Operation<void> {
    const { engine, seats } = this.parts.loaded;
    this.#abandon();
    yield* engine.settled();
    this.#sampler.free();
    seats.leave(this.seat);
  }

  /** A session has one generation at a time: whoever left the last one unfinished is not coming back. */
  #abandon(): void {
    this.#generation?.release();
    this.#generation = undefined;
  }
}

const useSession = (parts: Parts, prepare: (session: LlamaSession) => Operation<void>): Operation<Session> =>
  resource(function* (provide) {
    const session = new LlamaSession(parts, parts.loaded.sampler());
    yield* ensure(() => session.close());
    yield* prepare(session);
    yield* provide(session);
  });
