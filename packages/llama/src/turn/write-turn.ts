import type { Delta, JsonSchema, ProposedCall, ToolSchema, Turn } from "@agentpool/core";
import { plain, type Syntax, type Text } from "../chat/syntax.ts";
import { choiceGrammar, type Limits } from "../grammar/json-grammar.ts";
import { misfit } from "../grammar/misfit.ts";
import type { Constraint } from "../native/kernel.ts";
import { JsonEnd } from "./json-end.ts";
import { Trimmed } from "./trimmed.ts";
import { Watcher } from "./watcher.ts";

/** What a turn asks of whoever runs it. Only `sample` is answered. */
export type Step =
  | { readonly type: "delta"; readonly delta: Delta }
  /** Put this at the end, as if the model had written it. */
  | { readonly type: "write"; readonly text: Text }
  /** Forget all that was written from this character on, and put this in its place. */
  | { readonly type: "rewrite"; readonly from: number; readonly text: Text | undefined }
  | { readonly type: "constrain"; readonly constraint: Constraint }
  | { readonly type: "sample" };

export type Sampled =
  | { readonly type: "text"; readonly text: string }
  /** The model ended its turn. */
  | { readonly type: "end" }
  /** No more tokens may be written. */
  | { readonly type: "spent" };

/** What kind of turn it is to be. */
export interface TurnPlan {
  readonly syntax: Syntax;
  /** Texts that end the turn. */
  readonly stops: readonly string[];
  /** The tools that may be called. */
  readonly tools: readonly ToolSchema[];
  /** `none`: text only. The others as in the settings. */
  readonly calls: "none" | "free" | "choose" | "always";
  /** What text must be JSON of. */
  readonly output: JsonSchema | undefined;
  /** The name by which `choose` offers text in place of a call. */
  readonly answer: string;
  readonly limits: Limits;
  /** Most tokens of reasoning. */
  readonly reasoning: number;
  /** An id for the next call. */
  nextId(): string;
  /** Plain text as the library takes it. */
  text(plain: string): Text;
}

export type Said = Pick<Turn, "reasoning" | "text" | "calls" | "finish">;

