import { unknownName } from "../decisions/names.ts";
import { AnswerError } from "../values/errors.ts";

/**
 * Questions that are answered from outside: by a person, by a client. Each is answered once; the first answer stands,
 * and who comes later is told so.
 */
export class Desk<Q extends { readonly id: string }, A> {
  readonly #what: string;
  readonly #open = new Map<string, { readonly question: Q; answer(answer: A): void }>();
  readonly #answered = new Set<string>();

  /** `what` is asked here, as errors name it: `approval`. */
  constructor(what: string) {
    this.#what = what;
  }

  list(): readonly Q[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  /** Puts a question; returns how to take it back. */
  ask(question: Q, answer: (answer: A) => void): () => void {
    this.#open.set(question.id, { question, answer });
    return () => {
      this.#open.delete(question.id);
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
    const open = this.#open.get(id)!;
    this.#open.delete(id);
    this.#answered.add(id);
    open.answer(answer);
  }
}
