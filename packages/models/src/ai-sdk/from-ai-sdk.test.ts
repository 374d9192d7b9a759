import {
  ConfigurationError,
  type GenerateRequest,
  type Message,
  type Model,
  ModelLimitError,
  type Prefix,
  type Session,
} from "@agentpool/core";
import { APICallError, type LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { MockLanguageModelV3 } from "ai/test";
import { all, type Operation, run, scoped, spawn, withResolvers } from "effection";
import { describe, expect, it } from "vitest";
import { useManualClock } from "../clock.testing.ts";
import { InterruptedError } from "../failure/model-failure.ts";
import { readTurn } from "../read-turn.ts";
import { type AiSdkOptions, fromAiSdk } from "./from-ai-sdk.ts";
import {
  called,
  counted,
  finished,
  neverFinished,
  olderModel,
  playing,
  said,
  started,
  streamOf,
  thought,
} from "./mock.testing.ts";

const prefix: Prefix = {
  system: "You are brief.",
  tools: [
    {
      name: "search",
      description: "Searches.",
      parameters: { type: "object", properties: { q: { type: "string" } } },
    },
    { name: "report", description: "Ends.", parameters: { type: "object" } },
  ],
};
const open: GenerateRequest = { tools: ["search", "report"] };
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

function* asked(model: Model, text = "Find it."): Operation<Session> {
  const session = yield* model.open(prefix);
  yield* session.append([user(text)]);
  return session;
}

function* turnOf(session: Session, request = open) {
  return (yield* readTurn(session.generate(request))).turn;
}

function* failureOf(session: Session): Operation<Error> {
  try {
    yield* turnOf(session);
  } catch (error) {
    return error as Error;
  }
  throw new Error("did not fail");
}

const limited = (statusCode: number, responseHeaders: Record<string, string> = {}, data?: unknown) =>
  new APICallError({
    message: "slow down",
    url: "http://x",
    requestBodyValues: {},
    statusCode,
    responseHeaders,
    data,
  });

describe("a turn of an AI SDK model", () => {
  it("streams reasoning and text, and announces calls before they exist", () =>
    run(function* () {
      const mock = playing([
        ...thought("Look."),
        ...said("Looking it up."),
        started("search", "a"),
        { type: "tool-input-delta", id: "a", delta: '{"q":' },
        called("search", '{"q":"x"}', "a"),
        finished("tool-calls"),
      ]);
      const { turn, deltas } = yield* readTurn((yield* asked(fromAiSdk(mock))).generate(open));
      expect(deltas.map(({ type }) => type)).toEqual(["reasoning", "text", "text", "text", "text", "call"]);
      expect(turn).toEqual({
        reasoning: "Look.",
        text: "Looking it up.",
        calls: [{ id: "a", tool: "search", input: '{"q":"x"}' }],
        usage: { input: 100, output: 20, cached: 0 },
        finish: "calls",
      });
    }));

  it("passes malformed arguments on as text, and takes them back to the provider as an object", () =>
    run(function* () {
      const mock = playing(
        [called("search", '{"q": "x', "a"), finished("tool-calls")],
        [...said("Sorry."), finished()],
      );
      const session = yield* asked(fromAiSdk(mock));
      expect((yield* turnOf(session)).calls[0]!.input).toBe('{"q": "x');
      yield* turnOf(session);
      expect(mock.doStreamCalls[1]!.prompt.at(-1)).toMatchObject({
        content: [{ type: "tool-call", toolCallId: "a", input: { malformed: '{"q": "x' } }],
      });
    }));

  it("reads a call without arguments as one with none", () =>
    run(function* () {
      const session = yield* asked(fromAiSdk(playing([called("search", "", "a"), finished("tool-calls")])));
      expect((yield* turnOf(session)).calls[0]!.input).toBe("{}");
    }));

  it("makes ids unique that are missing or used twice, within a turn and across turns, and sends those back", () =>
    run(function* () {
      const twice = [
        called("search", '{"q":"1"}', "a"),
        called("search", '{"q":"2"}', "a"),
        called("report", "{}", ""),
      ];
      const mock = playing(
        [...twice, finished("tool-calls")],
        [started("search", "a"), called("search", '{"q":"3"}', "a"), finished("tool-calls")],
        [...said("Done."), finished()],
      );
      const session = yield* asked(fromAiSdk(mock));
      const first = yield* turnOf(session);
      const second = yield* turnOf(session);
      const ids = [...first.calls, ...second.calls].map(({ id }) => id);
      expect(new Set(ids).size).toBe(4);
      expect(ids.every((id) => /^[\w-]+$/.test(id))).toBe(true);
      expect([...first.calls, ...second.calls].map(({ input }) => input)).toEqual([
        '{"q":"1"}',
        '{"q":"2"}',
        "{}",
        '{"q":"3"}',
      ]);
      yield* turnOf(session);
      const sent = mock.doStreamCalls[2]!.prompt.flatMap(({ role, content }) =>
        role === "assistant" ? content.map((part) => "toolCallId" in part && part.toolCallId) : [],
      );
      expect(sent).toEqual(ids);
    }));

  it("keeps two calls apart that stream at once under one id", () =>
    run(function* () {
      const mock = playing([
        started("search", "a"),
        started("search", "a"),
        called("search", '{"q":"1"}', "a"),
        called("search", '{"q":"2"}', "a"),
        finished("tool-calls"),
      ]);
      const { turn, deltas } = yield* readTurn((yield* asked(fromAiSdk(mock))).generate(open));
      expect(turn.calls.map(({ input }) => input)).toEqual(['{"q":"1"}', '{"q":"2"}']);
      expect(deltas.map((delta) => delta.type === "call" && delta.id)).toEqual(
        turn.calls.map(({ id }) => id),
      );
    }));

  it("fails when the stream is cut in the middle of a call, and keeps neither call nor text", () =>
    run(function* () {
      const cut = [...said("Looking."), started("search", "a")];
      const mock = playing(cut, [...cut, neverFinished], [...said("Here."), finished()]);
      const session = yield* asked(fromAiSdk(mock));
      const held = session.tokens;
      expect((yield* failureOf(session)).message).toMatch(/mock\/one: the stream ended before/);
      expect((yield* failureOf(session)).message).toMatch(/the stream ended before/);
      expect(session.tokens).toBe(held);
      yield* turnOf(session);
      expect(mock.doStreamCalls[2]!.prompt).toHaveLength(2);
    }));

  it("fails on an error in the middle of the stream, saying which model and what it said", () =>
    run(function* () {
      const mock = playing(
        [...said("Look"), { type: "error", error: { type: "api_error", message: "internal trouble" } }],
        [...said("Look"), new Error("socket hang up")],
        [...said("Look"), finished("error")],
      );
      const session = yield* asked(fromAiSdk(mock));
      const failures = [yield* failureOf(session), yield* failureOf(session), yield* failureOf(session)];
      expect(failures.map(({ message }) => message)).toEqual([
        "mock/one: internal trouble",
        "mock/one: socket hang up",
        "mock/one: the provider ended the turn with an error; nothing of it was kept",
      ]);
      for (const failure of failures) expect(failure).toBeInstanceOf(InterruptedError);
    }));

  it("is empty where the provider says nothing, and leaves no message", () =>
    run(function* () {
      const mock = playing([finished()], [...said("Now."), finished()]);
      const session = yield* asked(fromAiSdk(mock));
      const turn = yield* turnOf(session);
      expect(turn).toMatchObject({ calls: [], finish: "stop" });
      expect(turn.text).toBeUndefined();
      yield* turnOf(session);
      expect(mock.doStreamCalls[1]!.prompt.map(({ role }) => role)).toEqual(["system", "user"]);
    }));

  it("is a refusal where a content filter ended it, and none of its calls exist", () =>
    run(function* () {
      const mock = playing([...said("I can't."), called("search", "{}", "a"), finished("content-filter")]);
      expect(yield* turnOf(yield* asked(fromAiSdk(mock)))).toMatchObject({
        text: "I can't.",
        calls: [],
        finish: "refusal",
      });
    }));

  it("says that it was cut short by length, and keeps only calls that are whole", () =>
    run(function* () {
      const mock = playing([
        called("search", '{"q":"whole"}', "a"),
        called("search", '{"q":"cu', "b"),
        called("search", "", "c"),
        finished("length"),
      ]);
      const turn = yield* turnOf(yield* asked(fromAiSdk(mock)));
      expect(turn.finish).toBe("length");
      expect(turn.calls.map(({ id }) => id)).toEqual(["a"]);
    }));

  it("leaves calls that the provider runs itself to the provider", () =>
    run(function* () {
      const own = {
        ...called("web_search", "{}", "srv"),
        providerExecuted: true,
      } as LanguageModelV3StreamPart;
      const mock = playing([own, ...said("Found."), finished()]);
      expect(yield* turnOf(yield* asked(fromAiSdk(mock)))).toMatchObject({ calls: [], text: "Found." });
    }));

  it("sends back what the provider attached to its reasoning, signatures included", () =>
    run(function* () {
      const signed = { anthropic: { signature: "s1" } };
      const mock = playing(
        [
          { type: "reasoning-start", id: "0" },
          { type: "reasoning-delta", id: "0", delta: "Hm." },
          { type: "reasoning-delta", id: "0", delta: "", providerMetadata: signed },
          { type: "reasoning-end", id: "0" },
          ...said("Yes."),
          finished(),
        ],
        [...said("Again."), finished()],
      );
      const session = yield* asked(fromAiSdk(mock));
      yield* turnOf(session);
      yield* turnOf(session);
      expect(mock.doStreamCalls[1]!.prompt[2]!.content).toMatchObject([
        { type: "reasoning", text: "Hm.", providerOptions: signed },
        { type: "text", text: "Yes." },
      ]);
    }));

  it("shrugs off parts that make no sense", () =>
    run(function* () {
      const odd = [
        null,
        7,
        {},
        { type: "text-delta" },
        { type: "tool-call", input: 5 },
        { type: "new-in-v9" },
      ];
      const mock = playing([...(odd as LanguageModelV3StreamPart[]), ...said("Fine."), finished()]);
      const turn = yield* turnOf(yield* asked(fromAiSdk(mock)));
      expect(turn.text).toBe("Fine.");
      expect(turn.calls).toHaveLength(1);
    }));
});

describe("usage", () => {
  it("is what the provider counted, the cached part included", () =>
    run(function* () {
      const finish: LanguageModelV3StreamPart = {
        type: "finish",
        finishReason: { unified: "stop", raw: "stop" },
        usage: counted(900, 30, 800),
      };
      const session = yield* asked(fromAiSdk(playing([...said("Yes."), finish])));
      expect((yield* turnOf(session)).usage).toEqual({ input: 900, output: 30, cached: 800 });
      expect(session.tokens).toBeGreaterThanOrEqual(900);
    }));

  it("is estimated where the provider counts nothing", () =>
    run(function* () {
      const finish: LanguageModelV3StreamPart = {
        type: "finish",
        finishReason: { unified: "stop", raw: "stop" },
        usage: counted(undefined, undefined),
      };
      const session = yield* asked(fromAiSdk(playing([...said("Yes."), finish])));
      const before = session.tokens;
      expect((yield* turnOf(session)).usage).toEqual({
        input: before,
        output: session.tokens - before,
        cached: 0,
      });
    }));

  it("of v2 counts the cached part into the input where the provider left it out", () =>
    run(function* () {
      const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedInputTokens: 90 };
      const mock = olderModel(() => [{ type: "finish", finishReason: "stop", usage }]);
      expect((yield* turnOf(yield* asked(fromAiSdk(mock)))).usage).toEqual({
        input: 100,
        output: 5,
        cached: 90,
      });
    }));
});

