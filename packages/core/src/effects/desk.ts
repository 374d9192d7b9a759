import { unknownName } from "../decisions/names.ts";
import { AnswerError } from "../values/errors.ts";

/**
 * Questions that are answered from outside: by a person, by a client. Each is answered once; the first answer stands,
 * and who comes later is told so.
 */
export class Desk<Q extends { readonly id: string }, A> {
  readonly #what: string;
  readonly #open = new Map<string, Open<Q, A>>();
  readonly #answered = new Set<string>();

  /** `what` is asked here, as errors name it: `approval`. */
  constructor(what: string) {
    this.#what = what;
  }

  list(): readonly Q[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  /** Puts a question; returns how to take it back. Whoever puts the same hears the same answer. */
  ask(question: Q, answer: (answer: A) => void): () => void {
    const { id } = question;
    const open = this.#open.get(id) ?? { question, waiting: new Set() };
    this.#open.set(id, open);
    open.waiting.add(answer);
    return () => {
      open.waiting.delete(answer);
      if (open.waiting.size === 0 && this.#open.get(id) === open) this.#open.delete(id);
    };
  }

  /** Throws {@link AnswerError} where the question is not there, or was answered. */
  check(id: string): void {
    if (this.#open.has(id)) return;
    if (this.#answered.has(id))
      throw new AnswerError("answered", `${this.#what} "${id}" was answered before; that answer stands.`);
    throw new AnswerError("unknown", unknownName(`${this.#what} that is open`, id, [...this.#open.keys()]));
  }

  answer(id: string, answer: A): void {
    this.check(id);
    const { waiting } = this.#open.get(id)!;
    this.#open.delete(id);
    this.#answered.add(id);
    for (const tell of [...waiting]) tell(answer);
  }
}

/** A question that is open, and who waits for its answer. */
interface Open<Q, A> {
  readonly question: Q;
  readonly waiting: Set<(answer: A) => void>;
}
