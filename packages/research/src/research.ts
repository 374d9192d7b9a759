import { ConfigurationError } from "@agentpool/core";
import { type Operation, resource, scoped, spawn, withResolvers } from "effection";
import type { Brief } from "./brief/brief.ts";
import { inquire } from "./inquire.ts";
import { type Stage, type StageOptions, stageOf } from "./options.ts";
import { plan } from "./plan.ts";
import { synthesise } from "./synthesise.ts";
import { addTotals } from "./totals.ts";

export interface ResearchOptions extends StageOptions {
  readonly question: string;
}

/** A running job. */
export interface ResearchHandle {
  readonly result: Operation<Brief>;
  /** Asks everyone to finish: agents report what they have, and the brief is made of it by code, marked partial. */
  windDown(): void;
}

/**
 * Researches a question: a plan, one agent for each sub-question side by side, and a brief of verified quotations.
 *
 * ```ts
 * const corpus = yield* useCorpus({ paths: "docs" });
 * const brief = yield* research({
 *   question: "Who wrote Emma, and when was it published?",
 *   model: extractive(),
 *   tools: corpusTools(corpus),
 *   verifier: corpus,
 * });
 * console.log(renderBrief(brief));
 * ```
 *
 * Throws {@link ConfigurationError} for options that cannot work. Everything else ends in a brief: what failed, was
 * refused or was not found stands in it.
 */
export const research = (options: ResearchOptions): Operation<Brief> =>
  scoped(function* () {
    const job = yield* useResearch(options);
    return yield* job.result;
  });

/** The same as a resource, for programs that wind it down. It ends with the scope it was opened in. */
export const useResearch = (options: ResearchOptions): Operation<ResearchHandle> =>
  resource(function* (provide) {
    const question = options.question.trim();
    if (question === "") {
      throw new ConfigurationError(
        'question: found an empty text; accepted is a question, for example "Who wrote Emma?".',
      );
    }
    const stage = stageOf(options);
    const outcome = withResolvers<Brief>();
    yield* spawn(function* () {
      try {
        outcome.resolve(yield* stages(question, stage));
      } catch (error) {
        outcome.reject(error as Error);
      }
    });
    yield* provide({ result: outcome.operation, windDown: () => stage.winding.windDown() });
  });

function* stages(question: string, stage: Stage): Operation<Brief> {
  const planned = yield* plan(question, stage);
  const inquired = yield* inquire(planned.questions, stage);
  return yield* synthesise(
    {
      question,
      answers: inquired.answers,
      totals: addTotals(planned.totals, inquired.totals),
      notices: planned.notices,
    },
    stage,
  );
}
