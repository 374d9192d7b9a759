import type { Model, Prefix, Session } from "@agentpool/core";
import { type Operation, resource, until } from "effection";

/** A moment that takes no time on any clock. */
const moment: Operation<void> = {
  [Symbol.iterator]: () => until(Promise.resolve())[Symbol.iterator](),
};

/** A model whose sessions take a moment for all that they do, as those of a server or of a memory do. */
export const leisurely = (model: Model): Model =>
  Object.create(model, { open: { value: (prefix: Prefix) => lent(model.open(prefix)) } });

const lent = (session: Operation<Session>): Operation<Session> =>
  resource(function* (provide) {
    for (let at = 0; at < 5; at++) yield* moment;
    yield* provide(new Leisurely(yield* session));
  });

class Leisurely implements Session {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }
  get tokens(): number {
    return this.#session.tokens;
  }
  *append(messages: Parameters<Session["append"]>[0]): Operation<void> {
    yield* moment;
    yield* this.#session.append(messages);
    yield* moment;
  }
  fork(): Operation<Session> {
    return lent(this.#session.fork());
  }
  mark(): ReturnType<Session["mark"]> {
    return this.#session.mark();
  }
  *rewind(to: Parameters<Session["rewind"]>[0]): Operation<void> {
    yield* moment;
    yield* this.#session.rewind(to);
  }
  generate(request: Parameters<Session["generate"]>[0]): ReturnType<Session["generate"]> {
    return this.#session.generate(request);
  }
}
