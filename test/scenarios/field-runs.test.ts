import {
  type Args,
  agentPool,
  ConfigurationError,
  defineTool,
  delegate,
  ModelLimitError,
  type Orchestrator,
  parallel,
  refuse,
  reportTool,
  runPool,
  type Tool,
  type ToolContext,
  type ToolGuard,
  ToolRetryError,
  useAgentPool,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { call, type Operation, run, spawn, suspend, until } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ask,
  asks,
  casting,
  finish,
  held,
  instant,
  lastShown,
  leftovers,
  noted,
  ofType,
  open,
  play,
  playing,
  quiet,
  report,
  shown,
  textOf,
  unanswered,
} from "./support.ts";

describe("R1: a rate limit", () => {
  it("R1: of the model parks the agent: no turn, no token, no line of context", () =>
    run(function* () {
      const model = playing({ error: { limited: 45_000 } }, { error: { limited: 5_000 } }, report("fine"));
      const rig = yield* open({
        model,
        tools: [instant("search")],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
      });
      expect(rig.handle.inspect()).toMatchObject({
        agents: { parked: 1 },
        parked: 1,
        permits: { generations: 0 },
      });
      const { agents } = yield* finish(rig);
      expect(rig.clock.now()).toBe(50_000);
      expect(agents[0]).toMatchObject({ exit: "returned", turns: 1, parks: 2 });
      const [first, , third] = model.requests;
      expect(third!.messages).toEqual(first!.messages);
      expect(ofType(rig.events, "model:limited").map(({ afterMs }) => afterMs)).toEqual([45_000, 5_000]);
      expect(ofType(rig.events, "turn:completed")).toHaveLength(1);
    }));

  it("R1: of the model that does not say how long waits longer each time", () =>
    run(function* () {
      const unknown = { error: { limited: "unknown" as const } };
      const { result, clock, events } = yield* play({
        model: playing(unknown, unknown, unknown, report("fine")),
        tools: [instant("search")],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", parks: 3, turns: 1 });
      const waits = ofType(events, "model:limited").map(({ afterMs }) => afterMs);
      expect(waits.every((wait, at) => at === 0 || wait > waits[at - 1]!)).toBe(true);
      expect(clock.now()).toBe(waits.reduce((sum, wait) => sum + wait));
    }));

  for (const retryAfterMs of [Number.NaN, -1, Number.NEGATIVE_INFINITY])
    it(`R1: of the model that says to wait ${retryAfterMs} ms waits a sensible time`, () =>
      run(function* () {
        const { result, clock } = yield* play({
          model: playing({ error: new ModelLimitError("slow down", retryAfterMs) }, report("fine")),
          tools: [instant("search")],
          terminal: reportTool,
          orchestrate: parallel(["look"]),
        });
        expect(result.agents[0]!.exit).toBe("returned");
        expect(Number.isFinite(clock.now())).toBe(true);
      }));

  for (const afterMs of [Number.NaN, -5, undefined as never])
    it(`R1: of a tool that says to wait ${afterMs} ms parks and runs again`, () =>
      run(function* () {
        const { result, clock } = yield* play({
          model: playing(ask("search"), report("fine")),
          tools: [
            instant("search", {
              execute: (_args, { attempt }) => {
                if (attempt === 0) throw new ToolRetryError("429", afterMs);
                return "found";
              },
            }),
          ],
          terminal: reportTool,
          orchestrate: parallel(["look"]),
        });
        expect(result.agents[0]).toMatchObject({ exit: "returned", parks: 1, attendedCount: 1 });
        expect(clock.now()).toBe(0);
      }));

  it("R1: while the forced report is generated parks as well, and the report is kept", () =>
    run(function* () {
      const { result } = yield* play({
        model: playing(ask("search"), { error: { limited: 1_000 } }, report("what I have")),
        tools: [instant("search")],
        terminal: reportTool,
        budget: { maxTurns: 1 },
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({
        exit: "max_turns",
        result: "what I have",
        turns: 1,
        parks: 1,
      });
    }));

  it("R1: of the terminal tool parks, and costs no turn", () =>
    run(function* () {
      let runs = 0;
      const send = defineTool({
        name: "send",
        description: "Sends the report.",
        parameters: z.object({ result: z.string() }),
        execute: ({ result }) => {
          if (runs++ === 0) throw new ToolRetryError("429", 1_000);
          return result;
        },
      });
      const { result } = yield* play({
        model: playing(ask("send", { result: "a" }), ask("send", { result: "b" })),
        tools: [instant("search")],
        terminal: send,
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "a", turns: 1, parks: 1 });
    }));

  it("R1: parks one agent while the others go on, holding no permit", () =>
    run(function* () {
      const rig = yield* open({
        model: casting({
          limited: [{ error: { limited: 10_000 } }, report("late")],
          free: [ask("search"), report("early")],
        }),
        tools: [instant("search")],
        terminal: reportTool,
        budget: { concurrentGenerations: 1, concurrentTools: 1 },
        orchestrate: parallel(["limited", "free"]),
      });
      expect(ofType(rig.events, "agent:ended").map(({ result }) => result.result)).toEqual(["early"]);
      yield* finish(rig);
    }));
});

describe("R3: the deadline of a call covers its executions together", () => {
  it("R3: and not its parks: two attempts share it, however long the wait between them", () =>
    run(function* () {
      const search = held("search", { timeoutMs: 1_000 });
      const model = playing(ask("search", { q: "x" }), report());
      const rig = yield* open({
        model,
        tools: [search],
        terminal: reportTool,
        budget: { maxToolRetries: 5 },
        orchestrate: parallel(["look"]),
      });
      rig.clock.advance(600);
      search.held("x").fail(new ToolRetryError("429", 60_000));
      yield* quiet;
      rig.clock.advance(60_000);
      yield* quiet;
      expect(search.held("x").attempt).toBe(1);
      rig.clock.advance(399);
      yield* quiet;
      expect(search.running).toHaveLength(1);
      rig.clock.advance(1);
      yield* quiet;
      expect(search.running).toHaveLength(0);
      expect(search.calls[1]).toMatchObject({ state: "halted", signal: { aborted: true } });
      yield* finish(rig);
      expect(lastShown(model, "agent/0")).toMatchObject([
        { type: "error-text", value: expect.stringContaining("1000 ms") },
      ]);
    }));

  it("R3: is 120 s where the tool says nothing", () =>
    run(function* () {
      const { clock, result } = yield* play({
        model: playing(ask("search"), report()),
        tools: [held("search")],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
      });
      expect(clock.now()).toBe(120_000);
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 1, attendedCount: 0 });
    }));

  it("R3: does not run while the call waits in line or for a permit", () =>
    run(function* () {
      const search = held("search", { timeoutMs: 1_000 });
      const rig = yield* open({
        model: playing(ask("search", { q: "x" }), report()),
        tools: [search],
        terminal: reportTool,
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["a", "b"]),
      });
      rig.clock.advance(900);
      search.held("x").succeed();
      yield* quiet;
      rig.clock.advance(900);
      yield* quiet;
      expect(search.held("x").agent).toBe("agent/1");
      search.held("x").succeed();
      const { agents } = yield* finish(rig);
      expect(agents.map(({ attendedCount }) => attendedCount)).toEqual([1, 1]);
    }));

  it("R3: stands still while a pool runs inside the call", () =>
    run(function* () {
      const search = held("search", { timeoutMs: 100_000 });
      const rig = yield* open({
        model: scripted(({ task }) =>
          task === "boss"
            ? [ask("delegate", { tasks: ["help"] }), report()]
            : [ask("search", { q: "x" }), report("helped")],
        ),
        tools: [search, { ...delegate(), timeoutMs: 1_000 }],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      rig.clock.advance(50_000);
      yield* quiet;
      search.held("x").succeed();
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ exit: "returned", attendedCount: 1 });
    }));
});

describe("R4: control flow is not swallowed", () => {
  /** A tool that catches everything it can. */
  const grabby = (log: string[]) =>
    instant("grabby", {
      *execute(): Operation<unknown> {
        for (;;) {
          try {
            log.push("in");
            yield* suspend();
          } catch {
            log.push("caught");
          } finally {
            log.push("out");
          }
        }
      },
    });

  it("R4: a halt goes through a tool that catches everything", () =>
    run(function* () {
      const log: string[] = [];
      const rig = yield* open({
        model: playing(ask("grabby"), report()),
        tools: [grabby(log)],
        terminal: reportTool,
        orchestrate: parallel(["x"]),
      });
      yield* rig.handle.cancel("agent/0");
      yield* quiet;
      expect(log).toEqual(["in", "out"]);
      expect((yield* finish(rig)).agents[0]).toMatchObject({ exit: "cancelled" });
    }));

  it("R4: a deadline goes through a tool that catches everything", () =>
    run(function* () {
      const log: string[] = [];
      const { result, clock } = yield* play({
        model: playing(ask("grabby"), report()),
        tools: [{ ...grabby(log), timeoutMs: 700 }],
        terminal: reportTool,
        orchestrate: parallel(["x"]),
      });
      expect(clock.now()).toBe(700);
      expect(log).toEqual(["in", "out"]);
      expect(result.agents[0]!.exit).toBe("returned");
    }));

  it("R4: a halt is no failure: afterExecute is not asked, nothing is retried, and nothing settles", () =>
    run(function* () {
      const asked: string[] = [];
      const search = held("search", {
        hooks: { afterExecute: () => noted(asked, "afterExecute", { type: "retry", afterMs: 1 }) },
      });
      const rig = yield* open({
        model: playing(ask("search", { q: "x" }), report()),
        tools: [search],
        terminal: reportTool,
        budget: { maxToolRetries: 9 },
        orchestrate: parallel(["x"]),
      });
      yield* rig.handle.cancel("agent/0");
      yield* finish(rig);
      expect(asked).toEqual([]);
      expect(search.calls).toHaveLength(1);
      expect(ofType(rig.events, "call:settled")).toEqual([]);
    }));

  it("R4: a park is not seen by the tool: nothing it could catch", () =>
    run(function* () {
      const log: string[] = [];
      const search = instant("search", {
        *execute(_args, { attempt }): Operation<unknown> {
          try {
            log.push(`attempt ${attempt}`);
            if (attempt === 0) throw new ToolRetryError("429", 10);
            return "found";
          } finally {
            log.push("left");
          }
        },
      });
      yield* play({
        model: playing(ask("search"), report()),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["x"]),
      });
      expect(log).toEqual(["attempt 0", "left", "attempt 1", "left"]);
    }));
});

