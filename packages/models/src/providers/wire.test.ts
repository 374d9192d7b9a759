import {
  type GenerateRequest,
  type Message,
  ModelLimitError,
  type Prefix,
  type Session,
  type Turn,
} from "@agentpool/core";
import { type Operation, run, spawn } from "effection";
import { describe, expect, it } from "vitest";
import { useManualClock } from "../clock.testing.ts";
import { InterruptedError } from "../failure/model-failure.ts";
import { readTurn } from "../read-turn.ts";
import { formats } from "./formats.testing.ts";
import { resolveModel } from "./resolve-model.ts";
import {
  chatEvents,
  messageEvents,
  type Reply,
  refused,
  streamed,
  useWire,
  type WireTurn,
} from "./wire.testing.ts";

const prefix: Prefix = {
  system: "You are brief.",
  tools: [
    {
      name: "search",
      description: "Searches.",
      parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
    },
    { name: "report", description: "Ends.", parameters: { type: "object", properties: {} } },
  ],
};
const open: GenerateRequest = { tools: ["search", "report"] };
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

function* turnOf(session: Session, request = open): Operation<Turn> {
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

for (const [name, { model, events, words, limit, path }] of Object.entries(formats)) {
  const turn = (answer: WireTurn): Reply => streamed(events(answer));
  const fine = turn({ text: "Here.", finish: words.stop });
  const call = (input: string, id = "a", tool = "search") => ({ id, tool, input });

  function* asked(...replies: readonly Reply[]) {
    const wire = yield* useWire(...replies);
    const session = yield* model(wire.url).open(prefix);
    yield* session.append([user("Find it.")]);
    return { wire, session };
  }

  describe(`the real client of ${name}`, () => {
    it("streams text and calls, and sends tools, system text and results back", () =>
      run(function* () {
        const { wire, session } = yield* asked(
          turn({ text: "Looking.", calls: [call('{"q":"x"}')], finish: words.calls }),
          fine,
        );
        const { turn: first, deltas } = yield* readTurn(session.generate(open));
        expect(first).toMatchObject({
          text: "Looking.",
          calls: [{ id: "a", tool: "search", input: '{"q":"x"}' }],
          usage: { input: 120, output: 15, cached: 0 },
          finish: "calls",
        });
        expect(deltas.map(({ type }) => type)).toEqual(["text", "text", "call"]);
        const output = { type: "json" as const, value: { hits: 3 } };
        yield* session.append([
          { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "search", output }] },
        ]);
        expect((yield* turnOf(session)).text).toBe("Here.");
        expect(wire.received.map((request) => request.path)).toEqual([path, path]);
        for (const word of ["You are brief.", "Find it.", "Searches.", "Looking.", '\\"hits\\":3']) {
          expect(wire.received[1]!.body).toContain(word);
        }
      }));

    it("counts what the provider's cache served", () =>
      run(function* () {
        const usage = { input: 5_000, output: 10, cached: 4_000 };
        const { session } = yield* asked(turn({ text: "Yes.", finish: words.stop, usage }));
        expect((yield* turnOf(session)).usage).toEqual(usage);
        expect(session.tokens).toBeGreaterThanOrEqual(5_000);
      }));

    it("says how long a rate limit asks to wait, and goes on afterwards", () =>
      run(function* () {
        const clock = yield* useManualClock();
        const { wire, session } = yield* asked(
          refused(429, limit, { "retry-after": "7" }),
          refused(429, limit),
          refused(529, limit),
          refused(503, limit, { "retry-after": "1" }),
          fine,
        );
        const held = session.tokens;
        const waits: (number | undefined)[] = [];
        for (let at = 0; at < 4; at++) {
          const failure = yield* failureOf(session);
          expect(failure).toBeInstanceOf(ModelLimitError);
          expect(failure.message).toContain("slow down");
          waits.push((failure as ModelLimitError).retryAfterMs);
          clock.advance(7_000);
        }
        expect(waits).toEqual([7_000, undefined, undefined, 1_000]);
        expect(session.tokens).toBe(held);
        expect((yield* turnOf(session)).text).toBe("Here.");
        expect(new Set(wire.received.map(({ body }) => body)).size).toBe(1);
        expect(wire.received).toHaveLength(5);
      }));

    it("says what was refused where waiting does not help", () =>
      run(function* () {
        const { session } = yield* asked(
          refused(401, { type: "error", error: { type: "authentication_error", message: "invalid key" } }),
        );
        const failure = yield* failureOf(session);
        expect(failure).not.toBeInstanceOf(ModelLimitError);
        expect(failure.message).toMatch(
          /^(openai-compatible\/served|anthropic\/claude-haiku-4-5|openai\/gpt-5-mini): 401 invalid key$/,
        );
      }));

    for (const [hung, reply] of [
      ["whose headers never come", { type: "hang" }],
      ["whose body never ends", streamed(events({ text: "Lo", calls: [call('{"q":')] }), "hang")],
    ] as const) {
      it(`hangs up on a request ${hung} when its reader is halted`, () =>
        run(function* () {
          const { wire, session } = yield* asked(reply, fine);
          const held = session.tokens;
          const waits = yield* wire.waits;
          const hangups = yield* wire.hangups;
          const reader = yield* spawn(() => turnOf(session));
          yield* waits.next();
          yield* reader.halt();
          expect((yield* hangups.next()).value).toBe(1);
          expect(session.tokens).toBe(held);
          expect((yield* turnOf(session)).text).toBe("Here.");
        }));
    }

    it("fails when the connection is cut in the middle of a call, and nothing of it stays", () =>
      run(function* () {
        const half = events({ text: "Looking.", calls: [call('{"q":"x"}')] });
        const { session } = yield* asked(streamed(half, "cut"), streamed(half, "end"), fine);
        const held = session.tokens;
        for (let at = 0; at < 2; at++) expect(yield* failureOf(session)).toBeInstanceOf(InterruptedError);
        expect(session.tokens).toBe(held);
        expect((yield* turnOf(session)).text).toBe("Here.");
      }));

    it("passes malformed arguments on, and can send the turn back", () =>
      run(function* () {
        const { wire, session } = yield* asked(
          turn({ calls: [call('{"q": "x')], finish: words.calls }),
          fine,
        );
        const { calls } = yield* turnOf(session);
        expect(calls).toMatchObject([{ id: "a", tool: "search", input: '{"q": "x' }]);
        yield* turnOf(session);
        expect(wire.received[1]!.body).toContain("malformed");
      }));

    it("keeps calls apart that come under one id, in one turn and in the next", () =>
      run(function* () {
        const { wire, session } = yield* asked(
          turn({ calls: [call('{"q":"1"}'), call('{"q":"2"}')], finish: words.calls }),
          turn({ calls: [call('{"q":"3"}')], finish: words.calls }),
          fine,
        );
        const calls = [...(yield* turnOf(session)).calls, ...(yield* turnOf(session)).calls];
        expect(calls.map(({ input }) => input)).toEqual(['{"q":"1"}', '{"q":"2"}', '{"q":"3"}']);
        expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
        yield* turnOf(session);
        for (const { id } of calls) expect(wire.received[2]!.body).toContain(`"${id}"`);
      }));

    it("passes on a call of a tool that there is not", () =>
      run(function* () {
        const { session } = yield* asked(turn({ calls: [call("{}", "a", "launch")], finish: words.calls }));
        expect((yield* turnOf(session)).calls).toMatchObject([{ tool: "launch", input: "{}" }]);
      }));

    it("reads an empty turn, a refusal and a turn cut by length as what they are", () =>
      run(function* () {
        const { session } = yield* asked(
          turn({ finish: words.stop }),
          turn({ text: "No.", finish: words.refusal }),
          turn({
            text: "And then",
            calls: [call('{"q":"whole"}'), call('{"q":"cu', "b")],
            finish: words.length,
          }),
        );
        const start = session.mark();
        const turns: Turn[] = [];
        for (let at = 0; at < 3; at++) {
          turns.push(yield* turnOf(session));
          yield* session.rewind(start);
        }
        expect(turns.map(({ finish }) => finish)).toEqual(["stop", "refusal", "length"]);
        expect(turns.map(({ text }) => text)).toEqual([undefined, "No.", "And then"]);
        expect(turns[2]!.calls.map(({ input }) => input)).toEqual(['{"q":"whole"}']);
      }));

    it("is sent the same bytes by forks of forks, turn after turn, calls, results and corrections included", () =>
      run(function* () {
        const report = (id: string) => turn({ calls: [call("{}", id, "report")], finish: words.calls });
        const wire = yield* useWire(
          turn({ text: "Looking.", calls: [call('{"q":"x"}')], finish: words.calls }),
          ...["one", "two"].flatMap((id) => [
            fine,
            turn({ text: "No.", finish: words.stop }),
            report(id),
            fine,
          ]),
        );
        const source = yield* model(wire.url).open(prefix);
        yield* source.append([user("Find it.")]);
        yield* turnOf(source);
        const output = { type: "text" as const, value: "Found it." };
        yield* source.append([
          { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "search", output }] },
        ]);
        const nested = yield* source.fork();
        yield* nested.append([user("Shared by both.")]);
        const own: string[][] = [];
        for (const task of ["one", "two"]) {
          const fork = yield* nested.fork();
          yield* fork.append([user(`Your task: ${task}.`)]);
          const from = wire.received.length;
          yield* turnOf(fork);
          yield* turnOf(fork, { tools: ["report"], toolChoice: { tool: "report" } });
          yield* fork.append([
            {
              role: "tool",
              content: [{ type: "tool-result", toolCallId: task, toolName: "report", output }],
            },
          ]);
          yield* turnOf(fork);
          own.push(wire.received.slice(from).map(({ body }) => messagesOf(body)));
        }
        expect(own.map((bodies) => bodies.length)).toEqual([4, 4]);
        const shared = own.map(([body]) => messagesBefore(body!, "Your task"));
        expect(shared[0]).toContain("Shared by both.");
        expect(shared[1]).toBe(shared[0]);
        expect(shared[0]!.startsWith(endless(messagesOf(wire.received[0]!.body)))).toBe(true);
        // What a turn was asked with is how the next begins; a correction is at the end of its own request alone.
        for (const [first, forced, corrected, last] of own) {
          expect(forced!.startsWith(endless(first!))).toBe(true);
          expect(corrected!.startsWith(endless(forced!))).toBe(true);
          expect(last!.startsWith(endless(forced!))).toBe(true);
          expect(last).not.toContain("was not called");
        }
      }));

    it("is sent the same bytes by all forks, up to where they part", () =>
      run(function* () {
        const { wire, session } = yield* asked(...Array.from({ length: 4 }, () => fine));
        yield* session.append([
          { role: "assistant", content: [{ type: "text", text: "A long report. ".repeat(50) }] },
        ]);
        for (const task of ["one", "two", "three"]) {
          const fork = yield* session.fork();
          yield* fork.append([user(`Your task: ${task}.`)]);
          yield* turnOf(fork);
        }
        const bodies = wire.received.map(({ body }) => body);
        const parting = bodies[0]!.indexOf("one.");
        expect(parting).toBeGreaterThan(bodies[0]!.indexOf("A long report. A long report."));
        for (const body of bodies)
          expect(messagesBefore(body, "Your task")).toBe(messagesBefore(bodies[0]!, "Your task"));
      }));
  });
}

