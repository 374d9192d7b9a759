import {
  type AgentResult,
  ConfigurationError,
  diverge,
  type Orchestrator,
  parallel,
  type Select,
  useAgent,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, casting, instant, ofType, playing, report, textOf, thrownBy } from "../scenarios/support.ts";
import { playLife } from "./support.ts";

/** The longest result. */
const longest: Select = (results) => {
  const lengths = results.map(({ result }) => String(result ?? "").length);
  return lengths.indexOf(Math.max(...lengths));
};

const attempts = casting({
  "agent/0": [report("short")],
  "agent/1": [report("the longest of all")],
  "agent/2": [report("longer")],
  after: [report()],
});

/** Several attempts, then an agent that starts with what they left. */
const thenOne = (orchestrator: Orchestrator): Orchestrator =>
  function* (pool) {
    yield* orchestrator(pool);
    yield* pool.waitFor(yield* pool.spawn({ task: "go on", key: "after" }));
  };

describe("diverge", () => {
  it("makes several attempts at one task, side by side and each from the same start", () =>
    run(function* () {
      const model = scripted(({ key }) => [{ wait: 10, ...report(key) }]);
      const { result, clock } = yield* playLife({
        model,
        orchestrate: diverge("solve it", 3, () => 0),
      });
      expect(result.agents.map(({ task }) => task)).toEqual(["solve it", "solve it", "solve it"]);
      expect(clock.now()).toBe(10);
      const [first, ...others] = model.requests.map(({ messages }) => textOf(messages));
      for (const other of others) expect(other).toBe(first);
    }));

  it("puts the best by a score on the spine, and no other: who starts later starts with it", () =>
    run(function* () {
      const { events } = yield* playLife({
        model: attempts,
        orchestrate: thenOne(diverge("solve it", 3, longest)),
      });
      expect(ofType(events, "spine:extended")).toMatchObject([
        { user: "solve it", assistant: "the longest of all" },
      ]);
      const seen = textOf(attempts.requestsOf("agent/after").at(-1)!.messages);
      expect(seen).toContain("the longest of all");
      expect(seen).not.toContain("short");
    }));

  it("shows its judge every result in the order of the attempts, those that failed too", () =>
    run(function* () {
      let seen: readonly AgentResult[] = [];
      const model = casting({
        "agent/0": [{ wait: 30, ...report("a") }],
        "agent/1": [{ error: new Error("model is down") }],
        "agent/2": [report("c")],
      });
      yield* playLife({
        model,
        orchestrate: diverge("solve it", 3, (results) => {
          seen = results;
          return 2;
        }),
      });
      expect(seen.map(({ exit, result }) => [exit, result])).toEqual([
        ["returned", "a"],
        ["model_error", undefined],
        ["returned", "c"],
      ]);
    }));

  it("may be judged by an agent, in the same run", () =>
    run(function* () {
      const model = scripted(({ key }) => [
        key.startsWith("judge") ? { text: "1" } : key.endsWith("after") ? report() : report(key),
      ]);
      const { events, result } = yield* playLife({
        model,
        orchestrate: thenOne(
          diverge("solve it", 2, function* (results) {
            const verdict = yield* useAgent({
              key: "judge",
              model,
              task: `Which is best? ${results.map(({ result }) => result).join(", ")}`,
            });
            return Number(verdict.result);
          }),
        ),
      });
      expect(ofType(events, "spine:extended")).toMatchObject([{ assistant: "agent/1" }]);
      expect(result.totals.agents).toBe(4);
    }));

  it("may be judged by a promise, and may find none good enough: the spine stays as it is", () =>
    run(function* () {
      const { events } = yield* playLife({
        model: playing(report()),
        orchestrate: diverge("solve it", 2, async () => undefined),
      });
      expect(ofType(events, "spine:extended")).toEqual([]);
    }));

  it("puts on the spine what it is told to", () =>
    run(function* () {
      const { events } = yield* playLife({
        model: attempts,
        orchestrate: diverge("solve it", 3, longest, ({ key, result }) => ({
          user: `Best was ${key}`,
          assistant: String(result),
        })),
      });
      expect(ofType(events, "spine:extended")).toMatchObject([{ user: "Best was agent/1" }]);
    }));

  it("gives the spine the report's words, not its reads: who starts later may read the page again", () =>
    run(function* () {
      const look = instant("look", {
        hooks: {
          beforeDispatch: [
            { name: "once", reject: ({ attended }) => attended().length > 0, message: "read" },
          ],
        },
      });
      const model = scripted(() => [ask("look", { q: "page" }), report("read it")]);
      const { result } = yield* playLife({
        model,
        tools: [look],
        orchestrate: thenOne(diverge("solve it", 1, () => 0)),
      });
      expect(result.agents.map(({ attendedCount }) => attendedCount)).toEqual([1, 1]);
    }));

  it("numbers the keys of a task that has one", () =>
    run(function* () {
      const { result } = yield* playLife({
        model: playing(report()),
        orchestrate: diverge({ task: "solve it", key: "try" }, 2, () => 0),
      });
      expect(result.agents.map(({ key }) => key)).toEqual(["agent/try.0", "agent/try.1"]);
    }));

  for (const [what, orchestrate, message] of [
    ["no attempts", diverge("x", 0, () => 0), "found 0 attempts; accepted are whole numbers from 1"],
    ["half an attempt", diverge("x", 1.5, () => 0), "found 1.5 attempts"],
    ["a choice there is not", diverge("x", 2, () => 2), "select chose 2; accepted are 0 to 1, or undefined"],
  ] as const)
    it(`with ${what} is an error that says what is accepted`, () =>
      run(function* () {
        const error = yield* thrownBy({
          [Symbol.iterator]: () => playLife({ model: playing(report()), orchestrate })[Symbol.iterator](),
        });
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(String(error)).toContain(message);
      }));

  it("as one of several orchestrators leaves the others alone", () =>
    run(function* () {
      const { result } = yield* playLife({
        model: playing(report()),
        *orchestrate(pool) {
          yield* diverge({ task: "a", key: "a" }, 2, () => 0)(pool);
          yield* parallel([{ task: "b", key: "b" }])(pool);
        },
      });
      expect(result.agents.map(({ key }) => key)).toEqual(["agent/a.0", "agent/a.1", "agent/b"]);
    }));
});
