import { parallel, reportTool, ToolRetryError } from "@agentpool/core";
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
  lastShown,
  ofType,
  open,
  play,
  playing,
  quiet,
  report,
  shown,
  unanswered,
} from "./support.ts";

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
