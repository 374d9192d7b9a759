import {
  type AgentPoolOptions,
  agentPool,
  ConfigurationError,
  type PoolEvent,
  type PoolResult,
  type Price,
  parallel,
  refuse,
  reportTool,
  requireApproval,
  ToolRetryError,
} from "@agentpool/core";
import { type ScriptedModel, type ScriptedTurn, scripted } from "@agentpool/models";
import { run, suspend } from "effection";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ask,
  asks,
  casting,
  finish,
  held,
  instant,
  leftovers,
  ofType,
  playing,
  quiet,
  report,
  thrownBy,
} from "../scenarios/support.ts";
import { byQuery, openLife, playLife, shownIn } from "./support.ts";

const tokensOf = ({ totals: { usage } }: PoolResult): number => usage.input + usage.output;
const priced = (model: ScriptedModel, price: Price): ScriptedModel => Object.assign(model, { price });
const exits = ({ agents }: PoolResult): string[] => agents.map(({ exit }) => exit);
const shares = (events: readonly PoolEvent[], budget: string): number[] =>
  ofType(events, "budget:threshold").flatMap((event) => (event.budget === budget ? [event.share] : []));

/** Searches for ever: each turn another thing. */
const searching = (wait?: number): ScriptedModel =>
  scripted(
    () =>
      ({ turn, request }) =>
        typeof request.toolChoice === "object"
          ? { ...report("what I have"), wait }
          : { ...ask("search", { q: `${turn}` }), wait },
  );

/** Agents by number. */
const many = (count: number): AgentPoolOptions["orchestrate"] =>
  parallel(Array.from({ length: count }, (_, index) => `task ${index}`));

describe("maxTokens", () => {
  it("stops an agent with exit budget before it is passed, and its findings survive in a report", () =>
    run(function* () {
      const { result, events } = yield* playLife({
        model: searching(),
        tools: [instant("search")],
        budget: { maxTokens: 2_000, maxTurns: 1_000 },
        repetition: false,
      });
      expect(result.agents[0]).toMatchObject({ exit: "budget", result: "what I have" });
      expect(result.agents[0]!.turns).toBeGreaterThan(3);
      expect(tokensOf(result)).toBeLessThanOrEqual(2_000);
      expect(shares(events, "maxTokens")).toEqual(
        [0.5, 0.75, 0.9].slice(0, shares(events, "maxTokens").length),
      );
    }));

  for (const concurrentGenerations of [1, 3, 20])
    it(`is never passed by agents that generate at once, ${concurrentGenerations} at a time: each reserves before it begins`, () =>
      run(function* () {
        const { result } = yield* playLife({
          model: searching(10),
          tools: [instant("search")],
          budget: { maxTokens: 1_500, concurrentGenerations },
          repetition: false,
          orchestrate: many(20),
        });
        expect(tokensOf(result)).toBeLessThanOrEqual(1_500);
        expect(new Set(exits(result))).toEqual(new Set(["budget"]));
      }));

  it("is never passed, whatever the agents, their pace and the limit", () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          agents: fc.integer({ min: 1, max: 8 }),
          concurrentGenerations: fc.integer({ min: 1, max: 8 }),
          maxTokens: fc.integer({ min: 50, max: 4_000 }),
          waits: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 5 }),
        }),
        async ({ agents, concurrentGenerations, maxTokens, waits }) => {
          await run(function* () {
            const { result } = yield* playLife({
              model: scripted(() => ({ turn, request }) => ({
                ...(typeof request.toolChoice === "object" ? report() : ask("search", { q: `${turn}` })),
                wait: waits[turn % waits.length]!,
              })),
              tools: [instant("search")],
              budget: { maxTokens, concurrentGenerations, maxTurns: 5 },
              orchestrate: many(agents),
            });
            expect(tokensOf(result)).toBeLessThanOrEqual(maxTokens);
          });
        },
      ),
      { numRuns: 25 },
    ));

  // must hold: tokens that are only reserved keep an agent waiting, and end nobody
  it("makes an agent wait while others have reserved what they then do not use: none dies of that", () =>
    run(function* () {
      const usage = { input: 5, output: 5 }; // a tenth of what is reserved: a cache served the rest
      const { result } = yield* playLife({
        model: scripted(() => [
          { ...ask("search"), usage, wait: 10 },
          { ...report(), usage, wait: 10 },
        ]),
        tools: [instant("search")],
        // all at once they reserve some 4,000; what they use, and the report each keeps in hand, is well within
        budget: { maxTokens: 900, concurrentGenerations: 20 },
        orchestrate: many(20),
      });
      expect(exits(result)).toEqual(Array(20).fill("returned"));
      expect(tokensOf(result)).toBe(20 * 20);
    }));

  it("is the whole tree's: what nested agents use counts", () =>
    run(function* () {
      const { result } = yield* playLife({
        model: scripted(({ key }) =>
          key === "agent/0"
            ? [ask("delegate"), report()]
            : ({ turn, request }) =>
                typeof request.toolChoice === "object" ? report() : ask("search", { q: `${turn}` }),
        ),
        tools: [
          instant("search"),
          instant("delegate", {
            *execute() {
              return (yield* agentPool({ orchestrate: many(3) })).agents.map(({ exit }) => exit);
            },
          }),
        ],
        budget: { maxTokens: 2_000, maxTurns: 1_000 },
        repetition: false,
      });
      expect(tokensOf(result)).toBeLessThanOrEqual(2_000);
      expect(result.agents[0]!.exit).toBe("budget");
    }));

  it("announces 50, 75 and 90 % once each as they are passed, whoever passes them, and its end once", () =>
    run(function* () {
      const usage = { input: 200, output: 0 };
      const { events } = yield* playLife({
        model: scripted(() => [
          ...Array.from({ length: 4 }, (_, n): ScriptedTurn => ({ ...ask("search", { q: `${n}` }), usage })),
          { ...report(), usage },
        ]),
        tools: [instant("search")],
        budget: { maxTokens: 2_000 },
        orchestrate: many(2),
      });
      const announced = ofType(events, "budget:threshold");
      expect(announced.map(({ share }) => share)).toEqual([0.5, 0.75, 0.9].slice(0, announced.length));
      for (const { budget, used, limit, share } of announced) {
        expect([budget, limit]).toEqual(["maxTokens", 2_000]);
        expect(used).toBeGreaterThanOrEqual(share * limit);
      }
      expect(announced.length).toBeGreaterThan(0);
    }));

  it("passes several shares in one generation: each is announced", () =>
    run(function* () {
      const { events } = yield* playLife({
        model: playing({ ...report(), usage: { input: 950, output: 50 } }),
        tools: [instant("search")],
        budget: { maxTokens: 1_000 },
      });
      expect(shares(events, "maxTokens")).toEqual([0.5, 0.75, 0.9]);
      expect(ofType(events, "budget:exhausted")).toMatchObject([{ budget: "maxTokens", limit: 1_000 }]);
    }));
});

