import {
  type AgentPoolOptions,
  agentPool,
  ConfigurationError,
  delegate,
  type PoolContext,
  parallel,
  reportTool,
  runPool,
  sleepOn,
  ToolRetryError,
  useAgentPool,
  useClock,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { all, type Operation, race, run, spawn, suspend } from "effection";
import { describe, expect, it } from "vitest";
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
  thrownBy,
} from "./support.ts";

describe("concurrentTools", () => {
  for (const limit of [1, 2, 3])
    it(`of ${limit} is never passed, is used to the full, and is first come first served`, () =>
      run(function* () {
        const search = held("search");
        const rig = yield* open({
          tools: [search],
          terminal: reportTool,
          model: scripted(({ key }) => [
            asks(["search", { q: `${key} 1` }], ["search", { q: `${key} 2` }]),
            report(),
          ]),
          budget: { concurrentTools: limit },
          orchestrate: parallel(["a", "b", "c"]),
        });
        const order: string[] = [];
        for (let left = 6; left > 0; left--) {
          expect(search.running).toHaveLength(Math.min(limit, left));
          expect(rig.handle.inspect().permits.tools).toBe(Math.min(limit, left));
          const [first] = search.running;
          order.push(first!.q);
          if (left % 2) first!.succeed();
          else first!.fail(new Error("no"));
          yield* quiet;
        }
        expect(order).toEqual(["agent/0 1", "agent/0 2", "agent/1 1", "agent/1 2", "agent/2 1", "agent/2 2"]);
        yield* finish(rig);
        expect(search.peak).toBe(limit);
      }));

  it("is not held while a call parks for a retry", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        tools: [search],
        terminal: reportTool,
        model: scripted(({ key }) => [ask("search", { q: key }), report()]),
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["a", "b"]),
      });
      search.held("agent/0").fail(new ToolRetryError("429", 1_000));
      yield* quiet;
      expect(search.held("agent/1").attempt).toBe(0);
      rig.clock.advance(1_000);
      yield* quiet;
      expect(search.running).toHaveLength(1);
      search.held("agent/1").succeed();
      yield* quiet;
      search.held("agent/0").succeed();
      yield* finish(rig);
      expect(search.peak).toBe(1);
    }));

  it("is not held by a call that a guard thinks about, nor by one that waits in line", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        tools: [
          search,
          instant("thinking", {
            hooks: { beforeDispatch: [{ name: "slow", decide: () => new Promise<undefined>(() => {}) }] },
          }),
        ],
        terminal: reportTool,
        model: casting({ a: [ask("thinking")], b: [ask("search", { q: "b" }), report()] }),
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["a", "b"]),
      });
      search.held("b").succeed();
      yield* quiet;
      expect(ofType(rig.events, "agent:ended").map(({ agent }) => agent)).toEqual(["agent/1"]);
      yield* rig.handle.cancel("agent/0");
      yield* finish(rig);
    }));

  it("is lent to a pool inside a call: at 1 delegates do not wait for their caller for ever, however deep", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        tools: [search, delegate()],
        terminal: reportTool,
        model: scripted(({ task }) =>
          task === "leaf"
            ? [ask("search", { q: "x" }), report("leaf")]
            : [ask("delegate", { tasks: [task === "boss" ? "middle" : "leaf"] }), report(task)],
        ),
        budget: { concurrentTools: 1, concurrentGenerations: 1 },
        orchestrate: parallel(["boss", "boss"]),
      });
      for (let left = 2; left > 0; left--) {
        expect(search.running).toHaveLength(1);
        search.running[0]!.succeed();
        yield* quiet;
      }
      const { agents } = yield* finish(rig);
      expect(agents.map(({ attendedCount }) => attendedCount)).toEqual([1, 1]);
      expect(search.peak).toBe(1);
    }));

  it("is taken again before a call goes on after its pool", () =>
    run(function* () {
      const [search, after] = [held("search"), [] as string[]];
      const work = instant("work", {
        *execute() {
          yield* agentPool({ orchestrate: parallel(["help"]) });
          return noted(after, "went on", "done");
        },
      });
      const rig = yield* open({
        tools: [search, work],
        terminal: reportTool,
        model: casting({
          boss: [ask("work"), report()],
          help: [report("helped")],
          other: [ask("search", { q: "x" }), report()],
        }),
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["other", "boss"]),
      });
      expect(search.running).toHaveLength(1);
      expect(after).toEqual([]);
      search.held("x").succeed();
      yield* quiet;
      expect(after).toEqual(["went on"]);
      yield* finish(rig);
    }));

  it("is not passed by a call that opens several pools at once", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        tools: [
          search,
          instant("work", {
            *execute() {
              yield* all([
                agentPool({ orchestrate: parallel(["one"]) }),
                agentPool({ orchestrate: parallel(["two"]) }),
              ]);
              return "done";
            },
          }),
        ],
        terminal: reportTool,
        model: scripted(({ task }) =>
          task === "boss" ? [ask("work"), report()] : [ask("search", { q: task }), report()],
        ),
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["boss"]),
      });
      search.held("one").succeed();
      yield* quiet;
      search.held("two").succeed();
      yield* finish(rig);
      expect(search.peak).toBe(1);
    }));

  // must hold: whatever order pools inside a call open and end in, its permit is lent while one of them is open
  it("is lent to a pool that opens while the call takes its permit back after another", () =>
    run(function* () {
      const search = held("search");
      let again = false;
      const rig = yield* open({
        tools: [
          search,
          instant("work", {
            *execute() {
              // one branch opens a pool and then, when told to, another; the other branch ends in between
              yield* all([
                (function* (): Operation<void> {
                  yield* agentPool({ orchestrate: parallel(["quick"]) });
                  while (!again) yield* quiet;
                  yield* agentPool({ orchestrate: parallel(["again"]) });
                })(),
                agentPool({ orchestrate: parallel(["slow"]) }),
              ]);
              return "done";
            },
          }),
        ],
        terminal: reportTool,
        model: casting({
          boss: [ask("work"), report()],
          quick: [report()],
          slow: [ask("search", { q: "slow" }), report()],
          again: [ask("search", { q: "again" }), report()],
          other: [{ wait: 10, ...ask("search", { q: "other" }) }, report()],
        }),
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["boss", "other"]),
      });
      rig.clock.advance(10);
      yield* quiet;
      search.held("slow").succeed(); // the other agent gets the permit; the call of the boss waits for it
      yield* quiet;
      expect(search.held("other").agent).toBe("agent/1");
      again = true;
      for (let turn = 0; turn < 3; turn++) yield* quiet;
      search.held("other").succeed();
      for (let turn = 0; turn < 3; turn++) yield* quiet;
      search.held("again").succeed();
      yield* finish(rig);
    }));

  it("is given back by a branch of a race that lost its pool, and the call goes on holding it", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        tools: [
          search,
          instant("work", {
            *execute() {
              const clock = yield* useClock();
              const first = yield* race([
                agentPool({ orchestrate: parallel(["help"]) }),
                (function* (): Operation<string> {
                  yield* sleepOn(clock, 1_000);
                  return "too slow";
                })(),
              ]);
              yield* sleepOn(clock, 1_000);
              return first;
            },
          }),
        ],
        terminal: reportTool,
        model: casting({
          boss: [ask("work"), report()],
          help: [ask("search", { q: "x" }), report()],
          later: [ask("search", { q: "y" }), report()],
        }),
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["boss"]),
      });
      const helper = search.held("x");
      rig.clock.advance(1_000);
      yield* quiet;
      expect(helper.state).toBe("halted");
      expect(rig.handle.inspect().permits.tools).toBe(1);
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ exit: "returned", attendedCount: 1 });
    }));

  // must hold: limits are never passed, by a call that goes on after a race either
  it("is not passed where a call goes on after a race that its pool lost", () =>
    run(function* () {
      const [search, bodies] = [held("search"), { now: 0, most: 0 }];
      const rig = yield* open({
        tools: [
          search,
          instant("work", {
            *execute() {
              const clock = yield* useClock();
              yield* race([agentPool({ orchestrate: parallel(["help"]) }), sleepOn(clock, 1_000)]);
              bodies.now = 1 + search.running.length;
              bodies.most = Math.max(bodies.most, bodies.now);
              return "done";
            },
          }),
        ],
        terminal: reportTool,
        model: casting({
          boss: [ask("work"), report()],
          help: [ask("search", { q: "x" }), report()],
          other: [{ wait: 10, ...ask("search", { q: "y" }) }, report()],
        }),
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["boss", "other"]),
      });
      expect(search.running.map(({ q }) => q)).toEqual(["x"]);
      rig.clock.advance(1_000);
      yield* quiet;
      search.held("y").succeed();
      yield* finish(rig);
      expect(bodies.most).toBe(1);
    }));

  it("is not passed where a call goes on after a race that its pool had won too late, its permit not back yet", () =>
    run(function* () {
      const [search, bodies] = [held("search"), { now: 0, most: 0 }];
      const rig = yield* open({
        tools: [
          search,
          instant("work", {
            *execute() {
              const clock = yield* useClock();
              yield* race([agentPool({ orchestrate: parallel(["help"]) }), sleepOn(clock, 1_000)]);
              bodies.now = 1 + search.running.length;
              bodies.most = Math.max(bodies.most, bodies.now);
              return "done";
            },
          }),
        ],
        terminal: reportTool,
        model: casting({
          boss: [ask("work"), report()],
          help: [{ wait: 10, ...report() }],
          other: [{ wait: 5, ...ask("search", { q: "y" }) }, report()],
        }),
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["boss", "other"]),
      });
      rig.clock.advance(10);
      yield* quiet;
      expect(search.running.map(({ q }) => q)).toEqual(["y"]);
      rig.clock.advance(1_000); // the pool is over, and its call waits for the permit
      yield* quiet;
      search.held("y").succeed();
      yield* finish(rig);
      expect(bodies.most).toBe(1);
    }));

  it("is waited for after a lost race no longer than its agent lives, also while the run is paused", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        tools: [
          search,
          instant("work", {
            *execute() {
              const clock = yield* useClock();
              yield* race([agentPool({ orchestrate: parallel(["help"]) }), sleepOn(clock, 1_000)]);
              return "done";
            },
          }),
        ],
        terminal: reportTool,
        model: casting({
          boss: [ask("work"), report()],
          help: [ask("search", { q: "x" }), report()],
          other: [{ wait: 10, ...ask("search", { q: "y" }) }, report()],
        }),
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["boss", "other"]),
      });
      rig.clock.advance(1_000);
      yield* quiet;
      rig.handle.pause();
      expect(yield* rig.handle.cancel("agent/0")).toBe(true);
      rig.handle.resume();
      search.held("y").succeed();
      const { agents } = yield* finish(rig);
      expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "returned"]);
    }));

  const abandoning: { readonly [how: string]: Partial<Parameters<typeof instant>[1]> } = {
    "an operation that spawned it": {
      *execute() {
        yield* spawn(() => agentPool({ orchestrate: parallel(["help"]) }));
        yield* quiet;
        return "went on";
      },
    },
    "an operation that has its handle": {
      *execute() {
        yield* useAgentPool({ orchestrate: parallel(["help"]) });
        yield* quiet;
        return "went on";
      },
    },
    "an async function": {
      async execute(_args, ctx) {
        runPool({ orchestrate: parallel(["help"]), parent: ctx }).catch(() => {});
        await new Promise((resolve) => setImmediate(resolve));
        return "went on";
      },
    },
    "an async function that throws": {
      async execute(_args, ctx) {
        runPool({ orchestrate: parallel(["help"]), parent: ctx }).catch(() => {});
        await new Promise((resolve) => setImmediate(resolve));
        throw new Error("went on");
      },
    },
  };
  for (const [who, tool] of Object.entries(abandoning)) {
    it(`is not lost where ${who} ends before the pool inside it`, () =>
      run(function* () {
        const search = held("search");
        const rig = yield* open({
          tools: [search, instant("work", tool)],
          terminal: reportTool,
          model: casting({
            boss: [ask("work"), ask("search", { q: "mine" }), report()],
            help: [ask("search", { q: "x" }), report()],
          }),
          budget: { concurrentTools: 1 },
          orchestrate: parallel(["boss"]),
        });
        for (let turn = 0; turn < 4; turn++) yield* quiet;
        expect(search.calls[0]).toMatchObject({ q: "x", state: "halted" });
        search.held("mine").succeed();
        const { agents } = yield* finish(rig);
        expect(agents[0]).toMatchObject({ exit: "returned", toolCallCount: 2 });
        const ended = ofType(rig.events, "agent:ended");
        expect(ended.map(({ agent, result }) => [agent, result.exit])).toEqual([
          ["agent/0:1#0~0/0", "cancelled"],
          ["agent/0", "returned"],
        ]);
      }));
  }

  it("is not touched by a pool that is opened in a call that is over", () =>
    run(function* () {
      let leaked: Parameters<typeof runPool>[0]["parent"];
      const search = instant("search", {
        execute: (_args, ctx) => {
          leaked = ctx;
        },
      });
      const model = playing(ask("search"), report());
      const rig = yield* open({
        tools: [search, held("gate")],
        terminal: reportTool,
        model: casting({ a: [ask("search"), ask("gate", { q: "g" }), report()], b: [report()] }),
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["a"]),
      });
      const opened = Promise.resolve(runPool({ model, orchestrate: parallel(["b"]), parent: leaked! })).catch(
        (error: unknown) => error,
      );
      for (let turn = 0; turn < 3; turn++) yield* quiet;
      yield* rig.handle.cancel("agent/0");
      yield* quiet;
      yield* finish(rig);
      expect(leftovers(rig)).toEqual([]);
      void opened;
    }));
});