/** What a provider reads of a body in order: system text and messages, the marks for its cache aside. */
function messagesOf(body: string): string {
  const { system, messages, input } = JSON.parse(body);
  return JSON.stringify([system, ...(messages ?? input)], (name, value) =>
    name === "cache_control" ? undefined : value,
  );
}

/** Without the brackets that close the last message: Anthropic's client goes on in it, if it is the user's too. */
const endless = (text: string): string => text.replace(/[\]}]+$/, "");

/** What a body says before a word: settings, system text, tools and messages. */
const messagesBefore = (body: string, word: string): string => body.slice(0, body.indexOf(word));

describe("the settings of a route", () => {
  const settings = { reasoning: "low", temperature: 0.5, maxTokens: 321 };

  it("reach a compatible server in its words, with the headers of the configuration", () =>
    run(function* () {
      const wire = yield* useWire(streamed(chatEvents({ text: "Yes.", finish: "stop" })));
      const access = { "openai-compatible": { baseURL: wire.url, headers: { "x-team": "blue" } } };
      const env = { OPENAI_COMPATIBLE_API_KEY: "test-key" };
      const session = yield* resolveModel("openai-compatible/served", {
        ...settings,
        env,
        providers: access,
      }).open(prefix);
      yield* session.append([user("Go.")]);
      yield* turnOf(session, { ...open, maxTokens: 50 });
      const { body, headers } = wire.received[0]!;
      const sent = {
        model: "served",
        reasoning_effort: "low",
        temperature: 0.5,
        max_tokens: 50,
        stream: true,
      };
      expect(JSON.parse(body)).toMatchObject(sent);
      expect(headers).toMatchObject({ authorization: "Bearer test-key", "x-team": "blue" });
    }));

  it("reach Anthropic in its words", () =>
    run(function* () {
      const wire = yield* useWire(streamed(messageEvents({ text: "Yes.", finish: "end_turn" })));
      const access = { anthropic: { baseURL: wire.url } };
      const env = { ANTHROPIC_API_KEY: "test-key" };
      const session = yield* resolveModel("anthropic/claude-opus-4-5", {
        ...settings,
        env,
        providers: access,
      }).open(prefix);
      yield* session.append([user("Go.")]);
      yield* turnOf(session);
      const sent = { output_config: { effort: "low" }, temperature: 0.5, max_tokens: 321, stream: true };
      expect(JSON.parse(wire.received[0]!.body)).toMatchObject(sent);
    }));

  it("reach Ollama where it is said to be, without any key", () =>
    run(function* () {
      const wire = yield* useWire(streamed(chatEvents({ text: "Yes.", finish: "stop" })));
      const access = { ollama: { baseURL: `${wire.url}/v1` } };
      const session = yield* resolveModel("ollama/qwen3:8b", { providers: access, env: {} }).open(prefix);
      yield* session.append([user("Go.")]);
      expect((yield* turnOf(session)).text).toBe("Yes.");
      expect(JSON.parse(wire.received[0]!.body)).toMatchObject({ model: "qwen3:8b" });
      expect(wire.received[0]!.headers.authorization).toBeUndefined();
    }));
});