describe("R5: a body that hangs", () => {
  const bodies: [string, (seen: { signal?: AbortSignal }) => Partial<Tool>][] = [
    [
      "in a promise that heeds no signal",
      (seen) => ({
        execute: (_args, ctx) => {
          seen.signal = ctx.signal;
          return new Promise(() => {});
        },
      }),
    ],
    [
      "in a promise that rejects when it is told to stop",
      (seen) => ({
        execute: (_args, { signal }) =>
          new Promise((_, reject) => {
            seen.signal = signal;
            signal.addEventListener("abort", () => reject(signal.reason));
          }),
      }),
    ],
    [
      "in an operation",
      (seen) => ({
        *execute(_args, ctx) {
          seen.signal = ctx.signal;
          yield* suspend();
        },
      }),
    ],
    [
      "in a promise that an operation waits for",
      (seen) => ({
        *execute(_args, ctx) {
          seen.signal = ctx.signal;
          yield* call(() => new Promise(() => {}));
        },
      }),
    ],
    [
      "after its first part was there",
      (seen) => ({
        async execute(_args, ctx) {
          seen.signal = ctx.signal;
          await Promise.resolve("headers");
          ctx.progress("headers are there");
          return await new Promise(() => {});
        },
      }),
    ],
  ];
  for (const [where, body] of bodies)
    it(`R5: ${where} is aborted at the deadline, and only that call fails`, () =>
      run(function* () {
        const seen: { signal?: AbortSignal } = {};
        const model = playing(asks(["hang"], ["search", { q: "x" }]), report());
        const rig = yield* open({
          model,
          tools: [instant("hang", { timeoutMs: 3_000, ...body(seen) }), instant("search")],
          terminal: reportTool,
          orchestrate: parallel(["a"]),
        });
        rig.clock.advance(2_999);
        yield* quiet;
        expect(seen.signal!.aborted).toBe(false);
        rig.clock.advance(1);
        yield* quiet;
        expect(seen.signal!.aborted).toBe(true);
        const { agents } = yield* finish(rig);
        expect(agents[0]).toMatchObject({ exit: "returned", toolCallCount: 2, attendedCount: 1 });
        expect(lastShown(model, "agent/0")).toMatchObject([
          { tool: "hang", type: "error-text" },
          { tool: "search", type: "json" },
        ]);
      }));

  it("R5: says nothing any more once it was given up", () =>
    run(function* () {
      let late: ToolContext | undefined;
      let answer: (value: unknown) => void = () => {};
      const model = playing(ask("hang"), report());
      const { events } = yield* play({
        model,
        tools: [
          instant("hang", {
            timeoutMs: 10,
            execute: (_args, ctx) => {
              late = ctx;
              return new Promise((resolve) => {
                answer = resolve;
              });
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      const count = events.length;
      late!.progress("still here");
      answer("too late");
      yield* quiet;
      expect(events).toHaveLength(count);
      expect(late!.signal.aborted).toBe(true);
    }));
});

describe("T1: limits are reserved before calls run side by side", () => {
  it("T1: parallel calls never overshoot maxToolCalls, and what was skipped is not counted", () =>
    run(function* () {
      const search = held("search");
      const model = playing(
        asks(...["a", "b", "c", "d", "e"].map((q) => ["search", { q }] as const)),
        report("all I could"),
      );
      const rig = yield* open({
        model,
        tools: [search],
        terminal: reportTool,
        budget: { maxToolCalls: 3 },
        orchestrate: parallel(["x"]),
      });
      expect(search.calls.map(({ q }) => q)).toEqual(["a", "b", "c"]);
      for (const one of search.running) one.succeed();
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ exit: "max_calls", toolCallCount: 3, result: "all I could" });
      expect(agents[0]!.refusals).toMatchObject([{ guard: "limit" }, { guard: "limit" }]);
      expect(lastShown(model, "agent/0")).toHaveLength(5);
    }));

  it("T1: a call that a guard refused takes no part of the limit", () =>
    run(function* () {
      const no: ToolGuard = {
        name: "no_b",
        decide: ({ args }) => (args.q === "b" ? refuse("not b") : undefined),
      };
      const search = instant("search", { hooks: { beforeDispatch: [no] } });
      const { result } = yield* play({
        model: playing(
          asks(
            ["search", { q: "b" }],
            ["search", { q: "a" }],
            ["search", { q: "b" }],
            ["search", { q: "c" }],
          ),
          report(),
        ),
        tools: [search],
        terminal: reportTool,
        budget: { maxToolCalls: 2 },
        orchestrate: parallel(["x"]),
      });
      expect(search.asked).toEqual(["a", "c"]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 2 });
    }));

  it("T1: a call refused in line gives back what it had reserved", () =>
    run(function* () {
      const search = instant("search", {
        hooks: {
          beforeDispatch: [
            {
              name: "once",
              message: "again?",
              reject: ({ args, attended }) => attended().some(({ q }) => q === args.q),
            },
          ],
        },
      });
      const { result } = yield* play({
        model: playing(
          asks(["search", { q: "a" }], ["search", { q: "a" }]),
          ask("search", { q: "b" }),
          report(),
        ),
        tools: [search],
        terminal: reportTool,
        budget: { maxToolCalls: 2 },
        orchestrate: parallel(["x"]),
      });
      expect(search.asked).toEqual(["a", "b"]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 2 });
    }));

  it("T1: an agent is not stopped for its calls while some of them were given back", () =>
    run(function* () {
      const search = instant("search", {
        hooks: {
          beforeDispatch: [
            {
              name: "once",
              message: "again?",
              reject: ({ args, attended }) => attended().some(({ q }) => q === args.q),
            },
          ],
        },
      });
      const { result } = yield* play({
        model: playing(
          asks(["search", { q: "a" }], ["search", { q: "a" }], ["search", { q: "b" }]),
          ask("search", { q: "b" }),
          report(),
        ),
        tools: [search],
        terminal: reportTool,
        budget: { maxToolCalls: 2 },
        orchestrate: parallel(["x"]),
      });
      expect(search.asked).toEqual(["a", "b"]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 2 });
    }));

  it("T1: retries of a call are one call", () =>
    run(function* () {
      const { result } = yield* play({
        model: playing(ask("search"), report()),
        tools: [
          instant("search", {
            execute: (_args, { attempt }) => {
              if (attempt < 3) throw new ToolRetryError("429", 1);
              return "found";
            },
          }),
        ],
        terminal: reportTool,
        budget: { maxToolCalls: 1, maxToolRetries: 3 },
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 1, parks: 3 });
      expect(result.totals.toolCalls).toBe(1);
    }));

  it("T1: runRetries holds over agents whose calls fail at once", () =>
    run(function* () {
      let runs = 0;
      const { result } = yield* play({
        model: playing(asks(["search", { q: "a" }], ["search", { q: "b" }]), report("kept")),
        tools: [
          instant("search", {
            execute: () => {
              runs++;
              throw new ToolRetryError("429", 10);
            },
          }),
        ],
        terminal: reportTool,
        budget: { maxToolRetries: 9, runRetries: 3 },
        orchestrate: parallel(["x", "y"]),
      });
      expect(runs).toBe(4 + 3);
      expect(result.totals.parks).toBe(3);
      expect(result.agents.map((agent) => agent.result)).toEqual(["kept", "kept"]);
    }));
});

describe("T2: results are matched by call id", () => {
  it("T2: calls of one tool that settle in reverse are answered each by its own result, in emitted order", () =>
    run(function* () {
      const search = held("search");
      const model = scripted(() => [
        {
          calls: ["a", "b", "c"].map((q) => ({ tool: "search", args: { q }, id: `id-${q}` })),
        },
        report(),
      ]);
      const rig = yield* open({
        model,
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["x"]),
      });
      for (const q of ["c", "b", "a"]) {
        search.held(q).succeed({ found: q });
        yield* quiet;
      }
      yield* finish(rig);
      expect(lastShown(model, "agent/0").map(({ id, value }) => [id, value])).toEqual([
        ["id-a", { found: "a" }],
        ["id-b", { found: "b" }],
        ["id-c", { found: "c" }],
      ]);
      const order = ofType(rig.events, "call:admitted").map((event) => event.call);
      expect(order.slice(0, 3)).toEqual(["agent/0:1#0", "agent/0:1#1", "agent/0:1#2"]);
      expect(
        ofType(rig.events, "call:settled")
          .map((event) => event.call)
          .slice(0, 3),
      ).toEqual(order.slice(0, 3).reverse());
    }));

  it("T2: a refused call between two that ran keeps its place", () =>
    run(function* () {
      const model = scripted(() => [
        {
          calls: [
            { tool: "search", args: { q: "a" }, id: "one" },
            { tool: "nothing", id: "two" },
            { tool: "search", args: "{", id: "three" },
            { tool: "search", args: { q: "d" }, id: "four" },
          ],
        },
        report(),
      ]);
      yield* play({ model, tools: [instant("search")], terminal: reportTool, orchestrate: parallel(["x"]) });
      expect(lastShown(model, "agent/0").map(({ id, type }) => [id, type])).toEqual([
        ["one", "json"],
        ["two", "error-text"],
        ["three", "error-text"],
        ["four", "json"],
      ]);
    }));
});

