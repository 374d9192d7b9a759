import type { Operation } from "effection";
import type { JsonSchema } from "./json.ts";
import type { Model, Turn } from "./model.ts";
import { noUsage, type Usage } from "./usage.ts";

/** A conversation with a model on an agent's behalf. */
export interface Consultation {
  /** What for, in a word: the model runs as the agent `KEY/as`. */
  readonly as: string;
  readonly model: Model;
  readonly system: string;
  /** Milliseconds that its generations may take together, waits not counted. */
  readonly timeoutMs: number;
}

/** One question: the answer's text must be JSON of the schema. */
export type Ask = (text: string, output: JsonSchema) => Operation<Turn>;

/** Why nobody answered: the time was up, the run's budget is used, the run winds down, or the model failed. */
export type ConsultProblem = "timed_out" | "budget" | "withdrawn" | "model";

/** A model that was consulted gave no answer. */
export class ConsultError extends Error {
  override readonly name = "ConsultError";
  readonly problem: ConsultProblem;
  /** What the consultation has used all the same. */
  readonly usage: Usage;
  constructor(
    problem: ConsultProblem,
    message: string,
    { usage = noUsage, ...options }: ErrorOptions & { readonly usage?: Usage } = {},
  ) {
    super(message, options);
    this.problem = problem;
    this.usage = usage;
  }
}