type Steps<T> = Generator<Step, T, Sampled | undefined>;

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
  /** Characters written so far. */
  #at = 0;

  constructor(plan: TurnPlan) {
    this.#plan = plan;
  }

  *turn(): Steps<Said> {
    const { syntax, calls } = this.#plan;
    const { reasoning } = syntax;
    if (reasoning !== undefined && reasoning.begunBy !== "model") {
      if (reasoning.begunBy === "us") yield* this.#write(reasoning.start);
      if ((yield* this.#reason()) === "spent") return this.#said("length");
    }
    if (calls === "none") return yield* this.#answer();
    if (calls === "free") return yield* this.#speak(true);
    const from = this.#at;
    yield* this.#write(syntax.callStart);
    return yield* this.#call(from, calls === "choose");
  }

  *#answer(): Steps<Said> {
    const { output } = this.#plan;
    return output === undefined ? yield* this.#speak(false) : yield* this.#state(output);
  }

  /** Text in the model's own words, until it ends, or a call begins. */
  *#speak(mayCall: boolean): Steps<Said> {
    yield* this.#constrain({ goOn: true });
    for (let watch = this.#watch(mayCall), first = true; ; first = false) {
      const sampled = yield* this.#sample();
      if (first) yield* this.#constrain({});
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
        yield* this.#trim(from + found.what.length);
        if ((yield* this.#reason()) === "spent") return this.#said("length");
        watch = this.#watch(mayCall);
        continue;
      }
      yield* this.#rewrite(from, this.#plan.syntax.callStart);
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
    return { watcher: new Watcher(targets), base: this.#at };
  }

  /** Reasoning, until it ends. One that does not find its end is ended. */
  *#reason(): Steps<"done" | "spent"> {
    const { end } = this.#plan.syntax.reasoning!;
    const closing = plain(end);
    const watcher = new Watcher([[closing, undefined]]);
    const base = this.#at;
    yield* this.#constrain({});
    for (let left = this.#plan.reasoning; left > 0; left--) {
      const sampled = yield* this.#sample();
      if (sampled.type === "spent") {
        yield* this.#emit("reasoning", this.#reasoning, watcher.rest());
        return "spent";
      }
      if (sampled.type === "end") break;
      const { text, found } = watcher.take(sampled.text);
      yield* this.#emit("reasoning", this.#reasoning, text);
      if (found === undefined) continue;
      yield* this.#trim(base + found.from + closing.length);
      return "done";
    }
    yield* this.#emit("reasoning", this.#reasoning, watcher.rest());
    yield* this.#write(end);
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
    const named = this.#at;
    let text = "";
    if (choices.length === 1 && instead === undefined) {
      text = choices[0]!.start;
      yield* this.#write(this.#plan.text(text));
      yield* this.#constrain({ grammar: choiceGrammar([{ ...choices[0]!, start: "" }], limits) });
    } else {
      const others = instead === undefined ? [] : [{ start: instead }];
      yield* this.#constrain({ grammar: choiceGrammar([...choices, ...others], limits) });
    }
    for (;;) {
      const sampled = yield* this.#sample();
      if (sampled.type !== "text") return this.#said(sampled.type === "spent" ? "length" : "stop");
      text += sampled.text;
      if (instead !== undefined && text === instead) {
        yield* this.#rewrite(from, undefined);
        return yield* this.#answer();
      }
      const start = [...starts.keys()].find((each) => text.startsWith(`${each}{`));
      if (start === undefined) continue;
      const tool = starts.get(start)!;
      const id = this.#plan.nextId();
      yield { type: "delta", delta: { type: "call", id, tool: tool.name } };
      const input = yield* this.#json(
        argumentsOf(tool.parameters),
        named + start.length,
        text.slice(start.length),
      );
      if (input === undefined) return this.#said("length");
      this.#calls.push({ id, tool: tool.name, input });
      return yield* this.#next(tool.name);
    }
  }

  /** Another call of the same turn, if the model goes on to one. */
  *#next(tool: string): Steps<Said> {
    const { syntax, calls } = this.#plan;
    if (syntax.nextCall === undefined || calls !== "free" || this.#calls.length >= mostCalls)
      return this.#said("stop");
    yield* this.#write(syntax.afterCall(tool));
    yield* this.#constrain({});
    const opening = plain(syntax.nextCall);
    const from = this.#at;
    let text = "";
    while (opening.startsWith(text)) {
      const sampled = yield* this.#sample();
      if (sampled.type !== "text") break;
      text += sampled.text;
      if (!text.startsWith(opening)) continue;
      yield* this.#rewrite(from, syntax.nextCall);
      return yield* this.#call(from, false);
    }
    return this.#said("stop");
  }

  /** Text that is JSON of a schema. It is given out once it is known to fit. */
  *#state(schema: JsonSchema): Steps<Said> {
    const from = this.#at;
    yield* this.#constrain({ grammar: choiceGrammar([{ start: "", schema }], this.#plan.limits) });
    const json = yield* this.#json(schema, from, "");
    const text = json ?? this.#cut;
    if (text !== "") yield { type: "delta", delta: { type: "text", text } };
    return { ...this.#said(json === undefined ? "length" : "stop"), ...(text === "" ? {} : { text }) };
  }

  /** What was written of a value that was cut off. */
  #cut = "";

  /**
   * JSON of a schema, of which `begun` is written. What a grammar cannot ensure is looked at afterwards, and JSON that
   * does not fit is written once more. Undefined: it was cut off.
   */
  *#json(schema: JsonSchema, from: number, begun: string): Steps<string | undefined> {
    for (let attempt = 1, text = begun; ; attempt++, text = "") {
      const end = new JsonEnd();
      let length = end.take(text);
      while (length === undefined) {
        const sampled = yield* this.#sample();
        if (sampled.type === "spent") {
          this.#cut = text;
          return undefined;
        }
        if (sampled.type === "end") length = text.length;
        else {
          const before = text.length;
          text += sampled.text;
          const more = end.take(sampled.text);
          if (more !== undefined) length = before + more;
        }
      }
      const json = text.slice(0, length);
      if (attempt === 2 || misfit(json, schema) === undefined) return json;
      yield* this.#rewrite(from, undefined);
      yield* this.#constrain({ grammar: choiceGrammar([{ start: "", schema }], this.#plan.limits) });
    }
  }

  *#write(text: Text): Steps<void> {
    this.#at += plain(text).length;
    yield { type: "write", text };
  }

  *#rewrite(from: number, text: Text | undefined): Steps<void> {
    this.#at = from + (text === undefined ? 0 : plain(text).length);
    yield { type: "rewrite", from, text };
  }

  /** Forgets what was written beyond a place, if anything was. */
  *#trim(from: number): Steps<void> {
    if (this.#at > from) yield* this.#rewrite(from, undefined);
  }

  *#constrain(constraint: Constraint): Steps<void> {
    yield { type: "constrain", constraint };
  }

  *#sample(): Steps<Sampled> {
    const sampled = (yield { type: "sample" })!;
    if (sampled.type === "text") this.#at += sampled.text.length;
    return sampled;
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