describe("concurrentGenerations", () => {
  it("is never passed, and is used to the full", () =>
    run(function* () {
      let [now, most] = [0, 0];
      const waits: (() => void)[] = [];
      const wait: Operation<unknown> = {
        *[Symbol.iterator]() {
          now++;
          most = Math.max(most, now);
          let open = false;
          waits.push(() => {
            open = true;
          });
          try {
            while (!open) yield* quiet;
          } finally {
            now--;
          }
        },
      };
      const rig = yield* open({
        tools: [],
        model: scripted(() => [{ wait, text: "done" }]),
        budget: { concurrentGenerations: 2 },
        orchestrate: parallel(["a", "b", "c", "d", "e"]),
      });
      for (let left = 5; left > 0; left--) {
        expect(now).toBe(Math.min(2, left));
        waits.shift()!();
        for (let turn = 0; turn < 3; turn++) yield* quiet;
      }
      yield* finish(rig);
      expect(most).toBe(2);
    }));

  it("is not held while tools run", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        tools: [search],
        terminal: reportTool,
        model: scripted(({ key }) => [ask("search", { q: key }), report()]),
        budget: { concurrentGenerations: 1 },
        orchestrate: parallel(["a", "b"]),
      });
      expect(search.running).toHaveLength(2);
      for (const call of search.running) call.succeed();
      yield* finish(rig);
    }));

  it("holds for forced reports too", () =>
    run(function* () {
      const rig = yield* open({
        tools: [instant("search")],
        terminal: reportTool,
        model: scripted(() => [ask("search"), { wait: 100, ...report() }]),
        budget: { concurrentGenerations: 1, maxTurns: 1 },
        orchestrate: parallel(["a", "b"]),
      });
      expect(rig.handle.inspect().permits.generations).toBe(1);
      yield* finish(rig);
      expect(rig.clock.now()).toBe(200);
    }));
});