describe("maxCost", () => {
  const price: Price = { input: 1_000, output: 10_000, cached: 100 }; // dollars per million: 0.001, 0.01, 0.0001 a token

  it("counts dollars by the model's price, cached input at its own", () =>
    run(function* () {
      const { events } = yield* playLife({
        model: priced(playing({ ...report(), usage: { input: 1_000, cached: 500, output: 100 } }), price),
        tools: [instant("search")],
        budget: { maxCost: 2 },
      });
      // 500 × 0.001 + 500 × 0.0001 + 100 × 0.01 = 1.55
      expect(ofType(events, "budget:threshold")).toMatchObject([
        { budget: "maxCost", share: 0.5, limit: 2 },
        { budget: "maxCost", share: 0.75, limit: 2 },
      ]);
      expect(ofType(events, "budget:threshold")[0]!.used).toBeCloseTo(1.55, 6);
    }));

  it("stops an agent with exit budget, with a report of what it has", () =>
    run(function* () {
      const { result } = yield* playLife({
        model: priced(searching(), { input: 1_000, output: 1_000 }),
        tools: [instant("search")],
        budget: { maxCost: 2, maxTurns: 1_000 },
        repetition: false,
      });
      expect(result.agents[0]).toMatchObject({ exit: "budget", result: "what I have" });
      expect(tokensOf(result) / 1_000).toBeLessThanOrEqual(2);
    }));

  it("of zero lets nothing be generated", () =>
    run(function* () {
      const model = priced(playing(report()), price);
      const { result } = yield* playLife({ model, tools: [instant("search")], budget: { maxCost: 0 } });
      expect(result.agents[0]).toMatchObject({ exit: "budget", turns: 0 });
      expect(model.requests).toEqual([]);
    }));

  it("with a model whose price is not known is an error that names it", () =>
    run(function* () {
      const error = yield* thrownBy(
        playLife({ model: playing(report()), tools: [instant("search")], budget: { maxCost: 1 } }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/budget\.maxCost.*scripted/s);
    }));

  it("with a task's own model whose price is not known is an error too: it would not be counted", () =>
    run(function* () {
      const error = yield* thrownBy(
        playLife({
          model: priced(playing(report()), price),
          tools: [instant("search")],
          budget: { maxCost: 1 },
          orchestrate: parallel([{ task: "look", model: scripted(() => [report()], { id: "mystery" }) }]),
        }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/maxCost.*mystery/s);
    }));
});

describe("wallClock", () => {
  it("past soft winds down: parked calls are withdrawn, running ones end, agents report, exit deadline", () =>
    run(function* () {
      const slow = held("slow");
      const rig = yield* openLife({
        model: casting({
          runs: [ask("slow", { q: "s" }), report("had this")],
          parks: [ask("send"), report("had that")],
        }),
        tools: [slow, instant("send")],
        requireApproval: ["send"],
        budget: { wallClock: { soft: 1_000 } },
        orchestrate: parallel([
          { task: "a", key: "runs" },
          { task: "b", key: "parks" },
        ]),
      });
      rig.clock.advance(999);
      yield* quiet;
      expect(rig.handle.approvals.list()).toHaveLength(1);
      rig.clock.advance(1);
      yield* quiet;
      expect(rig.handle.approvals.list()).toEqual([]);
      expect(slow.running).toHaveLength(1);
      slow.held("s").succeed();
      const result = yield* finish(rig);
      expect(result.agents).toMatchObject([
        { exit: "deadline", result: "had this", toolCallCount: 1 },
        { exit: "deadline", result: "had that", toolCallCount: 0 },
      ]);
    }));

  it("past hard ends every agent, nested ones too: tools are aborted, what others had stands", () =>
    run(function* () {
      const slow = held("slow");
      const rig = yield* openLife({
        model: casting({
          quick: [report("in time")],
          stuck: [ask("slow", { q: "s" }), report()],
          nests: [ask("delegate"), report()],
          nested: [ask("slow", { q: "n" }), report()],
        }),
        tools: [
          slow,
          instant("delegate", {
            *execute() {
              return (yield* agentPool({ orchestrate: parallel([{ task: "n", key: "nested" }]) })).agents
                .length;
            },
          }),
        ],
        budget: { wallClock: { soft: 500, hard: 1_000 } },
        orchestrate: parallel(["quick", "stuck", "nests"].map((key) => ({ task: key, key }))),
      });
      rig.clock.advance(1_000);
      const result = yield* finish(rig);
      expect(exits(result)).toEqual(["returned", "deadline", "deadline"]);
      expect(result.agents[0]!.result).toBe("in time");
      expect(slow.calls.map(({ state, signal }) => [state, signal.aborted])).toEqual([
        ["halted", true],
        ["halted", true],
      ]);
      expect(ofType(rig.events, "agent:ended").map(({ result }) => result.exit)).toEqual([
        "returned",
        ...Array(3).fill("deadline"),
      ]);
      expect(ofType(rig.events, "budget:exhausted")).toMatchObject([{ budget: "wallClock", limit: 1_000 }]);
      expect(leftovers(rig)).toEqual([]);
    }));

  it("past hard stops a model that hangs", () =>
    run(function* () {
      const { result, clock } = yield* playLife({
        model: playing({ ...report(), wait: suspend() }),
        tools: [instant("search")],
        budget: { wallClock: { hard: 60_000 } },
      });
      expect(clock.now()).toBe(60_000);
      expect(exits(result)).toEqual(["deadline"]);
    }));

  it("lets an agent that is spawned after it have no turn", () =>
    run(function* () {
      const model = searching(400);
      const { result } = yield* playLife({
        model,
        tools: [instant("search")],
        budget: { wallClock: { soft: 1_000 } },
        repetition: false,
        *orchestrate(pool) {
          yield* pool.waitFor(yield* pool.spawn("first"));
          yield* pool.waitFor(yield* pool.spawn("second"));
        },
      });
      expect(result.agents).toMatchObject([{ exit: "deadline" }, { exit: "deadline", turns: 0 }]);
    }));

  it("announces its shares on the clock, of hard where there is one, and no more once the pool is over", () =>
    run(function* () {
      const at: [number, number][] = [];
      const { clock } = yield* playLife({
        model: playing({ ...report(), wait: 800 }),
        tools: [instant("search")],
        budget: { wallClock: { soft: 900, hard: 1_000 } },
        onEvent: (event) => {
          if (event.type === "budget:threshold") at.push([event.at, event.share]);
        },
      });
      expect(at).toEqual([
        [500, 0.5],
        [750, 0.75],
      ]);
      expect(clock.pending).toBe(0);
    }));

  for (const wallClock of [
    { soft: -1 },
    { hard: Number.NaN },
    { soft: 2_000, hard: 1_000 },
    { hard: "1 minute" },
    { sofd: 1_000 },
    1_000,
  ])
    it(`of ${JSON.stringify(wallClock)} is an error that names the place`, () =>
      run(function* () {
        const error = yield* thrownBy(
          playLife({
            model: playing(report()),
            tools: [instant("search")],
            budget: { wallClock: wallClock as never },
          }),
        );
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(String(error)).toMatch(/budget\.wallClock/);
      }));
});

describe("maxCallsPerTool", () => {
  it("refuses calls of that tool beyond it, and says so; others go on", () =>
    run(function* () {
      const [search, read] = [instant("search"), instant("read")];
      const model = playing(
        ask("search", { q: "1" }),
        ask("search", { q: "2" }),
        asks(["search", { q: "3" }], ["read", { q: "4" }]),
        report(),
      );
      const { result } = yield* playLife({
        model,
        tools: [search, read],
        budget: { maxCallsPerTool: { search: 2 } },
      });
      expect([search.asked, read.asked]).toEqual([["1", "2"], ["4"]]);
      expect(shownIn(model, 4)[2]).toMatchObject({
        type: "error-text",
        value: expect.stringMatching(/search.*2/),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 3 });
      expect(result.agents[0]!.refusals).toMatchObject([{ tool: "search", guard: "limit" }]);
    }));

  it("is reserved before calls run side by side: never overshot", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* openLife({
        model: playing(asks(...["1", "2", "3", "4"].map((q) => ["search", { q }] as const)), report()),
        tools: [search],
        budget: { maxCallsPerTool: { search: 2 } },
      });
      expect(search.running.map(({ q }) => q)).toEqual(["1", "2"]);
      for (const call of search.running) call.succeed();
      const { agents } = yield* finish(rig);
      expect(agents[0]!.refusals.map(({ guard }) => guard)).toEqual(["limit", "limit"]);
    }));

  it("is not used up by calls that did not execute, and once by one that is retried", () =>
    run(function* () {
      let attempts = 0;
      const search = instant("search", {
        hooks: { beforeDispatch: [byQuery({ no: refuse("no"), held: requireApproval("?") })] },
        execute: () => {
          if (attempts++ === 0) throw new ToolRetryError("busy", 10);
          return "found";
        },
      });
      const rig = yield* openLife({
        model: playing(
          asks(["search", { q: "no" }], ["search", { q: "held" }]),
          ask("search", { q: "runs" }),
          ask("search", { q: "too many" }),
          report(),
        ),
        tools: [search],
        budget: { maxCallsPerTool: { search: 1 } },
      });
      for (const { id } of rig.handle.approvals.list()) rig.handle.approvals.deny(id);
      const { agents } = yield* finish(rig);
      expect(attempts).toBe(2);
      expect(agents[0]!.refusals.map(({ guard }) => guard)).toEqual(["by_query", "approval", "limit"]);
    }));

  it("is each agent's own", () =>
    run(function* () {
      const search = instant("search");
      yield* playLife({
        model: playing(ask("search"), report()),
        tools: [search],
        budget: { maxCallsPerTool: { search: 1 } },
        orchestrate: many(3),
      });
      expect(search.asked).toHaveLength(3);
    }));

  it("of a tool called like something every object has is like any other", () =>
    run(function* () {
      const tool = instant("constructor");
      const { result } = yield* playLife({
        model: playing(ask("constructor"), ask("constructor", { q: "2" }), report()),
        tools: [tool, instant("search")],
        budget: { maxCallsPerTool: { search: 1 } },
      });
      expect(result.agents[0]).toMatchObject({ toolCallCount: 2, refusals: [] });
    }));

  it("of a tool there is not is an error that names the nearest", () =>
    run(function* () {
      const error = yield* thrownBy(
        playLife({
          model: playing(report()),
          tools: [instant("search")],
          budget: { maxCallsPerTool: { serch: 1 } },
        }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/budget\.maxCallsPerTool.*"serch".*did you mean "search"/s);
    }));

  for (const limit of [-1, Number.NaN, "2"])
    it(`of ${JSON.stringify(limit)} calls is an error that names the place`, () =>
      run(function* () {
        const error = yield* thrownBy(
          playLife({
            model: playing(report()),
            tools: [instant("search")],
            budget: { maxCallsPerTool: { search: limit as number } },
          }),
        );
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(String(error)).toMatch(/budget\.maxCallsPerTool\.search/);
      }));

  it("of zero refuses every call of it", () =>
    run(function* () {
      const search = instant("search");
      const { result } = yield* playLife({
        model: playing(ask("search"), report()),
        tools: [search],
        budget: { maxCallsPerTool: { search: 0 } },
      });
      expect(search.asked).toEqual([]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 0 });
    }));
});

