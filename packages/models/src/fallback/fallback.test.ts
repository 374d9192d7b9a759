import {
  ConfigurationError,
  type GenerateRequest,
  type Message,
  type Model,
  ModelLimitError,
  type Prefix,
  type Prompt,
  type Session,
} from "@agentpool/core";
import { APICallError } from "@ai-sdk/provider";
import { type Operation, run, scoped } from "effection";
import { describe, expect, it } from "vitest";
import { fromAiSdk } from "../ai-sdk/from-ai-sdk.ts";
import { type Answer, called, finished, playing, said } from "../ai-sdk/mock.testing.ts";
import { useManualClock } from "../clock.testing.ts";
import { InterruptedError, ModelError } from "../failure/model-failure.ts";
import { readTurn } from "../read-turn.ts";
import type { FallbackEvent } from "./chain.ts";
import { type FallbackOptions, fallback } from "./fallback.ts";

const prefix: Prefix = {
  system: "You are brief.",
  tools: [{ name: "search", description: "Searches.", parameters: { type: "object" } }],
};
const open: GenerateRequest = { tools: ["search"] };
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const textOf = (prompt: Prompt): string => JSON.stringify(prompt);

const status = (statusCode: number, responseHeaders: Record<string, string> = {}) =>
  new APICallError({
    message: `said ${statusCode}`,
    url: "http://x",
    requestBodyValues: {},
    statusCode,
    responseHeaders,
  });
const refusedConnection = new APICallError({
  message: "Cannot connect to API: connect ECONNREFUSED",
  url: "http://x",
  requestBodyValues: {},
  cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
});
const answer = (text: string) => [...said(text), finished()];

/** Models that play their answers, as one, and what was shown to each. */
function listOf(answers: readonly (readonly Answer[])[], options: FallbackOptions = {}) {
  const mocks = answers.map((plays) => playing(...plays));
  const events: FallbackEvent[] = [];
  const model = fallback(
    mocks.map((mock, at) => fromAiSdk(mock, { id: "abc"[at]! })),
    { onEvent: (event) => events.push(event), ...options },
  );
  const shown = mocks.map((mock) => () => mock.doStreamCalls.map(({ prompt }) => prompt));
  const moves = () => events.map(({ from, to }) => `${from}→${to}`);
  return { model, events, moves, shown };
}

function* turnOf(session: Session) {
  return (yield* readTurn(session.generate(open))).turn;
}

function* failureOf(session: Session): Operation<Error> {
  try {
    yield* turnOf(session);
  } catch (error) {
    return error as Error;
  }
  throw new Error("did not fail");
}

