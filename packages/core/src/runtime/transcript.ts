import type { Operation, Stream } from "effection";
import { messageOfTurn } from "../decisions/turn-message.ts";
import type { Delta, GenerateRequest, Mark, Message, Prompt, Session, Turn } from "../values/model.ts";

/** What was said up to a place, from its end: what forks and rewinds share is there once. */
interface Said {
  readonly message: Message;
  readonly before: Said | undefined;
}

/** A place in a session that keeps what is said. */
interface Place {
  readonly inner: Mark;
  readonly said: Said | undefined;
}

/**
 * A session that keeps what is said in it, for those who have to judge it. The models' own sessions are not asked:
 * what they keep is theirs, and may be placeholders.
 */
export class Transcript implements Session {
  readonly #session: Session;
  #said: Said | undefined;

  constructor(session: Session, said?: Said) {
    this.#session = session;
    this.#said = said;
  }

  /** What was said, in order, up to a mark or up to now. */
  upTo(mark?: Mark): Message[] {
    const messages: Message[] = [];
    for (let at = mark ? (mark as Place).said : this.#said; at; at = at.before) messages.push(at.message);
    return messages.reverse();
  }

  get tokens(): number {
    return this.#session.tokens;
  }

  *append(messages: Prompt): Operation<void> {
    yield* this.#session.append(messages);
    for (const message of messages) this.#keep(message);
  }

  *fork(): Operation<Session> {
    return new Transcript(yield* this.#session.fork(), this.#said);
  }

  *rest(): Operation<void> {
    if (this.#session.rest) yield* this.#session.rest();
  }

  mark(): Mark {
    return { inner: this.#session.mark(), said: this.#said } satisfies Place as Mark;
  }

  *rewind(to: Mark): Operation<void> {
    const { inner, said } = to as Place;
    yield* this.#session.rewind(inner);
    this.#said = said;
  }

  goOnWith(model: string): void {
    this.#session.goOnWith?.(model);
  }

  generate(request: GenerateRequest): Stream<Delta, Turn> {
    const stream = this.#session.generate(request);
    const keep = (turn: Turn): void => {
      const message = messageOfTurn(turn);
      if (message) this.#keep(message);
    };
    return {
      *[Symbol.iterator]() {
        const deltas = yield* stream;
        let kept = false;
        return {
          *next() {
            const item = yield* deltas.next();
            if (item.done && !kept) keep(item.value);
            kept ||= item.done === true;
            return item;
          },
        };
      },
    };
  }

  #keep(message: Message): void {
    this.#said = { message, before: this.#said };
  }
}

/** The same session, keeping what is said in it from here on where it does not already. */
export const transcribed = (session: Session): Session =>
  session instanceof Transcript ? session : new Transcript(session);
