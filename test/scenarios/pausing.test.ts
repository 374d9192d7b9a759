import { delegate, parallel, reportTool, ToolRetryError } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, asks, finish, held, ofType, open, playing, quiet, report } from "./support.ts";

describe("pausing", () => {
  it("lets what runs finish and starts nothing more until it is resumed", () =>
    run(function* () {
      const search = held("search");
      const model = scripted(({ key }) => [
        asks(["search", { q: `${key} 1` }], ["search", { q: `${key} 2` }]),
        report(),
      ]);
      const rig = yield* open({
        model,
        tools: [search],
        terminal: reportTool,
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["a"]),
      });
      rig.handle.pause();
      search.held("agent/0 1").succeed();
      yield* quiet;
      expect(search.running).toEqual([]);
      rig.handle.resume();
      yield* quiet;
      rig.handle.pause();
      search.held("agent/0 2").succeed();
      yield* quiet;
      expect(model.requests).toHaveLength(1);
      rig.handle.resume();
      const { agents } = yield* finish(rig);
      expect(agents[0]!.attendedCount).toBe(2);
    }));

  it("lets no retry run that falls due meanwhile", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: playing(ask("search", { q: "x" }), report()),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      search.held("x").fail(new ToolRetryError("429", 100));
      yield* quiet;
      rig.handle.pause();
      rig.clock.advance(1_000);
      yield* quiet;
      expect(search.running).toEqual([]);
      rig.handle.resume();
      yield* quiet;
      search.held("x").succeed();
      yield* finish(rig);
    }));

  it("lets agents be cancelled, and halted with everything", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: scripted(({ key }) => [ask("search", { q: key }), report()]),
        tools: [search],
        terminal: reportTool,
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["a", "b"]),
      });
      rig.handle.pause();
      yield* rig.handle.cancel("agent/0");
      yield* quiet;
      expect(search.running).toEqual([]);
      yield* rig.handle.cancel("agent/1");
      const { agents } = yield* finish(rig);
      expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "cancelled"]);
    }));

  it("does not hold up a pool that winds down, whichever comes first", () =>
    run(function* () {
      for (const order of [
        ["pause", "windDown"],
        ["windDown", "pause"],
      ] as const) {
        const search = held("search");
        const rig = yield* open({
          model: playing(ask("search", { q: "x" }), report("stopped")),
          tools: [search],
          terminal: reportTool,
          orchestrate: parallel(["a"]),
        });
        for (const what of order) rig.handle[what]();
        search.held("x").succeed();
        expect((yield* finish(rig)).agents[0]).toMatchObject({ exit: "cancelled", result: "stopped" });
      }
    }));

  it("holds up a pool inside a call too, whose call goes on when it is resumed", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: scripted(({ task }) =>
          task === "boss"
            ? [ask("delegate", { tasks: ["help"] }), report("boss")]
            : [ask("search", { q: "x" }), report()],
        ),
        tools: [search, delegate()],
        terminal: reportTool,
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["boss"]),
      });
      rig.handle.pause();
      search.held("x").succeed();
      for (let turn = 0; turn < 3; turn++) yield* quiet;
      expect(ofType(rig.events, "agent:ended")).toEqual([]);
      rig.handle.resume();
      expect((yield* finish(rig)).agents[0]!.result).toBe("boss");
    }));
});