describe("a list of models", () => {
  it.each([
    ["cannot be reached", refusedConnection],
    ["refuses the key", status(401)],
    ["may not be used with this key", status(403)],
    ["has no quota left", status(402)],
    ["has no such model", status(404)],
  ])("goes on with the next when one %s, in the same turn, with everything it held", (_, error) =>
    run(function* () {
      const { model, events, shown } = listOf([[answer("First."), error], [answer("Second.")]]);
      const session = yield* model.open(prefix);
      yield* session.append([user("One.")]);
      yield* turnOf(session);
      yield* session.append([user("Two.")]);
      expect((yield* turnOf(session)).text).toBe("Second.");
      expect(events).toMatchObject([{ type: "model:fallback", from: "a", to: "b" }]);
      expect(events[0]!.reason).toContain(error.message);
      expect(shown[1]!()[0]!.map(({ role, content }) => [role, textOf(content as never)])).toEqual([
        ["system", '"You are brief."'],
        ["user", expect.stringContaining("One.")],
        ["assistant", expect.stringContaining("First.")],
        ["user", expect.stringContaining("Two.")],
      ]);
    }),
  );

  it("waits out limits and interruptions a few times before it moves, each a failure of its turn", () =>
    run(function* () {
      const clock = yield* useManualClock();
      const broken = new Error("terminated");
      const { model, moves } = listOf([[status(429), broken, status(500)], [answer("Second.")]]);
      const session = yield* model.open(prefix);
      yield* session.append([user("One.")]);
      expect(yield* failureOf(session)).toBeInstanceOf(ModelLimitError);
      clock.advance(1_000);
      expect(yield* failureOf(session)).toBeInstanceOf(InterruptedError);
      expect(moves()).toEqual([]);
      clock.advance(1_000);
      expect((yield* turnOf(session)).text).toBe("Second.");
      expect(moves()).toEqual(["a→b"]);
    }));

  it("counts failures anew after a turn that came", () =>
    run(function* () {
      const clock = yield* useManualClock();
      const { model, moves } = listOf([[status(429), answer("Fine."), status(429), answer("Fine.")], []], {
        retries: 1,
      });
      const session = yield* model.open(prefix);
      yield* session.append([user("One.")]);
      for (let at = 0; at < 2; at++) {
        yield* failureOf(session);
        clock.advance(1_000);
        yield* turnOf(session);
        clock.advance(1_000);
      }
      expect(moves()).toEqual([]);
    }));

  it("does not wait when it is asked to wait too long", () =>
    run(function* () {
      yield* useManualClock();
      const { model, moves } = listOf([[status(429, { "retry-after": "3600" })], [answer("Second.")]]);
      const session = yield* model.open(prefix);
      yield* session.append([user("One.")]);
      yield* turnOf(session);
      expect(moves()).toEqual(["a→b"]);
    }));

  it("keeps an error that another model would give too", () =>
    run(function* () {
      const { model, moves } = listOf([[status(400)], [answer("Second.")]]);
      const session = yield* model.open(prefix);
      yield* session.append([user("One.")]);
      expect((yield* failureOf(session)).message).toContain("said 400");
      expect(moves()).toEqual([]);
    }));

  it("begins a turn anew that broke off after it was partly handed out", () =>
    run(function* () {
      const { model } = listOf([[[...said("Half of"), new Error("terminated")]], [answer("The whole.")]], {
        retries: 0,
      });
      const session = yield* model.open(prefix);
      yield* session.append([user("One.")]);
      const failure = yield* failureOf(session);
      expect(failure).toBeInstanceOf(InterruptedError);
      expect((failure as InterruptedError).retryAfterMs).toBe(0);
      const { turn, deltas } = yield* readTurn(session.generate(open));
      expect(turn.text).toBe("The whole.");
      expect(deltas.map((delta) => delta.type === "text" && delta.text).join("")).toBe("The whole.");
    }));

  it("goes on to the one after the next, and fails with the last one's words when none is left", () =>
    run(function* () {
      const { model, moves } = listOf([[status(401)], [refusedConnection], [status(403)]]);
      const session = yield* model.open(prefix);
      yield* session.append([user("One.")]);
      const failure = yield* failureOf(session);
      expect(failure).toBeInstanceOf(ModelError);
      expect(failure.message).toContain("said 403");
      expect(moves()).toEqual(["a→b", "b→c"]);
    }));

  it("lets others skip a model that is down, for a while, and one that refused the key, for good", () =>
    run(function* () {
      const clock = yield* useManualClock();
      const list = listOf([
        [refusedConnection, answer("Back."), status(401)],
        [answer("b"), answer("b"), answer("b")],
      ]);
      function* ask(): Operation<string | undefined> {
        return yield* scoped(function* () {
          const session = yield* list.model.open(prefix);
          yield* session.append([user("One.")]);
          return (yield* turnOf(session)).text;
        });
      }
      expect([yield* ask(), yield* ask()]).toEqual(["b", "b"]);
      clock.advance(60_000);
      expect(yield* ask()).toBe("Back.");
      expect(yield* ask()).toBe("b");
      clock.advance(10_000_000);
      const session = yield* list.model.open(prefix);
      yield* session.append([user("One.")]);
      expect((yield* failureOf(session)).message).toContain("no answer left");
      expect(list.shown[0]!()).toHaveLength(3);
    }));

  it("opens the next where one cannot be opened, and fails with the last one's words where none can", () =>
    run(function* () {
      const shut = (id: string): Model => ({
        id,
        *open() {
          throw new Error(`${id} is shut`);
        },
      });
      const events: FallbackEvent[] = [];
      const onEvent = (event: FallbackEvent) => events.push(event);
      const model = fallback([shut("a"), fromAiSdk(playing(answer("Yes.")), { id: "b" })], { onEvent });
      const session = yield* model.open(prefix);
      yield* session.append([user("One.")]);
      expect((yield* turnOf(session)).text).toBe("Yes.");
      expect(events).toEqual([{ type: "model:fallback", from: "a", to: "b", reason: "a is shut" }]);
      let failure: Error | undefined;
      try {
        yield* fallback([shut("a"), shut("b")]).open(prefix);
      } catch (error) {
        failure = error as Error;
      }
      expect(failure?.message).toBe("b is shut");
    }));

  it("has the smallest window and the highest prices of all, and is the model itself where there is one", () => {
    const one = fromAiSdk(playing(), { id: "a", contextWindow: 100, price: { input: 1, output: 9 } });
    const two = fromAiSdk(playing(), {
      id: "b",
      contextWindow: 50,
      price: { input: 2, output: 3, cached: 1 },
    });
    expect(fallback([one, two])).toMatchObject({
      id: "a | b",
      contextWindow: 50,
      price: { input: 2, output: 9, cached: 1 },
    });
    expect(fallback([one, fromAiSdk(playing())]).price).toBeUndefined();
    expect(fallback([one])).toBe(one);
    expect(() => fallback([])).toThrow(ConfigurationError);
  });
});

