import type { JsonSchema, ProposedCall, Turn } from "@agentpool/core";
import { plain } from "../chat/syntax.ts";
import { choiceGrammar } from "../grammar/json-grammar.ts";
import { type Steps, Tape } from "./tape.ts";
import { Trimmed } from "./trimmed.ts";
import type { TurnPlan } from "./turn-plan.ts";
import { Watcher } from "./watcher.ts";
import { writeJson } from "./write-json.ts";

export type Said = Pick<Turn, "reasoning" | "text" | "calls" | "finish">;

/** Most calls of one turn. */
const mostCalls = 8;

/**
 * One turn, as the sequence of what has to be written, constrained and sampled. It touches nothing: whoever runs it
 * answers each `sample` with what the model wrote, and gets the turn in the end.
 */
export const writeTurn = (plan: TurnPlan): Steps<Said> => new Writer(plan).turn();

class Writer {
  readonly #plan: TurnPlan;
  readonly #reasoning = new Trimmed();
  readonly #text = new Trimmed();
  readonly #calls: ProposedCall[] = [];
  readonly #tape = new Tape();

  constructor(plan: TurnPlan) {
    this.#plan = plan;
  }

  *turn(): Steps<Said> {
    const { syntax, calls } = this.#plan;
    const { reasoning } = syntax;
    if (reasoning !== undefined && reasoning.begunBy !== "model") {
      if (reasoning.begunBy === "us") yield* this.#tape.write(reasoning.start);
      if ((yield* this.#reason()) === "spent") return this.#said("length");
    }
    if (calls === "none") return yield* this.#answer();
    if (calls === "free") return yield* this.#speak(true);
    const from = this.#tape.at;
    yield* this.#tape.write(syntax.callStart);
    return yield* this.#call(from, calls === "choose");
  }

  *#answer(): Steps<Said> {
    const { output } = this.#plan;
    return output === undefined ? yield* this.#speak(false) : yield* this.#state(output);
  }

  /** Text in the model's own words, until it ends, or a call begins. */
  *#speak(mayCall: boolean): Steps<Said> {
    yield* this.#tape.constrain({ goOn: true });
    for (let watch = this.#watch(mayCall), first = true; ; first = false) {
      const sampled = yield* this.#tape.sample();
      if (first) yield* this.#tape.constrain({});
      if (sampled.type !== "text") {
        yield* this.#emit("text", this.#text, watch.watcher.rest());
        return this.#said(sampled.type === "spent" ? "length" : "stop");
      }
      const { text, found } = watch.watcher.take(sampled.text);
      yield* this.#emit("text", this.#text, text);
      if (found === undefined) continue;
      const from = watch.base + found.from;
      if (found.what.type === "stop") return this.#said("stop");
      if (found.what.type === "reason") {
        yield* this.#tape.trim(from + found.what.length);
        if ((yield* this.#reason()) === "spent") return this.#said("length");
        watch = this.#watch(mayCall);
        continue;
      }
      yield* this.#tape.rewrite(from, this.#plan.syntax.callStart);
      return yield* this.#call(from, false);
    }
  }

  #watch(mayCall: boolean): { readonly watcher: Watcher<Event>; readonly base: number } {
    const { syntax, stops } = this.#plan;
    const targets: [string, Event][] = stops.map((stop) => [stop, { type: "stop" }]);
    if (mayCall) for (const start of syntax.callStarts) targets.push([start, { type: "call" }]);
    if (syntax.reasoning?.begunBy === "model") {
      const start = plain(syntax.reasoning.start);
      targets.push([start, { type: "reason", length: start.length }]);
    }
    return { watcher: new Watcher(targets), base: this.#tape.at };
  }

  /** Reasoning, until it ends. One that does not find its end is ended. */
  *#reason(): Steps<"done" | "spent"> {
    const { end } = this.#plan.syntax.reasoning!;
    const closing = plain(end);
    const watcher = new Watcher([[closing, undefined]]);
    const base = this.#tape.at;
    yield* this.#tape.constrain({});
    for (let left = this.#plan.reasoning; left > 0; left--) {
      const sampled = yield* this.#tape.sample();
      if (sampled.type === "spent") {
        yield* this.#emit("reasoning", this.#reasoning, watcher.rest());
        return "spent";
      }
      if (sampled.type === "end") break;
      const { text, found } = watcher.take(sampled.text);
      yield* this.#emit("reasoning", this.#reasoning, text);
      if (found === undefined) continue;
      yield* this.#tape.trim(base + found.from + closing.length);
      return "done";
    }
    yield* this.#emit("reasoning", this.#reasoning, watcher.rest());
    yield* this.#tape.write(end);
    return "done";
  }

  /** A call, from its tool's name on. `from` is where its start was written. */
  *#call(from: number, mayAnswer: boolean): Steps<Said> {
    const { syntax, tools, limits, answer } = this.#plan;
    const starts = new Map(tools.map((tool) => [tool.name + syntax.beforeArguments(tool.name), tool]));
    const instead = mayAnswer ? answer + syntax.beforeArguments(answer) : undefined;
    const choices = [...starts].map(([start, { parameters }]) => ({
      start,
      schema: argumentsOf(parameters),
    }));
    const named = this.#tape.at;
    let text = "";
    if (choices.length === 1 && instead === undefined) {
      text = choices[0]!.start;
      yield* this.#tape.write(this.#plan.text(text));
      yield* this.#tape.constrain({ grammar: choiceGrammar([{ ...choices[0]!, start: "" }], limits) });
    } else {
      const others = instead === undefined ? [] : [{ start: instead }];
      yield* this.#tape.constrain({ grammar: choiceGrammar([...choices, ...others], limits) });
    }
    for (;;) {
      const sampled = yield* this.#tape.sample();
      if (sampled.type !== "text") return this.#said(sampled.type === "spent" ? "length" : "stop");
      text += sampled.text;
      if (instead !== undefined && text === instead) {
        yield* this.#tape.rewrite(from);
        return yield* this.#answer();
      }
      const start = [...starts.keys()].find((each) => text.startsWith(`${each}{`));
      if (start === undefined) continue;
      const tool = starts.get(start)!;
      const id = this.#plan.nextId();
      yield { type: "delta", delta: { type: "call", id, tool: tool.name } };
      const written = yield* writeJson(this.#tape, {
        schema: argumentsOf(tool.parameters),
        from: named + start.length,
        begun: text.slice(start.length),
        limits,
      });
      if (written.type === "cut") return this.#said("length");
      this.#calls.push({ id, tool: tool.name, input: written.json });
      return yield* this.#next(tool.name);
    }
  }

  /** Another call of the same turn, if the model goes on to one. */
  *#next(tool: string): Steps<Said> {
    const { syntax, calls } = this.#plan;
    if (syntax.nextCall === undefined || calls !== "free" || this.#calls.length >= mostCalls)
      return this.#said("stop");
    yield* this.#tape.write(syntax.afterCall(tool));
    yield* this.#tape.constrain({});
    const opening = plain(syntax.nextCall);
    const from = this.#tape.at;
    let text = "";
    while (opening.startsWith(text)) {
      const sampled = yield* this.#tape.sample();
      if (sampled.type !== "text") break;
      text += sampled.text;
      if (!text.startsWith(opening)) continue;
      yield* this.#tape.rewrite(from, syntax.nextCall);
      return yield* this.#call(from, false);
    }
    return this.#said("stop");
  }

  /** Text that is JSON of a schema. It is given out once it is known to fit. */
  *#state(schema: JsonSchema): Steps<Said> {
    const { limits } = this.#plan;
    const from = this.#tape.at;
    yield* this.#tape.constrain({ grammar: choiceGrammar([{ start: "", schema }], limits) });
    const written = yield* writeJson(this.#tape, { schema, from, begun: "", limits });
    const text = written.type === "whole" ? written.json : written.text;
    if (text !== "") yield { type: "delta", delta: { type: "text", text } };
    return { ...this.#said(written.type === "whole" ? "stop" : "length"), ...(text === "" ? {} : { text }) };
  }

  *#emit(type: "text" | "reasoning", to: Trimmed, more: string): Steps<void> {
    const text = to.add(more);
    if (text !== "") yield { type: "delta", delta: { type, text } };
  }

  #said(finish: "stop" | "length"): Said {
    const [reasoning, text] = [this.#reasoning.text, this.#text.text];
    return {
      ...(reasoning === "" ? {} : { reasoning }),
      ...(text === "" ? {} : { text }),
      calls: this.#calls,
      finish: finish === "stop" && this.#calls.length > 0 ? "calls" : finish,
    };
  }
}

type Event =
  | { readonly type: "stop" }
  | { readonly type: "call" }
  | { readonly type: "reason"; readonly length: number };

/** A tool's arguments are an object, also where its schema does not say. */
const argumentsOf = (schema: JsonSchema): JsonSchema =>
  schema.type === "object" || schema.properties !== undefined || "$ref" in schema || "allOf" in schema
    ? schema
    : { ...schema, type: "object" };
