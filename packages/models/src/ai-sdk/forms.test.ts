import type { GenerateRequest, JsonSchema, Message, Prefix, Prompt, Session } from "@agentpool/core";
import { APICallError } from "@ai-sdk/provider";
import { type Operation, run } from "effection";
import { describe, expect, it } from "vitest";
import { failureKind } from "../failure/model-failure.ts";
import { Limiter } from "../limiter/limiter.ts";
import { readTurn } from "../read-turn.ts";
import { type AiSdkOptions, fromAiSdk } from "./from-ai-sdk.ts";
import {
  type Answer,
  called,
  counted,
  finished,
  neverFinished,
  playing,
  said,
  thought,
} from "./mock.testing.ts";

const prefix: Prefix = {
  system: "You are brief.",
  tools: [
    { name: "search", description: "Searches.", parameters: { type: "object" } },
    {
      name: "report",
      description: "Ends.",
      parameters: {
        type: "object",
        properties: { result: { type: "string" }, sources: { type: "array", items: { type: "string" } } },
        required: ["result"],
      },
    },
  ],
};
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const output: JsonSchema = {
  type: "object",
  properties: { ready: { type: "boolean" }, note: { type: "string" } },
  required: ["ready"],
};
const forms = {
  output: { tools: [], output },
  report: { tools: ["report"], toolChoice: { tool: "report" } },
  required: { tools: ["search", "report"], toolChoice: "required" },
  none: { tools: [], toolChoice: "none" },
} satisfies Record<string, GenerateRequest>;

const text = (words: string): Answer => [...said(words), finished()];
const calls = (tool: string, input: string): Answer => [called(tool, input, "c"), finished("tool-calls")];

/** A session on a model that plays its answers, and what the model was sent. */
function* asked(answers: readonly Answer[], options: AiSdkOptions = {}) {
  const mock = playing(...answers);
  const session = yield* fromAiSdk(mock, options).open(prefix);
  yield* session.append([user("Go.")]);
  return { session, sent: mock.doStreamCalls };
}

function* turnOf(session: Session, request: GenerateRequest) {
  return (yield* readTurn(session.generate(request))).turn;
}

function* failureOf(session: Session, request: GenerateRequest): Operation<unknown> {
  try {
    yield* turnOf(session, request);
  } catch (error) {
    return error;
  }
  throw new Error("did not fail");
}

const lastText = (prompt: Prompt): string => JSON.stringify(prompt.at(-1));