describe("forks of a conversation that moves", () => {
  it("show the next model the same messages up to where they part, the very same objects", () =>
    run(function* () {
      const { model, shown, moves } = listOf([[status(401)], [answer("b"), answer("b"), answer("b")]]);
      const spine = yield* model.open(prefix);
      yield* spine.append([user("Shared.")]);
      for (const task of ["one", "two", "three"]) {
        const fork = yield* spine.fork();
        yield* fork.append([user(task)]);
        yield* turnOf(fork);
      }
      expect(moves()).toEqual(["a→b", "a→b", "a→b"]);
      expect(shown[0]!()).toHaveLength(1);
      const prompts = shown[1]!();
      for (const prompt of prompts) {
        expect(prompt).toHaveLength(3);
        expect(prompt[0]).toEqual(prompts[0]![0]);
        expect(prompt[1]).toBe(prompts[0]![1]);
      }
      expect(prompts.map((prompt) => textOf([prompt[2]!]))).toEqual(
        ["one", "two", "three"].map((task) => textOf([user(task)])),
      );
    }));

  it("mark the same places for the next model's cache", () =>
    run(function* () {
      const mock = playing(answer("b"), answer("b"));
      const down = fromAiSdk(playing(status(401)), { id: "a" });
      const model = fallback([
        down,
        fromAiSdk(mock, { id: "b", cacheBreakpoint: { cache: { here: true } } }),
      ]);
      const spine = yield* model.open(prefix);
      yield* spine.append([user("Shared.")]);
      for (const task of ["one", "two"]) {
        const fork = yield* spine.fork();
        yield* fork.append([user(task), user("more")]);
        yield* turnOf(fork);
      }
      const marked = mock.doStreamCalls.map(({ prompt }) =>
        prompt.map(({ providerOptions }) => !!providerOptions),
      );
      expect(marked).toEqual([
        [true, true, false, true],
        [true, true, false, true],
      ]);
    }));

  it("go on by themselves when their source has ended before they moved", () =>
    run(function* () {
      const { model, shown } = listOf([[status(401)], [answer("b")]]);
      const spine = yield* model.open(prefix);
      yield* spine.append([user("Shared.")]);
      const grandchild = yield* spine.fork();
      yield* scoped(function* () {
        yield* (yield* spine.fork()).append([user("gone")]);
      });
      yield* grandchild.append([user("one")]);
      expect((yield* turnOf(grandchild)).text).toBe("b");
      expect(shown[1]!()[0]).toHaveLength(3);
    }));

  it("rewind to marks made before the move, in the fork and in what is forked from it", () =>
    run(function* () {
      const { model, shown } = listOf([
        [answer("a"), status(401)],
        [answer("b"), answer("b"), answer("b")],
      ]);
      const spine = yield* model.open(prefix);
      yield* spine.append([user("Shared.")]);
      const mark = spine.mark();
      const fork = yield* spine.fork();
      yield* fork.append([user("one")]);
      const later = fork.mark();
      yield* turnOf(fork);
      yield* fork.append([user("two")]);
      yield* turnOf(fork);
      yield* fork.rewind(later);
      const nested = yield* fork.fork();
      yield* nested.rewind(mark);
      yield* nested.append([user("nested")]);
      yield* turnOf(nested);
      yield* fork.append([user("three")]);
      yield* turnOf(fork);
      expect(
        shown[1]!().map((prompt) =>
          prompt.slice(1).map((message) => JSON.parse(textOf([message]))[0].content[0].text),
        ),
      ).toEqual([
        ["Shared.", "one", "a", "two"],
        ["Shared.", "nested"],
        ["Shared.", "one", "three"],
      ]);
      let failure: Error | undefined;
      try {
        yield* nested.rewind(later);
      } catch (error) {
        failure = error as Error;
      }
      expect(failure?.message).toContain("cannot rewind");
    }));

  it("take calls and their results along, without what only the model before understood", () =>
    run(function* () {
      const signed = { anthropic: { signature: "s1" } };
      const { model, shown } = listOf([
        [
          [
            { type: "reasoning-start", id: "0" },
            { type: "reasoning-delta", id: "0", delta: "Hm.", providerMetadata: signed },
            { type: "reasoning-end", id: "0" },
            called("search", '{"q":"x"}', "weird id/1"),
            finished("tool-calls"),
          ],
          status(401),
        ],
        [answer("b")],
      ]);
      const session = yield* model.open(prefix);
      yield* session.append([user("One.")]);
      const { calls } = yield* turnOf(session);
      const output = { type: "text" as const, value: "Found." };
      yield* session.append([
        {
          role: "tool",
          content: [{ type: "tool-result", toolCallId: calls[0]!.id, toolName: "search", output }],
        },
      ]);
      yield* turnOf(session);
      const told = textOf(shown[1]!()[0]!);
      expect(told).toContain('"Hm."');
      expect(told).toContain("Found.");
      expect(told).not.toContain("s1");
      expect(told.match(/"toolCallId":"weird_id_1"/g)).toHaveLength(2);
    }));
});