describe("R2: a storm of failures that pass", () => {
  it("R2: is throttled by the run's retries: over all agents and calls together, and what was found is kept", () =>
    run(function* () {
      let executions = 0;
      const stormy = instant("stormy", {
        execute: () => {
          executions++;
          throw new ToolRetryError("429", 1_000);
        },
      });
      const { result, events } = yield* playLife({
        model: playing(
          ask("search"),
          asks(["stormy", { q: "1" }], ["stormy", { q: "2" }]),
          report("what I found"),
        ),
        tools: [stormy, instant("search")],
        budget: { runRetries: 7, maxToolRetries: 3 },
        orchestrate: many(10),
      });
      expect(executions).toBe(10 * 2 + 7);
      expect(ofType(events, "call:parked").filter(({ reason }) => reason === "retry")).toHaveLength(7);
      expect(result.agents).toHaveLength(10);
      for (const agent of result.agents)
        expect(agent).toMatchObject({
          exit: "returned",
          result: "what I found",
          toolCallCount: 3,
          attendedCount: 1,
        });
    }));

  it("R2: leaves every call that had to give up with an honest answer", () =>
    run(function* () {
      const model = playing(ask("stormy"), report());
      yield* playLife({
        model,
        tools: [
          instant("stormy", {
            execute: () => {
              throw new ToolRetryError("429 Too Many Requests", 1_000);
            },
          }),
        ],
        budget: { runRetries: 0 },
      });
      expect(shownIn(model, 2)).toMatchObject([
        { type: "error-text", value: expect.stringMatching(/unavailable.*429 Too Many Requests/) },
      ]);
    }));

  it("R2: of the model parks its agent for as long as it says, a limited number of times, and keeps its siblings", () =>
    run(function* () {
      const limited: ScriptedTurn = { error: { limited: 1_000 } };
      const { result, events } = yield* playLife({
        model: casting({ storm: Array(10).fill(limited), calm: [ask("search"), report("calm")] }),
        tools: [instant("search")],
        orchestrate: parallel(["storm", "calm"].map((key) => ({ task: key, key }))),
      });
      expect(exits(result)).toEqual(["model_error", "returned"]);
      expect(result.agents[0]).toMatchObject({ turns: 0, usage: { input: 0, output: 0 } });
      expect(ofType(events, "model:limited").length).toBeLessThanOrEqual(10);
    }));
});

