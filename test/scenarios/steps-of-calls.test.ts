import { parallel, reportTool } from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import {
  asks,
  basics,
  finish,
  held,
  lastShown,
  ofType,
  open,
  play,
  playing,
  quiet,
  report,
} from "./support.ts";

describe("a step of several calls", () => {
  it("runs them side by side, a barrier alone: earlier calls finish first, later ones wait", () =>
    run(function* () {
      const [search, write] = [held("search"), held("write", { parallel: false })];
      const rig = yield* open({
        tools: [search, write],
        terminal: reportTool,
        model: playing(
          asks(
            ["search", { q: "1" }],
            ["search", { q: "2" }],
            ["write", { q: "3" }],
            ["search", { q: "4" }],
            ["search", { q: "5" }],
          ),
          report(),
        ),
        orchestrate: parallel(["x"]),
      });
      const running = () => [...search.running, ...write.running].map(({ q }) => q);
      expect(running()).toEqual(["1", "2"]);
      search.held("2").succeed();
      yield* quiet;
      expect(running()).toEqual(["1"]);
      search.held("1").fail(new Error("no"));
      yield* quiet;
      expect(running()).toEqual(["3"]);
      write.held("3").succeed();
      yield* quiet;
      expect(running()).toEqual(["4", "5"]);
      for (const call of search.running) call.succeed();
      yield* finish(rig);
    }));

  it("with two barriers runs one after the other", () =>
    run(function* () {
      const write = held("write", { parallel: false });
      const rig = yield* open({
        tools: [write],
        terminal: reportTool,
        model: playing(asks(["write", { q: "1" }], ["write", { q: "2" }]), report()),
        orchestrate: parallel(["x"]),
      });
      expect(write.running.map(({ q }) => q)).toEqual(["1"]);
      write.held("1").succeed();
      yield* quiet;
      write.held("2").succeed();
      yield* finish(rig);
      expect(write.peak).toBe(1);
    }));

  it("admits results in emitted order though they settle in another, each as soon as those before it are in", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        tools: [search],
        terminal: reportTool,
        model: playing(
          asks(["search", { q: "1" }], ["search", { q: "2" }], ["search", { q: "3" }]),
          report(),
        ),
        orchestrate: parallel(["x"]),
      });
      const admitted = () => ofType(rig.events, "call:admitted").map(({ call }) => call.at(-1));
      search.held("3").succeed();
      yield* quiet;
      expect(admitted()).toEqual([]);
      search.held("1").succeed();
      yield* quiet;
      expect(admitted()).toEqual(["0"]);
      search.held("2").succeed();
      yield* quiet;
      expect(admitted().slice(0, 3)).toEqual(["0", "1", "2"]);
      yield* finish(rig);
    }));

  it("with a terminal call lets the others settle first, wherever it stands", () =>
    run(function* () {
      for (const first of [true, false]) {
        const search = held("search");
        const counts: number[] = [];
        const others = [["search", { q: "1" }] as const, ["search", { q: "2" }] as const];
        const terminal = ["report", { result: "r" }] as const;
        const rig = yield* open({
          tools: [search],
          terminal: reportTool,
          hooks: [{ onReturn: ({ agent }) => void counts.push(agent.toolCallCount) }],
          model: playing(asks(...(first ? [terminal, ...others] : [...others, terminal]))),
          orchestrate: parallel(["x"]),
        });
        expect(counts).toEqual([]);
        search.held("2").succeed();
        yield* quiet;
        expect(counts).toEqual([]);
        search.held("1").fail(new Error("no"));
        const { agents } = yield* finish(rig);
        expect(counts).toEqual([2]);
        expect(agents[0]).toMatchObject({
          exit: "returned",
          result: "r",
          toolCallCount: 2,
          attendedCount: 1,
        });
      }
    }));

  it("of two terminal calls counts the first, and answers the second", () =>
    run(function* () {
      const model = playing(asks(["report", { result: "one" }], ["report", { result: "two" }]));
      const { result, events } = yield* play({ ...basics(), model, orchestrate: parallel(["x"]) });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "one" });
      expect(ofType(events, "call:refused")).toMatchObject([{ call: "agent/0:1#1", guard: "invalid" }]);
    }));

  it("counts the second of two terminal calls where the first cannot be read", () =>
    run(function* () {
      const model = playing(asks(["report", '{"result":'], ["report", { result: "two" }]));
      const { result } = yield* play({ ...basics(), model, orchestrate: parallel(["x"]) });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "two", turns: 1 });
    }));

  it("with a rejected terminal call goes on, having read the others", () =>
    run(function* () {
      const model = playing(asks(["report", { result: "early" }], ["search", { q: "1" }]), report("late"));
      const { result } = yield* play({
        ...basics(),
        model,
        hooks: [{ onReturn: () => ({ type: "reject", message: "more" }) }],
        orchestrate: parallel(["x"]),
      });
      expect(lastShown(model, "agent/0").map(({ tool, type }) => [tool, type])).toEqual([
        ["report", "error-text"],
        ["search", "json"],
      ]);
      expect(result.agents[0]).toMatchObject({ result: "late", attendedCount: 1 });
    }));
});
