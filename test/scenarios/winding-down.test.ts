import {
  delegate,
  type PoolHandle,
  parallel,
  reportTool,
  ToolRetryError,
  useAgentPool,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run } from "effection";
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
  open,
  playing,
  quiet,
  report,
} from "./support.ts";

describe("winding down", () => {
  it("withdraws what is parked, lets what runs end, and has everyone report what there is", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: casting({
          running: [ask("search", { q: "r" }), report("had r")],
          parked: [ask("search", { q: "p" }), report("had nothing")],
          limited: [ask("search", { q: "l" }), { error: { limited: 99_000 } }, report("never")],
        }),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["running", "parked", "limited"]),
      });
      search.held("p").fail(new ToolRetryError("429", 60_000));
      search.held("l").succeed();
      yield* quiet;
      expect(rig.handle.inspect().parked).toBe(2);
      rig.handle.windDown();
      yield* quiet;
      expect(rig.handle.inspect().parked).toBe(0);
      expect(search.running.map(({ q }) => q)).toEqual(["r"]);
      search.held("r").succeed();
      const { agents } = yield* finish(rig);
      expect(rig.clock.now()).toBe(0);
      expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "cancelled", "cancelled"]);
      expect(agents.slice(0, 2).map(({ result }) => result)).toEqual(["had r", "had nothing"]);
    }));

  // must hold: no turn starts once the run winds down, but that for a report
  it("gives agents that have not had a turn nothing to do", () =>
    run(function* () {
      const model = playing({ wait: 1_000, ...report("first") });
      const rig = yield* open({
        model,
        tools: [],
        terminal: reportTool,
        budget: { concurrentGenerations: 1 },
        orchestrate: parallel(["a", "b", "c"]),
      });
      expect(model.requests).toHaveLength(1);
      rig.handle.windDown();
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ exit: "returned", result: "first" });
      expect(agents.slice(1).map(({ exit, turns }) => [exit, turns])).toEqual([
        ["cancelled", 0],
        ["cancelled", 0],
      ]);
      expect(model.requests).toHaveLength(1);
    }));

  // must hold: no call starts once the run winds down
  it("starts no call of a turn that was being generated", () =>
    run(function* () {
      const search = instant("search");
      const rig = yield* open({
        model: playing({ wait: 1_000, ...ask("search", { q: "x" }) }, report("stopped")),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      rig.handle.windDown();
      const { agents } = yield* finish(rig);
      expect(search.asked).toEqual([]);
      expect(agents[0]).toMatchObject({ exit: "cancelled", toolCallCount: 0, result: "stopped" });
      expect(ofType(rig.events, "call:withdrawn")).toHaveLength(1);
    }));

  // must hold: no call starts once the run winds down
  it("starts no call that waits behind a barrier", () =>
    run(function* () {
      const write = held("write", { parallel: false });
      const rig = yield* open({
        model: playing(asks(["write", { q: "1" }], ["write", { q: "2" }]), report("half")),
        tools: [write],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      rig.handle.windDown();
      write.held("1").succeed();
      const { agents } = yield* finish(rig);
      expect(write.calls).toHaveLength(1);
      expect(agents[0]).toMatchObject({ exit: "cancelled", toolCallCount: 1, result: "half" });
    }));

  // must hold: no call starts once the run winds down
  it("starts no call that a guard still thinks about", () =>
    run(function* () {
      let answer: () => void = () => {};
      const search = instant("search", {
        hooks: {
          beforeDispatch: [
            {
              name: "thinks",
              decide: () =>
                new Promise<undefined>((yes) => {
                  answer = () => yes(undefined);
                }),
            },
          ],
        },
      });
      const rig = yield* open({
        model: playing(ask("search"), report("stopped")),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      rig.handle.windDown();
      answer();
      yield* finish(rig);
      expect(search.asked).toEqual([]);
    }));

  it("reaches the pools inside calls, whose agents report to calls that end", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: scripted(({ task }) =>
          task === "boss"
            ? [ask("delegate", { tasks: ["help"] }), report("with help")]
            : [ask("search", { q: "x" }), report("helped")],
        ),
        tools: [search, delegate()],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      rig.handle.windDown();
      search.held("x").succeed();
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ exit: "cancelled", result: "with help", attendedCount: 1 });
      expect(ofType(rig.events, "agent:ended")[0]!.result).toMatchObject({
        exit: "cancelled",
        result: "helped",
      });
    }));

  it("of a pool inside a call ends that pool alone", () =>
    run(function* () {
      let inner: PoolHandle | undefined;
      const search = held("search");
      const rig = yield* open({
        model: scripted(({ task }) =>
          task === "boss" ? [ask("work"), report("boss")] : [ask("search", { q: "x" }), report("helped")],
        ),
        tools: [
          search,
          instant("work", {
            *execute() {
              inner = yield* useAgentPool({ orchestrate: parallel(["help"]) });
              return (yield* inner.result).agents.map(({ exit, result }) => [exit, result]);
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      inner!.windDown();
      search.held("x").succeed();
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ exit: "returned", result: "boss" });
    }));

  it("twice is winding down once, and after the end it is nothing", () =>
    run(function* () {
      const rig = yield* open({
        model: playing({ error: { limited: 1_000 } }, report()),
        tools: [],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      rig.handle.windDown();
      rig.handle.windDown();
      yield* finish(rig);
      rig.handle.windDown();
      rig.handle.pause();
      rig.handle.resume();
      expect(leftovers(rig)).toEqual([]);
    }));

  // must hold: winding down ends a paused pool: nobody has to resume it first
  it("ends a pool that is paused", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: scripted(({ key }) => [ask("search", { q: key }), report("part")]),
        tools: [search],
        terminal: reportTool,
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["a", "b"]),
      });
      rig.handle.pause();
      search.running[0]!.succeed();
      yield* quiet;
      rig.handle.windDown();
      const { agents } = yield* finish(rig);
      expect(agents.map(({ exit, result }) => [exit, result])).toEqual([
        ["cancelled", "part"],
        ["cancelled", "part"],
      ]);
    }));

  // must hold: a return is rejected only where there is a turn left to do better
  it("lets a return stand that a hook would have rejected: there is no turn left to do better", () =>
    run(function* () {
      const rig = yield* open({
        model: playing({ wait: 1_000, ...report("what I have") }),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [{ onReturn: () => ({ type: "reject", message: "more" }) }],
        orchestrate: parallel(["a"]),
      });
      rig.handle.windDown();
      const { agents } = yield* finish(rig);
      expect(agents[0]!.result).toBe("what I have");
    }));

  it("lets an orchestrator that goes on spawn agents that end at once", () =>
    run(function* () {
      const model = playing({ wait: 10, ...report("only") });
      const rig = yield* open({
        model,
        tools: [],
        terminal: reportTool,
        *orchestrate(pool) {
          for (const task of ["a", "b", "c"]) yield* pool.waitFor(yield* pool.spawn(task));
        },
      });
      rig.handle.windDown();
      const { agents } = yield* finish(rig);
      expect(agents.map(({ exit }) => exit)).toEqual(["returned", "cancelled", "cancelled"]);
      expect(model.requests).toHaveLength(1);
    }));
});
