import {
  type Agent,
  addUsage,
  type Consultation,
  ConsultError,
  type JsonSchema,
  MisformedError,
  noUsage,
  type ReviewDesk,
  type ReviewFailure,
  type Usage,
} from "@agentpool/core";
import type { Operation } from "effection";
import { repair } from "./prompts/words.ts";
import type { Read } from "./verdict.ts";

/** An answer in the form that was asked for, or why there is none; and what asking took. */
export interface Consulted<T> {
  readonly answer:
    | { readonly type: "read"; readonly value: T }
    | { readonly type: "failed"; readonly failure: ReviewFailure };
  readonly usage: Usage;
}

export interface Question<T> extends Consultation {
  readonly text: string;
  readonly form: JsonSchema;
  read(text: string | undefined): Read<T>;
}

/** Asks a model once, and once more where its answer does not have the form. Whatever goes wrong is an answer too. */
export function* consultTwice<T>(
  desk: ReviewDesk,
  agent: Agent,
  { text, form, read, ...how }: Question<T>,
): Operation<Consulted<T>> {
  let usage = noUsage;
  try {
    const answer = yield* desk.consult(agent, how, function* (ask) {
      const first = yield* ask(text, form);
      usage = addUsage(usage, first.usage);
      const given = read(first.text);
      if (given.type === "read") return given;
      const second = yield* ask(repair(given.why), form);
      usage = addUsage(usage, second.usage);
      return read(second.text);
    });
    if (answer.type === "read") return { answer, usage };
    return { answer: failed("malformed", `no verdict, twice: ${answer.why}`), usage };
  } catch (error) {
    if (!(error instanceof ConsultError)) throw error;
    const { problem, message, cause, usage } = error;
    // some models hold themselves to a form, and ask again by themselves
    return { answer: failed(cause instanceof MisformedError ? "malformed" : problem, message), usage };
  }
}

const failed = (problem: ReviewFailure["problem"], message: string) =>
  ({ type: "failed", failure: { problem, message } }) as const;