describe("T4: an agent that ends leaves no call unanswered", () => {
  const answered = (model: ReturnType<typeof playing>) => {
    for (const { messages } of model.requests) expect(unanswered(messages)).toEqual([]);
  };

  it("T4: at its limit of calls", () =>
    run(function* () {
      const model = playing(
        asks(["search", { q: "a" }], ["search", { q: "b" }], ["search", { q: "c" }]),
        report(),
      );
      const { result } = yield* play({
        model,
        tools: [instant("search")],
        terminal: reportTool,
        budget: { maxToolCalls: 1 },
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]!.exit).toBe("max_calls");
      expect(model.requests).toHaveLength(2);
      answered(model);
    }));

  it("T4: at its limit of turns", () =>
    run(function* () {
      const model = playing(asks(["search"], ["nothing"]), report());
      const { result } = yield* play({
        model,
        tools: [instant("search")],
        terminal: reportTool,
        budget: { maxTurns: 1 },
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]!.exit).toBe("max_turns");
      answered(model);
    }));

  it("T4: when its context is full", () =>
    run(function* () {
      const model = scripted(
        () => [asks(["search", { q: "a" }], ["search", { q: "b" }], ["nothing"]), report("full")],
        { contextWindow: 500 },
      );
      const { result } = yield* play({
        model,
        tools: [instant("search", { execute: () => "x".repeat(5_000) })],
        terminal: reportTool,
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "context", result: "full" });
      expect(shown(model.requests.at(-1)!.messages)).toHaveLength(3);
      answered(model);
    }));

  it("T4: when the run winds down, its parked calls being withdrawn", () =>
    run(function* () {
      const search = held("search");
      const model = playing(asks(["search", { q: "a" }], ["search", { q: "b" }]), report("part"));
      const rig = yield* open({
        model,
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["x"]),
      });
      search.held("a").fail(new ToolRetryError("429", 60_000));
      yield* quiet;
      rig.handle.windDown();
      search.held("b").succeed();
      const { agents } = yield* finish(rig);
      expect(rig.clock.now()).toBe(0);
      expect(agents[0]).toMatchObject({ exit: "cancelled", result: "part", attendedCount: 1 });
      expect(lastShown(model, "agent/0")).toMatchObject([
        { type: "error-text", value: expect.stringContaining("brought to an end") },
        { type: "json" },
      ]);
      expect(ofType(rig.events, "call:withdrawn")).toHaveLength(1);
      answered(model);
    }));

  it("T4: when it is cancelled: who forks from it starts before the open step", () =>
    run(function* () {
      const search = held("search");
      const model = casting({
        first: [ask("quick", { q: "q" }), asks(["search", { q: "a" }], ["search", { q: "b" }]), report()],
        second: [report("took over")],
      });
      const rig = yield* open({
        model,
        tools: [search, instant("quick")],
        terminal: reportTool,
        *orchestrate(pool) {
          const first = yield* pool.spawn({ task: "first", key: "first" });
          yield* pool.waitFor(first);
          yield* pool.waitFor(yield* pool.spawn({ task: "second", key: "second", parent: first }));
        },
      });
      search.held("a").succeed();
      yield* quiet;
      yield* rig.handle.cancel("agent/first");
      const { agents } = yield* finish(rig);
      expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "returned"]);
      expect(shown(model.requestsOf("agent/second")[0]!.messages).map(({ tool }) => tool)).toEqual(["quick"]);
      answered(model);
    }));

  it("T4: when its terminal call comes with others", () =>
    run(function* () {
      const model = casting({
        first: [asks(["report", { result: "r" }], ["search", { q: "a" }], ["report", { result: "s" }])],
        second: [report()],
      });
      const { result } = yield* play({
        model,
        tools: [instant("search")],
        terminal: reportTool,
        *orchestrate(pool) {
          const first = yield* pool.spawn({ task: "first", key: "first" });
          yield* pool.waitFor(first);
          yield* pool.waitFor(yield* pool.spawn({ task: "second", key: "second", parent: first }));
        },
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "r", toolCallCount: 1 });
      expect(shown(model.requestsOf("agent/second")[0]!.messages)).toHaveLength(3);
      answered(model);
    }));

  it("T4: when a halt comes while results are admitted, no fork sees half a step", () =>
    run(function* () {
      const [slow, quick] = [held("slow"), instant("quick")];
      const model = casting({
        first: [asks(["quick", { q: "1" }], ["slow", { q: "2" }], ["quick", { q: "3" }]), report()],
        second: [report()],
      });
      const rig = yield* open({
        model,
        tools: [slow, quick],
        terminal: reportTool,
        *orchestrate(pool) {
          const first = yield* pool.spawn({ task: "first", key: "first" });
          while (slow.running.length === 0) yield* quiet;
          yield* pool.waitFor(yield* pool.spawn({ task: "second", key: "second", parent: first }));
          slow.held("2").succeed();
          yield* pool.waitFor(first);
        },
      });
      yield* finish(rig);
      expect(shown(model.requestsOf("agent/second")[0]!.messages)).toEqual([]);
      answered(model);
    }));
});