describe("a conversation that is taken up", () => {
  const kept = (mark: string): Message => ({
    role: "assistant",
    content: [
      { type: "reasoning", text: "", providerOptions: { maker: { hidden: mark } } },
      { type: "reasoning", text: "Hm.", providerOptions: { maker: { signature: mark } } },
      { type: "text", text: "First." },
    ],
  });

  it("goes on with the model that it had last; one it came past, or that is none of the list, is no reason to move", () =>
    run(function* () {
      const { model, shown, moves } = listOf([[], [answer("B."), answer("B."), answer("B.")], []]);
      const session = yield* model.open(prefix);
      yield* session.append([user("One.")]);
      session.goOnWith!("b");
      expect(yield* turnOf(session)).toMatchObject({ text: "B.", model: "b" });
      session.goOnWith!("a");
      session.goOnWith!("elsewhere");
      yield* session.append([user("Two.")]);
      const fork = yield* session.fork();
      expect((yield* turnOf(session)).model).toBe("b");
      expect((yield* turnOf(fork)).model).toBe("b");
      expect([shown[0]!(), moves()]).toEqual([[], []]);
    }));

  it("tells each model what its provider wants back of its own turns, and no other", () =>
    run(function* () {
      const { model, shown } = listOf([[], [answer("B."), status(401)], [answer("C.")]]);
      const session = yield* model.open(prefix);
      yield* session.append([user("One.")]);
      session.goOnWith!("a");
      yield* session.append([kept("of a"), user("Two.")]);
      session.goOnWith!("b");
      yield* session.append([kept("of b"), user("Three.")]);
      yield* turnOf(session);
      yield* session.append([user("Four.")]);
      expect((yield* turnOf(session)).model).toBe("c");
      const [toB, toC] = [textOf(shown[1]!()[0]!), textOf(shown[2]!()[0]!)];
      expect(toB).toContain("of b");
      expect(toB).not.toContain("of a");
      expect(toC).not.toMatch(/of [ab]/);
      expect(toC.match(/"Hm\."/g)).toHaveLength(2);
    }));
});

describe("what a model used before the conversation went on with another", () => {
  const output = { type: "object", properties: { ready: { type: "boolean" } }, required: ["ready"] };
  const request: GenerateRequest = { tools: [], output };
  const none = answer("Sure!");

  it("is part of what the turn costs", () =>
    run(function* () {
      yield* useManualClock();
      const { model } = listOf([[none, none], [answer('{"ready":true}')]]);
      const session = yield* model.open(prefix);
      yield* session.append([user("Go.")]);
      const { turn } = yield* readTurn(session.generate(request));
      expect(turn).toMatchObject({ model: "b", usage: { input: 300, output: 60 } });
    }));

  it("is part of what the failure costs, where the last has nothing either", () =>
    run(function* () {
      yield* useManualClock();
      const { model } = listOf([
        [none, none],
        [none, none],
      ]);
      const session = yield* model.open(prefix);
      yield* session.append([user("Go.")]);
      const failing = function* () {
        try {
          yield* readTurn(session.generate(request));
        } catch (error) {
          return error;
        }
        return undefined;
      };
      expect(yield* failing()).toMatchObject({ name: "MisformedError", usage: { input: 400, output: 80 } });
    }));
});
