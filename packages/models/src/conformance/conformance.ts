import type { Model, Prompt } from "@agentpool/core";
import { type Operation, run, scoped } from "effection";
import { abandoning } from "./abandoning.ts";
import { calling } from "./calling.ts";
import { forking } from "./forking.ts";
import { generating } from "./generating.ts";

/** What can be looked at beside the model's own interface. The more a model can show, the more is checked. */
export interface ConformanceOptions<M extends Model = Model> {
  /** Every prompt the model was shown so far. Absent: what sessions hold is only judged by their tokens. */
  readonly shown?: (model: M) => readonly Prompt[];
  /** A model whose generations never end by themselves. Absent: halting a reader that waits is not checked. */
  readonly hanging?: () => HangingModel;
}

export interface HangingModel {
  readonly model: Model;
  /** Resolves once a generation waits. */
  readonly started: Operation<void>;
  /** Generations whose request, stream or work is still held. */
  held(): number;
}

/** One behaviour that every model must have. Fails by throwing. */
export interface ConformanceCase {
  readonly name: string;
  run(): Operation<void>;
}

export interface ConformanceSuite {
  readonly name: string;
  readonly cases: readonly ConformanceCase[];
}

/**
 * What every `Model` must do, as cases for any test runner: forks that do not see each other, rewinds, marks that stay
 * valid in forks, deltas that add up to the turn, generations that leave nothing when abandoned, calls that are
 * announced, unique and only those that were allowed, and usage.
 *
 * The model is asked for forced calls and for text, so any model that follows instructions passes, hosted ones too.
 *
 * ```ts
 * registerConformance(conformance("my model", () => myModel()), { describe, it });
 * ```
 */
export function conformance<M extends Model>(
  name: string,
  makeModel: () => M | Operation<M>,
  options: ConformanceOptions<M> = {},
): ConformanceSuite {
  function* subject(): Operation<Subject> {
    const made = makeModel();
    const model = "open" in made ? made : yield* made;
    return { model, shown: () => options.shown?.(model) };
  }
  return {
    name,
    cases: [
      ...forking(subject),
      ...generating(subject),
      ...calling(subject),
      ...abandoning(subject, options.hanging),
    ],
  };
}

/** Registers a suite with a test runner that has `describe` and `it`. */
export function registerConformance(
  suite: ConformanceSuite,
  runner: {
    describe(name: string, body: () => void): unknown;
    it(name: string, body: () => PromiseLike<void>): unknown;
  },
): void {
  runner.describe(`${suite.name} is a model`, () => {
    for (const { name, run: check } of suite.cases) runner.it(name, () => run(() => scoped(check)));
  });
}

/** A new model, and what it was shown, where that can be seen. */
export interface Subject {
  readonly model: Model;
  shown(): readonly Prompt[] | undefined;
}

export type MakeSubject = () => Operation<Subject>;