describe("M1: one agent's failure", () => {
  const failures: { readonly [how: string]: readonly object[] } = {
    "its model throws": [{ error: new Error("the model is down") }],
    "its model refuses": [{ text: "I will not.", finish: "refusal" }],
    "its script ends": [ask("search")],
  };
  for (const [how, turns] of Object.entries(failures))
    it(`M1: where ${how} keeps its siblings' results, and is reported as a failure with its reason`, () =>
      run(function* () {
        const { result, events } = yield* play({
          model: casting({ bad: turns, good: [ask("search", { q: "x" }), report("found")] }),
          tools: [instant("search")],
          terminal: reportTool,
          orchestrate: parallel(["good", "bad", "good"]),
        });
        expect(result.agents.map(({ exit }) => exit)).toEqual(["returned", "model_error", "returned"]);
        expect(result.agents.map((agent) => agent.result)).toEqual(["found", undefined, "found"]);
        expect(result.agents[1]!.reason).toMatch(/down|refused|ended after/);
        expect(ofType(events, "agent:returned").map(({ agent }) => agent)).not.toContain("agent/1");
        expect(ofType(events, "agent:ended").find(({ agent }) => agent === "agent/1")!.result.exit).toBe(
          "model_error",
        );
      }));

  it("M1: in a delegate is told to its caller, who goes on", () =>
    run(function* () {
      const model = scripted(({ task }) =>
        task === "boss"
          ? [ask("delegate", { tasks: ["good", "bad"] }), report()]
          : task === "bad"
            ? [{ error: new Error("the model is down") }]
            : [report("helped")],
      );
      const { result } = yield* play({
        model,
        tools: [delegate()],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(result.agents[0]!.exit).toBe("returned");
      expect(lastShown(model, "agent/0")[0]!.value).toMatchObject([
        { task: "good", exit: "returned", result: "helped" },
        { task: "bad", exit: "model_error", result: null, reason: "the model is down" },
      ]);
    }));

  it("M1: at a limit is reported as that, with what it had", () =>
    run(function* () {
      const { result } = yield* play({
        model: casting({ long: [ask("search"), ask("search"), report("half")], short: [report("whole")] }),
        tools: [instant("search")],
        terminal: reportTool,
        budget: { maxTurns: 2 },
        orchestrate: parallel(["long", "short"]),
      });
      expect(result.agents.map(({ exit, result }) => [exit, result])).toEqual([
        ["max_turns", "half"],
        ["returned", "whole"],
      ]);
    }));
});

describe("M2: what holds for an agent holds for those that work for it", () => {
  /** A boss that hands one task to a helper, who makes one call. */
  const bossAndHelper = (...helper: Parameters<typeof ask>) =>
    scripted(({ task }) =>
      task === "boss" ? [ask("delegate", { tasks: ["help"] }), report()] : [ask(...helper), report("helped")],
    );
  const refusing: ToolGuard = {
    name: "strict",
    tools: ["search", "local:search"],
    decide: () => refuse("never"),
  };

  it("M2: denies", () =>
    run(function* () {
      const shell = instant("shell");
      const { result, events } = yield* play({
        model: bossAndHelper("shell"),
        tools: [shell, delegate()],
        terminal: reportTool,
        deny: ["shell"],
        orchestrate: parallel(["boss"]),
      });
      expect(shell.asked).toEqual([]);
      expect(result.totals.refusals).toBe(1);
      expect(ofType(events, "call:refused")).toMatchObject([
        { guard: "deny", agent: expect.stringContaining("~") },
      ]);
    }));

  it("M2: denies, also of tools that the nested pool brings itself", () =>
    run(function* () {
      const shell = instant("shell");
      yield* play({
        model: bossAndHelper("shell"),
        tools: [instant("shell"), delegate({ tools: [shell], terminal: reportTool })],
        terminal: reportTool,
        deny: ["shell"],
        orchestrate: parallel(["boss"]),
      });
      expect(shell.asked).toEqual([]);
    }));

  it("M2: denies, also of a tool that a nested pool serves under another name", () =>
    run(function* () {
      const shell = instant("run", { identity: "local:shell" });
      yield* play({
        model: bossAndHelper("run"),
        tools: [instant("shell"), delegate({ tools: [shell], terminal: reportTool })],
        terminal: reportTool,
        deny: ["shell"],
        orchestrate: parallel(["boss"]),
      });
      expect(shell.asked).toEqual([]);
    }));

  it("M2: the harness's guards", () =>
    run(function* () {
      const search = instant("search");
      const { result } = yield* play({
        model: bossAndHelper("search"),
        tools: [
          search,
          delegate({
            hooks: [{ beforeDispatch: [{ name: "lenient", decide: () => ({ type: "proceed" }) }] }],
          }),
        ],
        terminal: reportTool,
        hooks: [{ beforeDispatch: [refusing] }],
        orchestrate: parallel(["boss"]),
      });
      expect(search.asked).toEqual([]);
      expect(result.totals.refusals).toBe(1);
    }));

  it("M2: the harness's guards, also for tools that the nested pool brings itself", () =>
    run(function* () {
      const search = instant("search");
      yield* play({
        model: bossAndHelper("search"),
        tools: [instant("other"), delegate({ tools: [search], terminal: reportTool })],
        terminal: reportTool,
        hooks: [{ beforeDispatch: [refusing] }],
        orchestrate: parallel(["boss"]),
      });
      expect(search.asked).toEqual([]);
    }));

  it("M2: a tool's own guards, also where the nested pool brings the same tool without them", () =>
    run(function* () {
      const bare = instant("search");
      yield* play({
        model: bossAndHelper("search"),
        tools: [
          instant("search", { hooks: { beforeDispatch: [refusing] } }),
          delegate({ tools: [bare], terminal: reportTool }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(bare.asked).toEqual([]);
    }));

  it("M2: onReturn of the harness", () =>
    run(function* () {
      const returned: string[] = [];
      yield* play({
        model: bossAndHelper("search"),
        tools: [instant("search"), delegate()],
        terminal: reportTool,
        hooks: [{ onReturn: ({ agent }) => void returned.push(agent.task) }],
        orchestrate: parallel(["boss"]),
      });
      expect(returned).toEqual(["help", "boss"]);
    }));

  it("M2: a nested pool may not switch off a guard of the pool around it", () =>
    run(function* () {
      const search = instant("search");
      const model = bossAndHelper("search");
      yield* play({
        model,
        tools: [search, delegate({ guards: { strict: false } })],
        terminal: reportTool,
        hooks: [{ beforeDispatch: [refusing] }],
        orchestrate: parallel(["boss"]),
      });
      expect(search.asked).toEqual([]);
      expect(lastShown(model, "agent/0")[0]).toMatchObject({
        type: "error-text",
        value: expect.stringMatching(/guards\.strict.*may not switch off/),
      });
    }));

  it("M2: a nested pool may switch off a guard of its own", () =>
    run(function* () {
      const search = instant("search");
      yield* play({
        model: bossAndHelper("search"),
        tools: [search, delegate({ hooks: [{ beforeDispatch: [refusing] }], guards: { strict: false } })],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(search.asked).toEqual([""]);
    }));

  it("M2: a nested pool may be given the very guards map of the pool around it", () =>
    run(function* () {
      const guards = { strict: false } as const;
      const search = instant("search");
      const model = bossAndHelper("search");
      yield* play({
        model,
        tools: [search, delegate({ guards })],
        terminal: reportTool,
        hooks: [{ beforeDispatch: [refusing] }],
        guards,
        orchestrate: parallel(["boss"]),
      });
      expect(lastShown(model, "agent/0")[0]).toMatchObject({ type: "json" });
      expect(search.asked).toEqual([""]);
    }));

  const twoReaders = () =>
    scripted(({ task }) =>
      task === "boss"
        ? [ask("delegate", { tasks: ["one", "two"] }), report()]
        : [ask("search", { q: "x" }), report()],
    );
  const once: ToolGuard = {
    name: "once",
    message: "again?",
    tools: ["search"],
    reject: ({ args, attended }) => attended().some(({ q }) => q === args.q),
  };
  for (const [where, outer, inner, expected] of [
    ["neither", undefined, undefined, 2],
    ["the outer pool", { once: { scope: "cohort" } }, undefined, 1],
    ["the nested pool", undefined, { once: { scope: "cohort" } }, 1],
    [
      "the outer pool, and narrows it in the nested",
      { once: { scope: "cohort" } },
      { once: { scope: "lineage" } },
      1,
    ],
  ] as const)
    it(`M2: a guard widened by ${where} lets ${expected} of two equal calls of helpers run`, () =>
      run(function* () {
        const search = instant("search");
        yield* play({
          model: twoReaders(),
          tools: [search, delegate({ guards: inner })],
          terminal: reportTool,
          hooks: [{ beforeDispatch: [once] }],
          guards: outer,
          orchestrate: parallel(["boss"]),
        });
        expect(search.asked).toHaveLength(expected);
      }));

  for (const [outer, inner, runs] of [
    [[], undefined, false],
    [[], ["pay"], false],
    [["pay"], undefined, true],
    [["pay"], ["pay"], true],
    [["pay"], [], false],
    [["pay", "sell"], ["sell"], false],
    [["local:*"], ["pay"], true],
    [["pay"], ["local:pay"], true],
  ] as [string[], string[] | undefined, boolean][]) {
    it(`M2: grants intersect: ${JSON.stringify(outer)} around ${JSON.stringify(inner)} ${runs ? "lets" : "does not let"} a helper pay`, () =>
      run(function* () {
        const pay = instant("pay", { protected: true });
        yield* play({
          model: bossAndHelper("pay"),
          tools: [pay, instant("sell", { protected: true }), delegate({ grants: inner })],
          terminal: reportTool,
          grants: outer,
          orchestrate: parallel(["boss"]),
        });
        expect(pay.asked).toHaveLength(runs ? 1 : 0);
      }));
  }

  it("M2: the tools of an agent's task: its helpers have no others", () =>
    run(function* () {
      const shell = instant("shell");
      yield* play({
        model: bossAndHelper("shell"),
        tools: [shell, instant("read"), delegate()],
        terminal: reportTool,
        orchestrate: parallel([{ task: "boss", tools: ["read", "delegate"] }]),
      });
      expect(shell.asked).toEqual([]);
    }));

  it("M2: a pool that an orchestrator opens is under its pool's guards and denies too", () =>
    run(function* () {
      const [search, shell] = [instant("search"), instant("shell")];
      const model = playing(asks(["search"], ["shell"]), report());
      yield* play({
        model,
        tools: [search, shell],
        terminal: reportTool,
        deny: ["shell"],
        hooks: [{ beforeDispatch: [refusing] }],
        *orchestrate() {
          yield* agentPool({ key: "inner", orchestrate: parallel(["x"]) });
        },
      });
      expect([search.asked, shell.asked]).toEqual([[], []]);
    }));
});

describe("M3: cancelling an agent", () => {
  /** Ways for a tool to run a pool inside its call. */
  const ways: { readonly [how: string]: (inside: Orchestrator) => Partial<Tool> } = {
    "agentPool in an operation": (inside) => ({
      *execute() {
        return (yield* agentPool({ orchestrate: inside })).agents.length;
      },
    }),
    "useAgentPool in an operation": (inside) => ({
      *execute() {
        const pool = yield* useAgentPool({ orchestrate: inside });
        return (yield* pool.result).agents.length;
      },
    }),
    "agentPool in a task of the operation": (inside) => ({
      *execute() {
        const task = yield* spawn(() => agentPool({ orchestrate: inside }));
        return (yield* task).agents.length;
      },
    }),
    "runPool in an async function": (inside) => ({
      execute: async (_args: Args, ctx: ToolContext) =>
        (await runPool({ orchestrate: inside, parent: ctx })).agents.length,
    }),
    "runPool in an async function that heeds its signal": (inside) => ({
      execute: async (_args: Args, ctx: ToolContext) =>
        (await runPool({ orchestrate: inside, parent: ctx }, { signal: ctx.signal })).agents.length,
    }),
    "runPool in an operation": (inside) => ({
      *execute(_args: Args, ctx: ToolContext) {
        const running = async () => await runPool({ orchestrate: inside, parent: ctx });
        return (yield* until(running())).agents.length;
      },
    }),
  };

  for (const [how, way] of Object.entries(ways)) {
    const nested = (concurrentTools: number) => {
      const search = held("search");
      const model = scripted(({ task }) =>
        task === "boss"
          ? [ask("work"), report()]
          : [ask("search", { q: task }), ask("search", { q: "more" }), report()],
      );
      const work = instant("work", way(parallel(["one", "two"])));
      return {
        search,
        model,
        rig: open({
          model,
          tools: [search, work],
          terminal: reportTool,
          budget: { concurrentTools },
          orchestrate: parallel(["boss", "boss"]),
        }),
      };
    };

    it(`M3: cancels the agents and tools of pools inside its calls, and nothing of them runs afterwards (${how})`, () =>
      run(function* () {
        const { search, model, rig: opening } = nested(8);
        const rig = yield* opening;
        const mine = search.running.filter(({ agent }) => agent.startsWith("agent/0:"));
        expect(mine).toHaveLength(2);
        yield* rig.handle.cancel("agent/0");
        yield* quiet;
        expect(mine.map(({ state, signal }) => [state, signal.aborted])).toEqual([
          ["halted", true],
          ["halted", true],
        ]);
        const started = model.requests.filter(({ key }) => key.startsWith("agent/0")).length;
        for (let left = 4; left > 0 && search.running.length > 0; left--) {
          for (const call of search.running) call.succeed();
          yield* quiet;
        }
        const { agents } = yield* finish(rig);
        expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "returned"]);
        expect(model.requests.filter(({ key }) => key.startsWith("agent/0"))).toHaveLength(started);
        const ended = ofType(rig.events, "agent:ended").filter(({ agent }) => agent.startsWith("agent/0:"));
        expect(ended.map(({ result }) => result.exit)).toEqual(["cancelled", "cancelled"]);
      }));

    it(`M3: gives back every permit, so that the others can go on (${how})`, () =>
      run(function* () {
        const { search, rig: opening } = nested(1);
        const rig = yield* opening;
        yield* rig.handle.cancel("agent/0");
        yield* quiet;
        for (let left = 8; left > 0 && search.running.length > 0; left--) {
          expect(search.running).toHaveLength(1);
          search.running[0]!.succeed();
          yield* quiet;
        }
        const { agents } = yield* finish(rig);
        expect(agents[1]).toMatchObject({ exit: "returned", attendedCount: 1 });
        expect(search.peak).toBe(1);
      }));

    it(`M3: ending the whole pool ends them too and leaves nothing (${how})`, () =>
      run(function* () {
        const { search, rig: opening } = nested(3);
        let rig:
          | Awaited<ReturnType<typeof run<typeof opening extends Operation<infer R> ? R : never>>>
          | undefined;
        const task = yield* spawn(function* () {
          rig = yield* opening;
          yield* suspend();
        });
        yield* quiet;
        yield* quiet;
        expect(search.running.length).toBeGreaterThan(0);
        yield* task.halt();
        yield* quiet;
        expect(search.running).toEqual([]);
        expect(search.calls.every(({ signal }) => signal.aborted)).toBe(true);
        expect(leftovers(rig!)).toEqual([]);
      }));
  }

  it("M3: aborts the request of a tool that waits for a promise", () =>
    run(function* () {
      const seen: string[] = [];
      const fetching = instant("fetching", {
        execute: (_args, { signal }) =>
          new Promise((_, reject) =>
            signal.addEventListener("abort", () => reject(noted(seen, "aborted", signal.reason))),
          ),
      });
      const rig = yield* open({
        model: playing(ask("fetching"), report()),
        tools: [fetching],
        terminal: reportTool,
        orchestrate: parallel(["x"]),
      });
      yield* rig.handle.cancel("agent/0");
      expect(seen).toEqual(["aborted"]);
      yield* finish(rig);
    }));

  it("M3: stops its generation, and the permit goes to the next", () =>
    run(function* () {
      const seen: string[] = [];
      const rig = yield* open({
        model: casting({
          slow: [
            {
              wait: {
                *[Symbol.iterator]() {
                  try {
                    yield* suspend();
                  } finally {
                    seen.push("stopped");
                  }
                },
              },
            },
          ],
          next: [report("next")],
        }),
        tools: [instant("search")],
        terminal: reportTool,
        budget: { concurrentGenerations: 1 },
        orchestrate: parallel(["slow", "next"]),
      });
      expect(rig.handle.inspect().permits.generations).toBe(1);
      yield* rig.handle.cancel("agent/0");
      const { agents } = yield* finish(rig);
      expect(seen).toEqual(["stopped"]);
      expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "returned"]);
    }));

  it("M3: of a key there is not is an error, of one that is over says false", () =>
    run(function* () {
      const rig = yield* play({
        model: playing(report()),
        tools: [instant("search")],
        terminal: reportTool,
        orchestrate: parallel(["x"]),
      });
      expect(yield* rig.handle.cancel("agent/0")).toBe(false);
      let error: unknown;
      try {
        yield* rig.handle.cancel("agent/00");
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/did you mean "agent\/0"/);
    }));

  it("M3: of a helper by its key ends the helper alone", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: scripted(({ task }) =>
          task === "boss"
            ? [ask("delegate", { tasks: ["one", "two"] }), report()]
            : [ask("search", { q: task }), report("found")],
        ),
        tools: [search, delegate()],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      const key = search.held("one").agent;
      expect(yield* rig.handle.cancel(key)).toBe(true);
      search.held("two").succeed();
      const { agents } = yield* finish(rig);
      expect(agents[0]!.exit).toBe("returned");
    }));
});

describe("M5: a report answers its own agent's task", () => {
  it("M5: whatever the order agents end in", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: scripted(({ task }) => [ask("search", { q: task }), report(`about ${task}`)]),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["apples", "pears", "plums"]),
      });
      for (const task of ["plums", "apples", "pears"]) {
        search.held(task).succeed();
        yield* quiet;
      }
      const { agents } = yield* finish(rig);
      expect(agents.map(({ key, task, result }) => [key, task, result])).toEqual([
        ["agent/0", "apples", "about apples"],
        ["agent/1", "pears", "about pears"],
        ["agent/2", "plums", "about plums"],
      ]);
    }));

  it("M5: for helpers too, and each is shown its own task last", () =>
    run(function* () {
      const model = scripted(({ task }) =>
        task === "boss"
          ? [ask("delegate", { tasks: ["apples", "pears"] }), report()]
          : [report(`about ${task}`)],
      );
      yield* play({ model, tools: [delegate()], terminal: reportTool, orchestrate: parallel(["boss"]) });
      expect(lastShown(model, "agent/0")[0]!.value).toMatchObject([
        { task: "apples", result: "about apples" },
        { task: "pears", result: "about pears" },
      ]);
      for (const moment of model.requests)
        expect(textOf(moment.messages.slice(-1))).toContain(moment.key === "agent/0" ? "" : moment.task);
    }));
});