describe("a rate limit", () => {
  const cases: [string, Error, number | undefined][] = [
    ["429 with seconds", limited(429, { "Retry-After": "2.5" }), 2_500],
    ["429 with milliseconds", limited(429, { "retry-after-ms": "250", "retry-after": "9" }), 250],
    [
      "429 with a date, by the server's clock",
      limited(429, { "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT", date: "Thu, 01 Jan 2026 00:00:00 GMT" }),
      30_000,
    ],
    ["429 with a date that has passed", limited(429, { "retry-after": "Thu, 01 Jan 2015 00:00:30 GMT" }), 0],
    ["429 without a word", limited(429), undefined],
    ["429 with nonsense", limited(429, { "retry-after": "soon" }), undefined],
    ["529", limited(529), undefined],
    ["503 with seconds", limited(503, { "retry-after": "1" }), 1_000],
    ["a delay in the body", limited(429, {}, { error: { details: [{ retryDelay: "34.5s" }] } }), 34_500],
  ];
  for (const [name, error, afterMs] of cases) {
    it(`is told by ${name}`, () =>
      run(function* () {
        const clock = yield* useManualClock();
        const session = yield* asked(fromAiSdk(playing(error, [...said("Yes."), finished()])));
        const held = session.tokens;
        const failure = yield* failureOf(session);
        expect(failure).toBeInstanceOf(ModelLimitError);
        expect((failure as ModelLimitError).retryAfterMs).toBe(afterMs);
        expect(session.tokens).toBe(held);
        clock.advance(afterMs ?? 1_000);
        expect((yield* turnOf(session)).text).toBe("Yes.");
      }));
  }

  it("is told inside a stream too", () =>
    run(function* () {
      const overloaded = {
        type: "error" as const,
        error: { type: "overloaded_error", message: "Overloaded" },
      };
      const failure = yield* failureOf(yield* asked(fromAiSdk(playing([...said("Lo"), overloaded]))));
      expect(failure).toMatchObject({ name: "ModelLimitError", reason: "overloaded" });
    }));

  it.each<[string, Error, string]>([
    ["429", limited(429), "rate_limit"],
    ["429, said with words of its own", limited(429, {}, { error: { type: "slow_down" } }), "rate_limit"],
    [
      "503 of a proxy that limits rates",
      limited(503, {}, { error: { type: "rate_limit_exceeded" } }),
      "rate_limit",
    ],
    [
      "Google's quota a minute",
      limited(429, {}, [{ error: { status: "RESOURCE_EXHAUSTED" } }]),
      "rate_limit",
    ],
    ["503", limited(503), "overloaded"],
    ["529", limited(529), "overloaded"],
    ["Google's word for it", limited(503, {}, [{ error: { status: "UNAVAILABLE" } }]), "overloaded"],
    ["429 for too much to do", limited(429, {}, { error: { type: "overloaded_error" } }), "overloaded"],
    ["500", limited(500), "unavailable"],
    ["502", limited(502), "unavailable"],
    ["a connection that broke", new TypeError("fetch failed"), "unavailable"],
  ])(
    "is told apart from a provider that has too much to do, and from one in trouble: %s",
    (_, error, reason) =>
      run(function* () {
        yield* useManualClock();
        const failure = yield* failureOf(yield* asked(fromAiSdk(playing(error))));
        expect(failure).toMatchObject({ name: "ModelLimitError", reason });
      }),
  );

  it("holds the others back, who are told the same reason", () =>
    run(function* () {
      yield* useManualClock();
      for (const [status, reason] of [
        [429, "rate_limit"],
        [529, "overloaded"],
      ] as const) {
        const model = fromAiSdk(playing(limited(status, { "retry-after": "60" })));
        yield* failureOf(yield* asked(model));
        const failure = yield* failureOf(yield* asked(model));
        expect(failure).toMatchObject({ reason, message: expect.stringContaining("nothing was sent") });
      }
    }));

  it("of one that was under way as everybody was held back is as long as theirs, for its own reason", () =>
    run(function* () {
      yield* useManualClock();
      const model = fromAiSdk(playing(limited(429, { "retry-after": "60" }), limited(529)));
      const sessions = [yield* asked(model), yield* asked(model)];
      const failures = yield* all(sessions.map((session) => failureOf(session)));
      expect(failures).toMatchObject([
        { reason: "rate_limit", retryAfterMs: 60_000 },
        { reason: "overloaded", retryAfterMs: 60_000 },
      ]);
    }));

  it("is not what a spent quota or a refused key is", () =>
    run(function* () {
      const spent = limited(429, {}, { error: { code: "insufficient_quota", message: "pay first" } });
      const refused = limited(401);
      const session = yield* asked(fromAiSdk(playing(spent, refused)));
      const failures = [yield* failureOf(session), yield* failureOf(session)];
      expect(failures.some((failure) => failure instanceof ModelLimitError)).toBe(false);
      expect(failures.map(({ message }) => message)).toEqual([
        "mock/one: 429 slow down",
        "mock/one: 401 slow down",
      ]);
    }));
});