describe("maxDepth", () => {
  const nested = (more: Partial<AgentPoolOptions> = {}) =>
    play({
      model: scripted(() => [ask("delegate", { tasks: ["deeper"] }), report()]),
      tools: [delegate()],
      terminal: reportTool,
      orchestrate: parallel(["boss"]),
      ...(more as object),
    });

  it("is 3 where nothing is said, and the call that would go deeper is an error its agent reads", () =>
    run(function* () {
      const { result, events } = yield* nested();
      expect(result.totals.agents).toBe(4);
      expect(ofType(events, "agent:spawned").map(({ depth }) => depth)).toEqual([0, 1, 2, 3]);
      expect(ofType(events, "call:settled")[0]).toMatchObject({
        outcome: { type: "error", message: expect.stringMatching(/budget\.maxDepth/) },
      });
      expect(result.agents[0]!.exit).toBe("returned");
    }));

  it("is the run's, whatever a pool inside it says", () =>
    run(function* () {
      const { result } = yield* nested({ budget: { maxDepth: 1 } });
      expect(result.totals.agents).toBe(2);
    }));

  it("does not count pools that orchestrators open", () =>
    run(function* () {
      const inner = (depth: number): Operation<unknown> =>
        agentPool({
          key: `inner${depth}`,
          *orchestrate(pool) {
            if (depth > 0) yield* inner(depth - 1);
            else yield* pool.waitFor(yield* pool.spawn("leaf"));
          },
        });
      const { result } = yield* play({
        model: playing(report()),
        tools: [],
        terminal: reportTool,
        *orchestrate() {
          yield* inner(6);
        },
      });
      expect(result.totals.agents).toBe(1);
    }));
});

