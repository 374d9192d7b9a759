import type { JsonSchema, ToolSchema } from "@agentpool/core";
import { LlamaText, SpecialTokensText } from "node-llama-cpp";
import { describe, expect, it } from "vitest";
import type { Syntax } from "../chat/syntax.ts";
import { plain } from "../chat/syntax.ts";
import { matches, parseGbnf } from "../grammar/gbnf.testing.ts";
import type { Step } from "./tape.ts";
import type { TurnPlan } from "./turn-plan.ts";
import { type Said, writeTurn } from "./write-turn.ts";

const object = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const search: ToolSchema = {
  name: "search",
  description: "",
  parameters: object({ query: { type: "string" } }),
};
const note: ToolSchema = {
  name: "note",
  description: "",
  parameters: object({ id: { type: "string", pattern: "^[a-z]+$" } }),
};

const syntax: Syntax = {
  callStart: LlamaText(new SpecialTokensText("<call>")),
  callStarts: ["<call>"],
  beforeArguments: () => ": ",
  afterCall: () => LlamaText(new SpecialTokensText("</call>")),
  nextCall: LlamaText(["\n", new SpecialTokensText("<call>")]),
  reasoning: {
    start: LlamaText(new SpecialTokensText("<think>")),
    end: LlamaText(new SpecialTokensText("</think>")),
    begunBy: "model",
  },
  native: true,
};

function planOf(given: Partial<TurnPlan>): TurnPlan {
  let ids = 0;
  return {
    syntax,
    stops: ["###"],
    tools: [search, note],
    calls: "free",
    output: undefined,
    answer: "answer",
    limits: { characters: 100, items: 4 },
    reasoning: 100,
    nextId: () => `call_${++ids}`,
    text: (text) => LlamaText(text),
    ...given,
  };
}

const END = Symbol("end");

interface Played {
  readonly said: Said;
  readonly deltas: readonly string[];
  /** All text that stands in the end, what was written for the model included. */
  readonly text: string;
  readonly steps: readonly Step[];
}

/** Plays a turn with what the model writes, token by token. When it has written all, no more tokens are left. */
function play(given: Partial<TurnPlan>, tokens: readonly (string | typeof END)[]): Played {
  const left = [...tokens];
  const steps: Step[] = [];
  const deltas: string[] = [];
  let text = "";
  let grammar: { rules: ReturnType<typeof parseGbnf>; from: number } | undefined;
  const turn = writeTurn(planOf(given));
  for (let next = turn.next(); ; ) {
    if (next.done) return { said: next.value, deltas, text, steps };
    const step = next.value;
    steps.push(step);
    if (step.type === "delta")
      deltas.push(step.delta.type === "call" ? `call ${step.delta.tool}` : step.delta.text);
    if (step.type === "write") text += plain(step.text);
    if (step.type === "rewrite") text = text.slice(0, step.from) + (step.text ? plain(step.text) : "");
    if (step.type === "constrain")
      grammar = step.constraint.grammar
        ? { rules: parseGbnf(step.constraint.grammar), from: text.length }
        : undefined;
    if (step.type !== "sample") {
      next = turn.next();
      continue;
    }
    const token = left.shift();
    if (token === undefined) next = turn.next({ type: "spent" });
    else if (token === END) next = turn.next({ type: "end" });
    else {
      text += token;
      next = turn.next({ type: "text", text: token });
    }
    if (grammar !== undefined && next.done) expectMatch(grammar.rules, text.slice(grammar.from), token);
  }
}

function expectMatch(rules: ReturnType<typeof parseGbnf>, text: string, last: unknown): void {
  if (last !== undefined) expect(matches(rules, text), text).toBe(true);
}

describe("a turn in text", () => {
  it("is what the model wrote, without the space around it, and its deltas add up to it", () => {
    const { said, deltas } = play({ calls: "none" }, [" It", " is ", " so", ". ", END]);
    expect(said).toEqual({ text: "It is  so.", calls: [], finish: "stop" });
    expect(deltas.join("")).toBe(said.text);
  });

  it("may not end before it begins", () => {
    const { steps } = play({ calls: "none" }, ["x", "y", END]);
    const constraints = steps.flatMap((step) => (step.type === "constrain" ? [step.constraint] : []));
    expect(constraints).toEqual([{ goOn: true }, {}]);
  });

  it("ends at the template's own end of a turn, which is not part of it", () => {
    expect(play({ calls: "none" }, ["So.", "#", "##user"]).said).toEqual({
      text: "So.",
      calls: [],
      finish: "stop",
    });
  });

  it("that is cut off says so, and keeps what was held back", () => {
    expect(play({}, ["a <ca"]).said).toEqual({ text: "a <ca", calls: [], finish: "length" });
  });

  it("is no call where none may be made", () => {
    expect(play({ calls: "none" }, ["<call>search", END]).said.calls).toEqual([]);
  });
});