describe("what a provider is sent", () => {
  const answers = (n: number) => Array.from({ length: n }, () => [...said("Yes."), finished()]);
  const calling = (tool: string) => [called(tool, "{}", ""), finished("tool-calls")];

  it("is the same message objects from every fork, up to where they part", () =>
    run(function* () {
      const mock = playing(...answers(3));
      const source = yield* asked(fromAiSdk(mock));
      yield* turnOf(source);
      for (const word of ["one", "two"]) {
        const fork = yield* source.fork();
        yield* fork.append([user(word)]);
        yield* turnOf(fork);
      }
      const [, one, two] = mock.doStreamCalls.map(({ prompt }) => prompt);
      expect(one).toHaveLength(4);
      for (let at = 0; at < 3; at++) expect(one![at]).toBe(two![at]);
      expect(one![3]).not.toBe(two![3]);
    }));

  it("names the tools asked for, in the prefix' order, and maps the tool choice", () =>
    run(function* () {
      const [yes] = answers(1);
      const mock = playing(yes!, calling("search"), calling("report"), yes!, yes!);
      const session = yield* asked(fromAiSdk(mock));
      yield* turnOf(session, { tools: ["report", "search"] });
      yield* turnOf(session, { tools: ["search", "unknown"], toolChoice: "required" });
      yield* turnOf(session, { tools: ["search"], toolChoice: { tool: "report" } });
      yield* turnOf(session, { tools: ["search"], toolChoice: "none" });
      yield* turnOf(session, { tools: [] });
      const sent = mock.doStreamCalls.map(({ tools, toolChoice }) => [
        tools?.map(({ name }) => name),
        toolChoice,
      ]);
      expect(sent).toEqual([
        [["search", "report"], { type: "auto" }],
        [["search"], { type: "required" }],
        [["search", "report"], { type: "tool", toolName: "report" }],
        [["search"], { type: "none" }],
        [undefined, undefined],
      ]);
      expect(mock.doStreamCalls[0]!.tools![0]).toMatchObject({ inputSchema: prefix.tools[0]!.parameters });
    }));

  it("keeps all tools in forced turns where the provider's cache needs them", () =>
    run(function* () {
      const mock = playing(...answers(1), calling("report"));
      const session = yield* asked(fromAiSdk(mock, { keepTools: true }));
      yield* turnOf(session, { tools: [], toolChoice: "none" });
      yield* turnOf(session, { tools: ["report"], toolChoice: { tool: "report" } });
      for (const { tools } of mock.doStreamCalls) expect(tools).toHaveLength(2);
    }));

  it("has the settings, the lower token limit and the schema of the output", () =>
    run(function* () {
      const mock = playing([...said("{}"), finished()]);
      const session = yield* asked(fromAiSdk(mock, { settings: { temperature: 0, maxOutputTokens: 500 } }));
      const output = { type: "object", properties: {} };
      yield* turnOf(session, { tools: [], output, maxTokens: 50 });
      expect(mock.doStreamCalls[0]).toMatchObject({
        temperature: 0,
        maxOutputTokens: 50,
        responseFormat: { type: "json", schema: output },
      });
    }));

  it("marks the prefix, the forks and the end for a cache, the same for all forks", () =>
    run(function* () {
      const mock = playing(...answers(2));
      const breakpoint = { cache: { here: true } };
      const options: AiSdkOptions = { cacheBreakpoint: breakpoint };
      const source = yield* asked(fromAiSdk(mock, options));
      for (const word of ["one", "two"]) {
        const fork = yield* source.fork();
        yield* fork.append([user(word), user("and more")]);
        yield* turnOf(fork);
      }
      const [one, two] = mock.doStreamCalls.map(({ prompt }) => prompt);
      expect(one!.map(({ providerOptions }) => providerOptions !== undefined)).toEqual([
        true,
        true,
        false,
        true,
      ]);
      for (let at = 0; at < 2; at++) expect(one![at]).toBe(two![at]);
      expect((yield* source.fork()).tokens).toBe(source.tokens);
    }));

  it("never marks more than four places, and none that a rewind gave up", () =>
    run(function* () {
      const mock = playing(...answers(2));
      let session = yield* asked(fromAiSdk(mock, { cacheBreakpoint: { cache: { here: true } } }));
      const mark = session.mark();
      for (let at = 0; at < 6; at++) {
        session = yield* session.fork();
        yield* session.append([user(`${at}`)]);
      }
      yield* turnOf(session);
      yield* session.rewind(mark);
      yield* session.append([user("x"), user("y"), user("z")]);
      yield* turnOf(session);
      const marked = mock.doStreamCalls.map(({ prompt }) =>
        prompt.flatMap(({ providerOptions }, at) => (providerOptions ? [at] : [])),
      );
      expect(marked).toEqual([
        [0, 5, 6, 7],
        [0, 1, 4],
      ]);
    }));

  it("says tool results and files as the version knows them", () =>
    run(function* () {
      const seen: unknown[] = [];
      const model = (specificationVersion: string) => ({
        specificationVersion,
        provider: "mock",
        modelId: "any",
        doStream: async (options: { prompt: unknown[] }) => {
          seen.push(options.prompt.at(-1));
          return { stream: streamOf<unknown>([...said("Yes."), finished()]) };
        },
      });
      const output = {
        type: "content" as const,
        value: [{ type: "file-data" as const, data: "AAAA", mediaType: "a/b" }],
      };
      const result = { type: "tool-result" as const, toolCallId: "1", toolName: "search", output };
      for (const version of ["v2", "v3", "v4"]) {
        const session = yield* fromAiSdk(model(version)).open(prefix);
        yield* session.append([{ role: "tool", content: [result] }]);
        yield* turnOf(session);
      }
      const items = [
        { type: "media", data: "AAAA", mediaType: "a/b" },
        { type: "file-data", data: "AAAA", mediaType: "a/b" },
        { type: "file", data: { type: "data", data: "AAAA" }, mediaType: "a/b" },
      ];
      expect(seen).toEqual(
        items.map((item) => ({
          role: "tool",
          content: [{ ...result, output: { type: "content", value: [item] } }],
        })),
      );
    }));
});

