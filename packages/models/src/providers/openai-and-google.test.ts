import type { GenerateRequest, Message, ModelLimitError, Prefix } from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { failureKind } from "../failure/model-failure.ts";
import { readTurn } from "../read-turn.ts";
import { resolveModel } from "./resolve-model.ts";
import { refused, responseEvents, streamed, useWire } from "./wire.testing.ts";

const prefix: Prefix = {
  system: "You are brief.",
  tools: [
    {
      name: "search",
      description: "Searches.",
      parameters: { type: "object", properties: { q: { type: "string" } } },
    },
  ],
};
const open: GenerateRequest = { tools: ["search"] };
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const answered = (toolCallId: string): Message => ({
  role: "tool",
  content: [
    { type: "tool-result", toolCallId, toolName: "search", output: { type: "text", value: "Found it." } },
  ],
});
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

/** A turn of OpenAI: text, and then a call. */
const openaiEvents = () =>
  responseEvents({
    text: "Looking.",
    calls: [{ id: "call_a", tool: "search", input: '{"q":"x"}' }],
    finish: "completed",
    usage: { input: 200, output: 12, cached: 150 },
  });

/** The same in Google's format. */
function candidateEvents(): string[] {
  const candidate = (parts: unknown[], more: object = {}) => ({
    candidates: [{ index: 0, content: { role: "model", parts }, ...more }],
  });
  const usageMetadata = {
    promptTokenCount: 200,
    cachedContentTokenCount: 150,
    candidatesTokenCount: 12,
    totalTokenCount: 212,
  };
  return [
    candidate([{ text: "Looking." }]),
    {
      ...candidate([{ functionCall: { name: "search", args: { q: "x" } } }], { finishReason: "STOP" }),
      usageMetadata,
    },
  ].map(data);
}

const clients = {
  openai: {
    name: "openai/gpt-5-mini",
    variable: "OPENAI_API_KEY",
    events: openaiEvents,
    effort: '"effort":"low"',
  },
  google: {
    name: "google/gemini-2.5-flash",
    variable: "GEMINI_API_KEY",
    events: candidateEvents,
    effort: '"thinkingBudget":1024',
  },
};

for (const [provider, { name, variable, events, effort }] of Object.entries(clients)) {
  describe(`the real client of ${provider}`, () => {
    it("streams a turn, and sends the whole conversation back with the result of its call", () =>
      run(function* () {
        const wire = yield* useWire(streamed(events()), streamed(events()));
        const model = resolveModel(name, {
          env: { [variable]: "test-key" },
          providers: { [provider]: { baseURL: `${wire.url}/v1` } },
          reasoning: "low",
        });
        const session = yield* model.open(prefix);
        yield* session.append([user("Find it.")]);
        const { turn } = yield* readTurn(session.generate(open));
        expect(turn).toMatchObject({
          text: "Looking.",
          calls: [{ tool: "search", input: '{"q":"x"}' }],
          usage: { input: 200, output: 12, cached: 150 },
          finish: "calls",
        });
        yield* session.append([answered(turn.calls[0]!.id)]);
        const second = (yield* readTurn(session.generate(open))).turn;
        expect(second.calls[0]!.id).not.toBe(turn.calls[0]!.id);
        const body = wire.received[1]!.body;
        for (const word of ["You are brief.", "Find it.", "Looking.", "Found it."])
          expect(body).toContain(word);
        expect(body).toContain(effort);
        expect(body).not.toContain("test-key");
      }));

    it("is sent the same bytes by all forks, up to where they part", () =>
      run(function* () {
        const wire = yield* useWire(streamed(events()), streamed(events()), streamed(events()));
        const access = { [provider]: { baseURL: `${wire.url}/v1` } };
        const model = resolveModel(name, { env: { [variable]: "k" }, providers: access });
        const source = yield* model.open(prefix);
        yield* source.append([user("Find it.")]);
        const { turn } = yield* readTurn(source.generate(open));
        yield* source.append([answered(turn.calls[0]!.id)]);
        for (const task of ["one", "two"]) {
          const fork = yield* source.fork();
          yield* fork.append([user(`Task: ${task}.`)]);
          yield* readTurn(fork.generate(open));
        }
        const [, one, two] = wire.received.map(({ body }) => body.slice(0, body.indexOf("Task: ")));
        expect(one).toContain("Found it.");
        expect(one).toBe(two);
      }));
  });
}

describe("the real client of openai", () => {
  it("leaves nothing at the provider's, so that what is forked and rewound is what is sent", () =>
    run(function* () {
      const wire = yield* useWire(streamed(openaiEvents()), streamed(openaiEvents()));
      const access = { openai: { baseURL: `${wire.url}/v1` } };
      const session = yield* resolveModel("openai/gpt-5-mini", {
        env: { OPENAI_API_KEY: "k" },
        providers: access,
      }).open(prefix);
      yield* session.append([user("Find it.")]);
      const { turn } = yield* readTurn(session.generate(open));
      yield* session.append([answered(turn.calls[0]!.id)]);
      yield* readTurn(session.generate(open));
      for (const { body } of wire.received) expect(JSON.parse(body)).toMatchObject({ store: false });
      expect(wire.received[1]!.body).not.toContain("item_reference");
    }));
});

describe("the real client of google", () => {
  const failing = (status: number, error: object) =>
    run(function* () {
      const wire = yield* useWire(refused(status, { error: { code: status, ...error } }));
      const session = yield* resolveModel("google/gemini-2.5-flash", {
        env: { GEMINI_API_KEY: "k" },
        providers: { google: { baseURL: `${wire.url}/v1` } },
      }).open(prefix);
      yield* session.append([user("Find it.")]);
      try {
        yield* readTurn(session.generate(open));
      } catch (error) {
        return error as ModelLimitError;
      }
      throw new Error("did not fail");
    });

  it("says how long a quota asks to wait, as it stands in the body", async () => {
    const failure = await failing(429, {
      message: "You exceeded your current quota.",
      status: "RESOURCE_EXHAUSTED",
      details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" }],
    });
    expect(failure).toMatchObject({ reason: "rate_limit", retryAfterMs: 34_500 });
  });

  it("says that it has too much to do", async () => {
    expect(await failing(503, { message: "Overloaded.", status: "UNAVAILABLE" })).toMatchObject({
      reason: "overloaded",
    });
  });

  it("says that a key is refused, though with 400", async () => {
    const failure = await failing(400, {
      message: "API key not valid.",
      status: "INVALID_ARGUMENT",
      details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
    });
    expect(failureKind(failure)).toBe("unauthorised");
    expect(failureKind(await failing(400, { message: "Bad.", status: "INVALID_ARGUMENT" }))).toBe("rejected");
  });
});