describe("a turn that has to have a form", () => {
  it.each<[string, GenerateRequest, Answer]>([
    ["text of a schema", forms.output, text('{"ready":true}')],
    ["a forced call", forms.report, calls("report", '{"result":"r"}')],
    ["a required call", forms.required, calls("search", "{}")],
    ["no call", forms.none, text("Done.")],
  ])("is taken as it is where it has it: %s", (_, request, answer) =>
    run(function* () {
      const { session, sent } = yield* asked([answer]);
      yield* turnOf(session, request);
      expect(sent).toHaveLength(1);
      expect(sent[0]!.prompt).toHaveLength(2);
    }),
  );

  it.each<[string, GenerateRequest, Answer, Answer, RegExp]>([
    ["text that is no JSON", forms.output, text("Sure!"), text('{"ready":true}'), /not valid JSON/],
    [
      "JSON of another form",
      forms.output,
      text('{"ready":"yes"}'),
      text('{"ready":true}'),
      /expected boolean/,
    ],
    ["no text at all", forms.output, [finished()], text('{"ready":true}'), /not valid JSON/],
    [
      "text for a forced call",
      forms.report,
      text("Done."),
      calls("report", '{"result":"r"}'),
      /report was not called/,
    ],
    [
      "another call",
      forms.report,
      calls("search", "{}"),
      calls("report", '{"result":"r"}'),
      /report was not called/,
    ],
    [
      "arguments cut in two",
      forms.report,
      calls("report", '{"resu'),
      calls("report", '{"result":"r"}'),
      /valid JSON/,
    ],
    [
      "arguments of another form",
      forms.report,
      calls("report", "{}"),
      calls("report", '{"result":"r"}'),
      /result/,
    ],
    [
      "no call where one is required",
      forms.required,
      text("No."),
      calls("search", "{}"),
      /No tool was called/,
    ],
    ["a call where none may be", forms.none, calls("search", "{}"), text("Done."), /none may be/],
  ])("is asked for once more where it has it not: %s", (_, request, first, second, problem) =>
    run(function* () {
      const { session, sent } = yield* asked([first, second, text("Later.")]);
      const { turn, deltas } = yield* readTurn(session.generate(request));
      expect(sent).toHaveLength(2);
      expect(lastText(sent[1]!.prompt)).toMatch(problem);
      expect(sent[1]!.prompt.slice(0, 2)).toEqual(sent[0]!.prompt);
      expect(turn.usage).toEqual({ input: 200, output: 40, cached: 0 });
      const announced = deltas.filter(({ type }) => type === "call").length;
      expect(announced).toBe(turn.calls.length);
      expect(deltas.map((delta) => (delta.type === "text" ? delta.text : "")).join("")).toBe(turn.text ?? "");
      // Neither the first answer nor the correction is in the conversation.
      yield* session.append([user("And now?")]);
      yield* turnOf(session, { tools: [] });
      expect(sent[2]!.prompt.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    }),
  );

  it("answers the calls of the first attempt, so that the provider takes it back", () =>
    run(function* () {
      const { session, sent } = yield* asked([calls("search", "{}"), calls("report", '{"result":"r"}')]);
      yield* turnOf(session, forms.report);
      const [, , attempt, answer, correction] = sent[1]!.prompt;
      expect(attempt).toMatchObject({ role: "assistant", content: [{ type: "tool-call", toolCallId: "c" }] });
      expect(answer).toMatchObject({ role: "tool", content: [{ type: "tool-result", toolCallId: "c" }] });
      expect(correction).toMatchObject({ role: "user" });
    }));

  it("is refused when it does not have it the second time either, and nothing of it stays", () =>
    run(function* () {
      const { session, sent } = yield* asked([text("Sure!"), text("Sure!"), [finished()], [finished()]]);
      const held = session.tokens;
      for (const request of [forms.output, forms.report]) {
        const failure = yield* failureOf(session, request);
        expect(failureKind(failure)).toBe("misformed");
        expect((failure as Error).message).toMatch(/^mock\/one: asked twice, and still: /);
      }
      expect(sent).toHaveLength(4);
      expect(session.tokens).toBeGreaterThanOrEqual(held);
      yield* failureOf(session, { tools: [] });
      expect(sent[4]!.prompt).toHaveLength(2);
    }));

  it("is not lost where a report was forced and only text came, twice: the text is passed on, other calls are not", () =>
    run(function* () {
      const { session } = yield* asked([
        text("One."),
        [...said("What I found."), called("search", "{}", "c"), finished()],
      ]);
      expect(yield* turnOf(session, forms.report)).toMatchObject({
        text: "What I found.",
        calls: [],
        finish: "stop",
      });
    }));

  it("leaves out other calls beside the forced one", () =>
    run(function* () {
      const both: Answer = [
        called("search", "{}", "s"),
        called("report", '{"result":"r"}', "r"),
        finished("tool-calls"),
      ];
      const { session, sent } = yield* asked([both, text("Later.")]);
      expect((yield* turnOf(session, forms.report)).calls).toMatchObject([{ id: "r" }]);
      yield* turnOf(session, { tools: [] });
      expect(JSON.stringify(sent[1]!.prompt)).not.toContain('"s"');
    }));

  it("is not asked for again where it was cut by length or refused", () =>
    run(function* () {
      const { session, sent } = yield* asked([
        [...said('{"rea'), finished("length")],
        [...said("No."), finished("content-filter")],
      ]);
      expect((yield* turnOf(session, forms.output)).finish).toBe("length");
      expect((yield* turnOf(session, forms.output)).finish).toBe("refusal");
      expect(sent).toHaveLength(2);
    }));

  it("is taken out of its code fence, and without nulls that stand for nothing", () =>
    run(function* () {
      const { session } = yield* asked([
        text('```json\n{"ready":true}\n```'),
        text('{"ready":true,"note":null}'),
      ]);
      expect((yield* turnOf(session, forms.output)).text).toBe('{"ready":true}');
      expect((yield* turnOf(session, forms.output)).text).toBe('{"ready":true}');
    }));

  it("is handed out only once it has it, its reasoning included", () =>
    run(function* () {
      const first: Answer = [...thought("Hm."), ...said("Sure!"), finished()];
      const second: Answer = [...thought("Ah."), ...said('{"ready":true}'), finished()];
      const { session } = yield* asked([first, second]);
      const { turn, deltas } = yield* readTurn(session.generate(forms.output));
      expect(deltas).toEqual([
        { type: "reasoning", text: "Ah." },
        { type: "text", text: '{"ready":true}' },
      ]);
      expect(turn).toMatchObject({ reasoning: "Ah.", text: '{"ready":true}' });
    }));

  it("is not judged by a schema that nothing can be judged by", () =>
    run(function* () {
      const odd = { type: "object", unevaluatedProperties: { $ref: "nowhere" }, not: 5 } as JsonSchema;
      const { session, sent } = yield* asked([text("{}")]);
      yield* turnOf(session, { tools: [], output: odd });
      expect(sent).toHaveLength(1);
    }));
});

describe("a provider without a setting for it", () => {
  const emulate: AiSdkOptions = { emulate: ["toolChoice", "structuredOutput"] };

  it.each<[string, GenerateRequest, Answer, RegExp, object]>([
    ["a schema", forms.output, text('{"ready":true}'), /fits this schema.*ready/s, {}],
    [
      "a forced call",
      forms.report,
      calls("report", '{"result":"r"}'),
      /call the tool report/,
      { toolChoice: { type: "auto" } },
    ],
    [
      "a required call",
      forms.required,
      calls("search", "{}"),
      /search, report/,
      { toolChoice: { type: "auto" } },
    ],
    ["no call", forms.none, text("Done."), /Call no tool/, {}],
  ])("is told in words, at the very end: %s", (_, request, answer, words, options) =>
    run(function* () {
      const { session, sent } = yield* asked([answer, text("Later.")], emulate);
      yield* turnOf(session, request);
      expect(sent[0]!.prompt).toHaveLength(3);
      expect(lastText(sent[0]!.prompt)).toMatch(words);
      expect(sent[0]).toMatchObject(options);
      expect(sent[0]!.responseFormat).toBeUndefined();
      yield* turnOf(session, { tools: ["search"] });
      expect(sent[1]!.prompt.map(({ role }) => role)).toEqual(["system", "user", "assistant"]);
    }),
  );

  it("is sent the forced tool alone, and none where none may be called", () =>
    run(function* () {
      const { session, sent } = yield* asked([calls("report", '{"result":"r"}'), text("Done.")], {
        ...emulate,
        keepTools: true,
      });
      yield* turnOf(session, forms.report);
      yield* turnOf(session, { tools: ["search"], toolChoice: "none" });
      expect(sent[0]!.tools?.map(({ name }) => name)).toEqual(["report"]);
      expect(sent[1]!.tools).toBeUndefined();
    }));

  it.each([
    ["v3", { type: "unsupported" as const, feature: "toolChoice" }],
    ["v2", { type: "unsupported-setting", setting: "toolChoice" } as never],
  ])("is known by what its client of %s warns of, from the next turn on", (_, warning) =>
    run(function* () {
      const warned: Answer = [{ type: "stream-start", warnings: [warning] }, ...said("Hm."), finished()];
      const report = calls("report", '{"result":"r"}');
      const { session, sent } = yield* asked([warned, report, report]);
      yield* turnOf(session, forms.report);
      expect(sent.map(({ toolChoice }) => toolChoice?.type)).toEqual(["tool", "auto"]);
      yield* turnOf(session, forms.report);
      expect(lastText(sent[2]!.prompt)).toContain("Now call the tool report");
    }),
  );
});

describe("arguments", () => {
  it("come without the nulls of what was left out, and go back as the model wrote them", () =>
    run(function* () {
      const { session, sent } = yield* asked([
        calls("report", '{"result":"r","sources":null}'),
        text("Later."),
      ]);
      const turn = yield* turnOf(session, { tools: ["report"] });
      expect(turn.calls[0]!.input).toBe('{"result":"r"}');
      yield* turnOf(session, { tools: [] });
      expect(sent[1]!.prompt.at(-1)).toMatchObject({ content: [{ input: { result: "r", sources: null } }] });
    }));

  it("that hold no such null are the very text", () =>
    run(function* () {
      const input = '{ "result" : "not null" }';
      const { session } = yield* asked([calls("report", input), calls("report", '{"result": null')]);
      expect((yield* turnOf(session, { tools: ["report"] })).calls[0]!.input).toBe(input);
      expect((yield* turnOf(session, { tools: ["report"] })).calls[0]!.input).toBe('{"result": null');
    }));
});

it("usage of a turn that was asked for twice is that of both, what the provider did not count estimated", () =>
  run(function* () {
    const usage = counted(undefined, undefined);
    const bare: Answer = [
      ...said("Sure!"),
      { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
    ];
    const { session } = yield* asked([bare, text('{"ready":true}')]);
    const held = session.tokens;
    const { usage: used } = yield* turnOf(session, forms.output);
    expect(used.input).toBe(held + 100);
    expect(used.output).toBeGreaterThan(20);
  }));

it("a turn whose second request fails has used what its first answer used", () =>
  run(function* () {
    for (const [status, name] of [
      [429, "ModelLimitError"],
      [500, "ModelLimitError"],
      [400, "ModelError"],
    ] as const) {
      const failing = new APICallError({
        message: "no",
        url: "http://x",
        requestBodyValues: {},
        statusCode: status,
      });
      const { session } = yield* asked([text("Sure!"), failing, failing], { limiter: new Limiter() });
      const used = { input: 100, output: 20, cached: 0 };
      expect(yield* failureOf(session, forms.output)).toMatchObject({ name, usage: used });
    }
  }));

it("a turn that fails at once has used nothing", () =>
  run(function* () {
    const failing = new APICallError({
      message: "no",
      url: "http://x",
      requestBodyValues: {},
      statusCode: 500,
    });
    const { session } = yield* asked([failing], { limiter: new Limiter() });
    expect(yield* failureOf(session, forms.output)).toMatchObject({ usage: undefined });
  }));

it("a turn that its provider ended with an error has used what the provider says, and one that broke off nothing that is known", () =>
  run(function* () {
    for (const [answer, usage] of [
      [[...said("Hm."), finished("error")], { input: 100, output: 20, cached: 0 }],
      [[...said("Hm."), neverFinished], undefined],
      [said("Hm."), undefined],
    ] as const) {
      const { session } = yield* asked([answer as Answer], { limiter: new Limiter() });
      expect(yield* failureOf(session, { tools: [] })).toMatchObject({ reason: "unavailable", usage });
    }
  }));

it("what is named as something that every object has may be left out of an answer's form", () =>
  run(function* () {
    const properties = { constructor: { type: "string" }, toString: {}, ready: { type: "boolean" } };
    const { session, sent } = yield* asked([text('{"ready":true}')]);
    const turn = yield* turnOf(session, {
      tools: [],
      output: { type: "object", properties, required: ["ready"] },
    });
    expect(turn.text).toBe('{"ready":true}');
    expect(sent).toHaveLength(1);
  }));