describe("a turn with reasoning", () => {
  it("keeps it apart from the text", () => {
    const { said, deltas } = play({}, ["<think>", "Hm", ". ", "</think>", "\n", "Yes.", END]);
    expect(said).toEqual({ reasoning: "Hm.", text: "Yes.", calls: [], finish: "stop" });
    expect(deltas).toEqual(["Hm", ".", "Yes."]);
  });

  it("ends reasoning that does not end by itself", () => {
    const { said, text } = play({ reasoning: 2 }, ["<think>", "Hm", "hm", "So.", END]);
    expect(said).toEqual({ reasoning: "Hmhm", text: "So.", calls: [], finish: "stop" });
    expect(text).toBe("<think>Hmhm</think>So.");
  });

  it("lets the model finish thinking before it must call, where each turn starts with thought", () => {
    const begun: Syntax = { ...syntax, reasoning: { ...syntax.reasoning!, begunBy: "us" } };
    const { said, text } = play({ syntax: begun, calls: "always", tools: [search] }, [
      "Which?",
      "</think>",
      '{"query": "x"}',
    ]);
    expect(said).toMatchObject({ reasoning: "Which?", finish: "calls", calls: [{ tool: "search" }] });
    expect(text).toMatch(/^<think>Which\?<\/think><call>search: /);
  });

  it("that uses up the turn is a turn cut off", () => {
    expect(play({}, ["<think>", "Hm"]).said).toEqual({ reasoning: "Hm", calls: [], finish: "length" });
  });
});

describe("a call", () => {
  it("is recognised in the model's own text, and kept in form from its first word on", () => {
    const { said, deltas, text } = play({}, [
      "Let me see. ",
      "<ca",
      "ll>no",
      "search: ",
      '{"query"',
      ': "x"}',
    ]);
    expect(said).toEqual({
      text: "Let me see.",
      calls: [{ id: "call_1", tool: "search", input: '{"query": "x"}' }],
      finish: "calls",
    });
    expect(deltas).toEqual(["Let me see.", "call search"]);
    expect(text).toBe('Let me see. <call>search: {"query": "x"}</call>');
  });

  it("is followed by others, as long as the model goes on", () => {
    const { said, text } = play({}, [
      "<call>",
      'search: {"query": "x"}',
      "\n<call",
      ">",
      'note: {"id": "abc"}',
      "\nThat is all.",
      END,
    ]);
    expect(said.calls.map(({ id, tool }) => [id, tool])).toEqual([
      ["call_1", "search"],
      ["call_2", "note"],
    ]);
    expect(said).toMatchObject({ finish: "calls" });
    expect(said.text).toBeUndefined();
    expect(text).toContain('</call>\n<call>note: {"id": "abc"}</call>');
  });

  it("is of the one tool that is allowed, whose name the model need not write", () => {
    const { said, text } = play({ calls: "always", tools: [search] }, ['{"query": "x"}']);
    expect(said).toMatchObject({ finish: "calls", calls: [{ tool: "search", input: '{"query": "x"}' }] });
    expect(text).toBe('<call>search: {"query": "x"}');
  });

  it("that is cut off does not exist", () => {
    expect(play({ calls: "always" }, ["search: ", '{"query": "x']).said).toEqual({
      calls: [],
      finish: "length",
    });
  });

  it("whose arguments do not fit is written once more, and then stands", () => {
    const twice = play({ calls: "always" }, ["note: ", '{"id": "A"}', '{"id": "ab"}']);
    expect(twice.said.calls).toEqual([{ id: "call_1", tool: "note", input: '{"id": "ab"}' }]);
    expect(twice.text).toBe('<call>note: {"id": "ab"}');
    const never = play({ calls: "always" }, ["note: ", '{"id": "A"}', '{"id": "B"}']);
    expect(never.said.calls[0]!.input).toBe('{"id": "B"}');
    expect(never.deltas).toEqual(["call note"]);
  });

  it("may have arguments beside its tool's name in one token", () => {
    const { said } = play({ calls: "always" }, ['search: {"query": ', '"x"}']);
    expect(said.calls[0]!.input).toBe('{"query": "x"}');
  });
});

describe("a choice", () => {
  it("may fall on text, which is then written freely", () => {
    const { said, text } = play({ calls: "choose" }, ["answer", ": ", "It is <call>", END]);
    expect(said).toEqual({ text: "It is <call>", calls: [], finish: "stop" });
    expect(text).toBe("It is <call>");
  });

  it("may fall on a tool", () => {
    const { said } = play({ calls: "choose" }, ["search: ", '{"query": "x"}']);
    expect(said).toMatchObject({ finish: "calls", calls: [{ tool: "search" }] });
  });

  it("between a call and text of a form keeps to the form", () => {
    const { said } = play({ calls: "choose", output: object({ ok: { type: "boolean" } }) }, [
      "answer: ",
      '{"ok": true}',
    ]);
    expect(said).toEqual({ text: '{"ok": true}', calls: [], finish: "stop" });
  });
});

describe("text of a form", () => {
  const output = object({ id: { type: "string", pattern: "^[a-z]+$" } });

  it("is given out once it is known to fit", () => {
    const { said, deltas } = play({ calls: "none", output }, ['{"id":', ' "A"}', '{"id": "a"}']);
    expect(said).toEqual({ text: '{"id": "a"}', calls: [], finish: "stop" });
    expect(deltas).toEqual(['{"id": "a"}']);
  });

  it("ends with the model where it has no end of its own", () => {
    const { said } = play({ calls: "none", output: { type: "integer" } }, ["4", "2", END]);
    expect(said).toEqual({ text: "42", calls: [], finish: "stop" });
  });

  it("that is cut off says so", () => {
    expect(play({ calls: "none", output }, ['{"id": "a']).said).toEqual({
      text: '{"id": "a',
      calls: [],
      finish: "length",
    });
  });
});