describe("maxAgents", () => {
  it("is an error of the spawn that passes it", () =>
    run(function* () {
      const error = yield* thrownBy(
        play({
          model: playing(report()),
          tools: [],
          terminal: reportTool,
          budget: { maxAgents: 2 },
          orchestrate: parallel(["a", "b", "c"]),
        }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/budget\.maxAgents.*2/);
    }));

  it("counts the whole tree, and a delegate that passes it is an error its caller reads", () =>
    run(function* () {
      const model = scripted(({ task }) =>
        task === "boss" ? [ask("delegate", { tasks: ["a", "b", "c"] }), report("anyway")] : [report()],
      );
      const rig = yield* play({
        model,
        tools: [delegate()],
        terminal: reportTool,
        budget: { maxAgents: 3 },
        orchestrate: parallel(["boss"]),
      });
      expect(rig.result.agents[0]).toMatchObject({ exit: "returned", result: "anyway" });
      expect(lastShown(model, "agent/0")[0]).toMatchObject({
        type: "error-text",
        value: expect.stringMatching(/maxAgents/),
      });
    }));
});

describe("an agent that a tool spawns in the pool around it", () => {
  // must hold: a call does not keep a permit from those it waits for
  it("does not hold it up: the call lends its permit, or the spawn is an error that says why", () =>
    run(function* () {
      let around: PoolContext | undefined;
      const work = instant("work", {
        *execute(_args, ctx) {
          const helper = yield* around!.spawn({ task: "help", key: `for ${ctx.id}`, parent: ctx.agent });
          return (yield* around!.waitFor(helper)).result;
        },
      });
      const { result, clock } = yield* play({
        model: casting({ boss: [ask("work"), report("boss")], help: [ask("search"), report("helper")] }),
        tools: [work, instant("search")],
        terminal: reportTool,
        budget: { concurrentTools: 1 },
        *orchestrate(pool) {
          around = pool;
          yield* pool.waitFor(yield* pool.spawn("boss"));
        },
      });
      expect(result.agents[0]!.exit).toBe("returned");
      expect(clock.now()).toBe(0);
    }));
});

describe("a call that is stopped while a pool waits inside it", () => {
  it("at the end of the whole run leaves nothing, wherever the pool stands", () =>
    run(function* () {
      for (const where of ["generating", "calling", "parked"] as const) {
        const search = held("search");
        const rig = yield* open({
          tools: [search, delegate()],
          terminal: reportTool,
          model: scripted(({ task }) =>
            task === "boss"
              ? [ask("delegate", { tasks: ["help"] }), report()]
              : [
                  where === "generating"
                    ? {
                        wait: {
                          *[Symbol.iterator]() {
                            yield* suspend();
                          },
                        },
                      }
                    : ask("search", { q: "x" }),
                ],
          ),
          budget: { concurrentTools: 1 },
          orchestrate: parallel(["boss"]),
        });
        if (where === "parked") {
          search.held("x").fail(new ToolRetryError("429", 5_000));
          yield* quiet;
        }
        yield* rig.handle.cancel("agent/0");
        expect((yield* finish(rig)).agents[0]!.exit).toBe("cancelled");
      }
    }));
});