describe("an AI SDK session that is left", () => {
  it("aborts a request whose reader is halted before any part came", () =>
    run(function* () {
      const begun = withResolvers<AbortSignal>();
      const mock = new MockLanguageModelV3({
        doStream: ({ abortSignal }) => {
          begun.resolve(abortSignal!);
          return new Promise(() => {});
        },
      });
      const session = yield* asked(fromAiSdk(mock));
      const reader = yield* spawn(() => turnOf(session));
      const signal = yield* begun.operation;
      expect(signal.aborted).toBe(false);
      yield* reader.halt();
      expect(signal.aborted).toBe(true);
    }));

  it("cancels a stream that arrives after its reader was halted", () =>
    run(function* () {
      const begun = withResolvers<void>();
      const cancelled = withResolvers<void>();
      let answer: (late: { stream: ReadableStream<LanguageModelV3StreamPart> }) => void = () => {};
      const mock = new MockLanguageModelV3({
        doStream: () =>
          new Promise((resolve) => {
            answer = resolve;
            begun.resolve();
          }),
      });
      const session = yield* asked(fromAiSdk(mock));
      const reader = yield* spawn(() => turnOf(session));
      yield* begun.operation;
      yield* reader.halt();
      answer({ stream: new ReadableStream({ cancel: () => cancelled.resolve() }) });
      yield* cancelled.operation;
    }));

  it("aborts what a reader left open between two parts, when its scope ends", () =>
    run(function* () {
      const signals: AbortSignal[] = [];
      const mock = new MockLanguageModelV3({
        doStream: async ({ abortSignal }) => {
          signals.push(abortSignal!);
          return { stream: streamOf([...said("a long answer"), finished()]) };
        },
      });
      const model = fromAiSdk(mock);
      yield* scoped(function* () {
        const session = yield* (yield* asked(model)).fork();
        const reading = yield* session.generate(open);
        yield* reading.next();
        expect(signals[0]!.aborted).toBe(false);
      });
      expect(signals[0]!.aborted).toBe(true);
    }));

  it("aborts what was left open when it generates again", () =>
    run(function* () {
      const signals: AbortSignal[] = [];
      const mock = new MockLanguageModelV3({
        doStream: async ({ abortSignal }) => {
          signals.push(abortSignal!);
          return { stream: streamOf([...said("a long answer"), finished()]) };
        },
      });
      const session = yield* asked(fromAiSdk(mock));
      yield* (yield* session.generate(open)).next();
      expect((yield* turnOf(session)).text).toBe("a long answer");
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    }));
});

describe("fromAiSdk", () => {
  it("is named after provider and model, unless told otherwise", () => {
    expect(fromAiSdk(playing()).id).toBe("mock/one");
    expect(fromAiSdk(playing(), { id: "mine", contextWindow: 8 })).toMatchObject({
      id: "mine",
      contextWindow: 8,
    });
  });

  it("refuses what is not a model, saying what it got and what it takes", () => {
    const refusals: [unknown, RegExp][] = [
      ["openai/gpt-5", /got the string "openai\/gpt-5".*resolveModel/s],
      [undefined, /got undefined/],
      [{ modelId: "x" }, /an object with the keys modelId.*doStream/s],
      [{ ...playing(), specificationVersion: "v1", doStream: () => {} }, /"v1"; accepted are v2, v3/],
    ];
    for (const [value, message] of refusals) {
      expect(() => fromAiSdk(value as MockLanguageModelV3)).toThrow(ConfigurationError);
      expect(() => fromAiSdk(value as MockLanguageModelV3)).toThrow(message);
    }
  });
});
