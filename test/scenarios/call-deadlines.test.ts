import { delegate, parallel, reportTool, ToolRetryError } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, finish, held, lastShown, open, play, playing, quiet, report } from "./support.ts";

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