describe("Anthropic's cache", () => {
  const cached = { type: "ephemeral" };
  const { model } = formats.anthropic;
  const fine = streamed(messageEvents({ text: "Here.", finish: "end_turn" }));
  type Block = { text?: string; cache_control?: unknown };

  it("is asked to keep the prefix, what forks share, and all there is so far", () =>
    run(function* () {
      const wire = yield* useWire(fine, fine);
      const spine = yield* model(wire.url).open(prefix);
      yield* spine.append([user("Shared.")]);
      const bodies = [];
      for (const task of ["One.", "Two."]) {
        const fork = yield* spine.fork();
        yield* fork.append([user(task)]);
        yield* turnOf(fork);
        bodies.push(
          JSON.parse(wire.received.at(-1)!.body) as { system: Block[]; messages: { content: Block[] }[] },
        );
      }
      for (const { system, messages } of bodies) {
        expect(system[0]!.cache_control).toEqual(cached);
        const blocks = messages.flatMap(({ content }) => content);
        expect(blocks[0]).toEqual({ type: "text", text: "Shared.", cache_control: cached });
        expect(blocks.at(-1)!.cache_control).toEqual(cached);
      }
      const [one, two] = wire.received.map(({ body }) => body);
      expect(messagesBefore(one!, "One.")).toBe(messagesBefore(two!, "Two."));
    }));

  it("finds the tools where they were in forced turns too", () =>
    run(function* () {
      const reported = messageEvents({
        calls: [{ id: "r", tool: "report", input: "{}" }],
        finish: "tool_use",
      });
      const wire = yield* useWire(fine, streamed(reported), fine);
      const session = yield* model(wire.url).open(prefix);
      yield* session.append([user("Go.")]);
      yield* turnOf(session);
      yield* turnOf(session, { tools: ["report"], toolChoice: { tool: "report" } });
      yield* turnOf(session, { tools: [], toolChoice: "none" });
      const sent = wire.received.map(
        ({ body }) => JSON.parse(body) as { tools: unknown; tool_choice: unknown },
      );
      for (const { tools } of sent) expect(tools).toEqual(sent[0]!.tools);
      expect(sent.map(({ tool_choice }) => tool_choice)).toEqual([
        { type: "auto" },
        { type: "tool", name: "report" },
        { type: "none" },
      ]);
    }));

  it("says inside a stream that it is overloaded, and the agent may try again", () =>
    run(function* () {
      const clock = yield* useManualClock();
      const overloaded = `event: error\ndata: ${JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } })}\n\n`;
      const wire = yield* useWire(
        streamed([overloaded]),
        streamed([...messageEvents({ text: "Lo" }), overloaded]),
        fine,
      );
      const session = yield* model(wire.url).open(prefix);
      yield* session.append([user("Go.")]);
      for (let at = 0; at < 2; at++) {
        expect(yield* failureOf(session)).toBeInstanceOf(ModelLimitError);
        clock.advance(1_000);
      }
      expect((yield* turnOf(session)).text).toBe("Here.");
    }));

  it("is only asked with the key, which is in no body", () =>
    run(function* () {
      const wire = yield* useWire(fine);
      const session = yield* model(wire.url).open(prefix);
      yield* session.append([user("Go.")]);
      yield* turnOf(session);
      expect(wire.received[0]!.headers["x-api-key"]).toBe("test-key");
      expect(wire.received[0]!.body).not.toContain("test-key");
    }));
});
