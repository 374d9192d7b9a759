import type { Operation } from "effection";

/** What is measured in a process of its own: a module's default export opens it with its settings. */
export type Open<S> = (settings: S) => Operation<Contender>;

export interface Contender {
  /** The whole work once. Throws where the work was not done as it should be: a wrong answer has no speed. */
  round(): Operation<Sample>;
}

/** One round of work. */
export interface Sample {
  /** How many units of work it was: turns, calls, agents. */
  readonly units: number;
  readonly wallMs: number;
  /** Of all threads of the process. */
  readonly cpuMs: number;
  /** Whatever else was measured, by name. */
  readonly figures?: { readonly [name: string]: number };
}

/** A contender that needs nothing but its rounds. */
export const contender = (round: () => Operation<Sample>): Operation<Contender> => ({
  *[Symbol.iterator]() {
    return { round };
  },
});
