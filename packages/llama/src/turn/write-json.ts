import type { JsonSchema } from "@agentpool/core";
import { choiceGrammar, type Limits } from "../grammar/json-grammar.ts";
import { misfit } from "../grammar/misfit.ts";
import { JsonEnd } from "./json-end.ts";
import type { Steps, Tape } from "./tape.ts";

/** Where JSON of a schema starts on the tape, and what of it is there already. */
export interface JsonPlace {
  readonly schema: JsonSchema;
  readonly from: number;
  readonly begun: string;
  readonly limits: Limits;
}

/** A value, or what there was of it when no more could be written. */
export type Written =
  | { readonly type: "whole"; readonly json: string }
  | { readonly type: "cut"; readonly text: string };

/**
 * Lets the model write JSON whose grammar is on already. What a grammar cannot ensure is looked at afterwards, and JSON
 * that does not fit is written once more.
 */
export function* writeJson(tape: Tape, { schema, from, begun, limits }: JsonPlace): Steps<Written> {
  const written = yield* toItsEnd(tape, begun);
  if (written.type === "cut" || misfit(written.json, schema) === undefined) return written;
  yield* tape.rewrite(from);
  yield* tape.constrain({ grammar: choiceGrammar([{ start: "", schema }], limits) });
  return yield* toItsEnd(tape, "");
}

function* toItsEnd(tape: Tape, begun: string): Steps<Written> {
  const end = new JsonEnd();
  let text = begun;
  let length = end.take(begun);
  while (length === undefined) {
    const sampled = yield* tape.sample();
    if (sampled.type === "spent") return { type: "cut", text };
    if (sampled.type === "end") break;
    const more = end.take(sampled.text);
    if (more !== undefined) length = text.length + more;
    text += sampled.text;
  }
  return { type: "whole", json: text.slice(0, length) };
}