describe("M4: many agents at once", () => {
  it("M4: all get their turns, however few may generate at once: none dies at turn 0", () =>
    run(function* () {
      const { result } = yield* playLife({
        model: scripted(
          () => [
            { ...ask("search"), wait: 5 },
            { ...report(), wait: 5 },
          ],
          { contextWindow: 4_000 },
        ),
        tools: [instant("search")],
        budget: { concurrentGenerations: 3, concurrentTools: 2 },
        orchestrate: many(100),
      });
      for (const agent of result.agents) expect(agent).toMatchObject({ exit: "returned", turns: 2 });
    }));

  it("M4: those whose tokens are spoken for by others wait for them: the budget is used, and none is stopped that it had room for", () =>
    run(function* () {
      const model = scripted(() => [{ ...report(), wait: 10 }]);
      const alone = yield* playLife({ model, tools: [instant("search")], orchestrate: many(1) });
      const each = tokensOf(alone.result);
      const { result } = yield* playLife({
        model: scripted(() => [{ ...report(), wait: 10 }]),
        tools: [instant("search")],
        budget: { maxTokens: 40 * each, concurrentGenerations: 40 },
        orchestrate: many(30),
      });
      expect(exits(result)).toEqual(Array(30).fill("returned"));
    }));

  it("M4: while one waits for tokens, winding down and cancelling reach it", () =>
    run(function* () {
      const model = scripted(() => [{ ...report(), wait: 1_000 }]);
      const rig = yield* openLife({
        model,
        tools: [instant("search")],
        terminal: reportTool,
        budget: { maxTokens: 200, concurrentGenerations: 40 },
        orchestrate: many(10),
      });
      yield* rig.handle.cancel("agent/9");
      rig.handle.windDown();
      const result = yield* finish(rig);
      expect(result.agents).toHaveLength(10);
      expect(tokensOf(result)).toBeLessThanOrEqual(200);
      expect(leftovers(rig)).toEqual([]);
    }));
});
