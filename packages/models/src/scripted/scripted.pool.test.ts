import { agentPool, defineTool, manualClock, type PoolEvent, parallel, reportTool } from "@agentpool/core";
import { run, spawn, withResolvers } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { scripted } from "./scripted.ts";

const search = defineTool({
  name: "search",
  description: "Searches.",
  parameters: z.object({ query: z.string() }),
  execute: ({ query }) => ({ hits: [query] }),
});

const report = (result: string) => ({ calls: [{ tool: "report", args: { result } }] });

describe("scripted in a pool", () => {
  it("plays each agent the script of its key and task", () =>
    run(function* () {
      const model = scripted(({ key, task }) => [
        { calls: [{ tool: "search", args: { query: task } }] },
        ({ messages }) => report(`${key} found ${JSON.stringify(messages.at(-1)).includes(task)}`),
      ]);
      const result = yield* agentPool({
        model,
        system: "You are brief.",
        tools: [search],
        terminal: reportTool,
        key: "research",
        orchestrate: parallel(["apples", "pears"]),
      });
      expect(result.agents.map(({ result, exit }) => [result, exit])).toEqual([
        ["research/0 found true", "returned"],
        ["research/1 found true", "returned"],
      ]);
      expect(model.requestsOf("research/1").map(({ turn, task }) => [turn, task])).toEqual([
        [1, "pears"],
        [2, "pears"],
      ]);
    }));

  it("waits on the pool's clock", () =>
    run(function* () {
      const clock = manualClock(1_000);
      const waiting = withResolvers<number>();
      const model = scripted(() => [{ wait: 60_000, ...report("late") }]);
      const pool = yield* spawn(() =>
        agentPool({
          model,
          tools: [],
          terminal: reportTool,
          orchestrate: parallel(["wait"]),
          clock: {
            now: clock.now,
            at(when, fire) {
              const withdraw = clock.at(when, fire);
              waiting.resolve(when);
              return withdraw;
            },
          },
        }),
      );
      expect(yield* waiting.operation).toBe(61_000);
      expect(model.requests).toHaveLength(1);
      clock.advance(60_000);
      expect((yield* pool).agents[0]!.result).toBe("late");
    }));

  it("parks an agent that it rate limits, which costs no turn", () =>
    run(function* () {
      const events: PoolEvent[] = [];
      const model = scripted(() => [{ error: { limited: 1 } }, report("fine")]);
      const { agents } = yield* agentPool({
        model,
        tools: [],
        terminal: reportTool,
        orchestrate: parallel(["try"]),
        onEvent: (event) => events.push(event),
      });
      expect(agents[0]).toMatchObject({ result: "fine", turns: 1, parks: 1 });
      expect(events.filter(({ type }) => type === "model:limited")).toHaveLength(1);
    }));

  it("ends an agent as a model error that says which script ended", () =>
    run(function* () {
      const model = scripted(() => [{ calls: [{ tool: "search", args: { query: "x" } }] }]);
      const { agents } = yield* agentPool({
        model,
        tools: [search],
        terminal: reportTool,
        recovery: "none",
        orchestrate: parallel(["go on"]),
      });
      expect(agents[0]!.exit).toBe("model_error");
      expect(agents[0]!.reason).toMatch(/the script of agent "agent\/0".*ended after 1 turns/);
    }));

  it("hands in a forced report that the script did not foresee", () =>
    run(function* () {
      const model = scripted(() => () => ({ calls: [{ tool: "search", args: { query: "again" } }] }));
      const { agents } = yield* agentPool({
        model,
        tools: [search],
        terminal: reportTool,
        budget: { maxTurns: 2 },
        orchestrate: parallel(["never stop"]),
      });
      expect(agents[0]).toMatchObject({ exit: "max_turns", turns: 2 });
      expect(agents[0]!.result).toContain("never stop");
    }));
});
