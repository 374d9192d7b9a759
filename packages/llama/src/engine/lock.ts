import { action, type Operation } from "effection";

interface Turn {
  held: boolean;
  wake: () => void;
}

/** Lets one at a time do something, in the order they came. */
export class Lock {
  readonly #line: Turn[] = [];

  *hold<T>(body: () => Operation<T>): Operation<T> {
    // The grant writes into this before its waiter resumes: a halt between the two passes it on.
    const turn: Turn = { held: this.#line.length === 0, wake: () => {} };
    this.#line.push(turn);
    try {
      if (!turn.held)
        yield* action<void>((resolve) => {
          turn.wake = resolve;
          if (turn.held) resolve();
          return () => {};
        });
      return yield* body();
    } finally {
      this.#line.splice(this.#line.indexOf(turn), 1);
      const next = this.#line[0];
      if (turn.held && next !== undefined) {
        next.held = true;
        next.wake();
      }
    }
  }
}
