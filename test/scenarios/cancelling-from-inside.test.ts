import {
  dedup,
  delegate,
  manualClock,
  type PoolHandle,
  parallel,
  reportTool,
  sleepOn,
  useAgentPool,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { type Operation, run, scoped, spawn, suspend, until } from "effection";
import { describe, expect, it } from "vitest";
import { ask, casting, finish, held, instant, ofType, open, playing, quiet, report } from "./support.ts";

describe("cancelling from inside", () => {
  it("says of an agent that came to its end all the same that it was not ended", async () => {
    for (const type of ["agent:spawned", "turn:started", "call:dispatched", "call:admitted"] as const) {
      let handle: PoolHandle | undefined;
      let ended: PromiseLike<boolean> | undefined;
      const { exit } = await run(function* () {
        handle = yield* useAgentPool({
          model: playing(ask("find"), report()),
          tools: [instant("find")],
          terminal: reportTool,
          orchestrate: parallel(["a"]),
          onEvent(event) {
            if (event.type === type) ended ??= run(() => handle!.cancel("agent/0"));
          },
        });
        return (yield* handle.result).agents[0]!;
      });
      expect([type, await ended]).toEqual([type, exit === "cancelled"]);
    }
  });

  it("by a tool of its own agent ends the agent", () =>
    run(function* () {
      let handle: PoolHandle | undefined;
      const rig = yield* open({
        model: playing(ask("stop"), report()),
        tools: [
          instant("stop", {
            *execute(_args, { agent }) {
              yield* quiet;
              yield* handle!.cancel(agent.key);
              return "never";
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["a", "b"]),
      });
      handle = rig.handle;
      const { agents } = yield* finish(rig);
      expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "cancelled"]);
    }));

  it("by a tool of another agent ends the other alone", () =>
    run(function* () {
      const search = held("search");
      let handle: PoolHandle | undefined;
      const rig = yield* open({
        model: casting({ a: [ask("search", { q: "x" }), report()], b: [ask("stop"), report("stopped it")] }),
        tools: [
          search,
          instant("stop", {
            *execute() {
              yield* quiet;
              return yield* handle!.cancel("agent/0");
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["a", "b"]),
      });
      handle = rig.handle;
      const { agents } = yield* finish(rig);
      expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "returned"]);
      expect(search.calls[0]!.state).toBe("halted");
    }));

  it("by a guard ends the agent, and the call does not run", () =>
    run(function* () {
      let handle: PoolHandle | undefined;
      const search = instant("search", {
        hooks: {
          beforeDispatch: [
            {
              name: "stops",
              *decide({ agent }) {
                yield* quiet;
                yield* handle!.cancel(agent.key);
                return undefined;
              },
            },
          ],
        },
      });
      const rig = yield* open({
        model: playing(ask("search"), report()),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      handle = rig.handle;
      expect((yield* finish(rig)).agents[0]!.exit).toBe("cancelled");
      expect(search.asked).toEqual([]);
    }));

  it("of a helper's caller by the helper ends both", () =>
    run(function* () {
      let handle: PoolHandle | undefined;
      const rig = yield* open({
        model: scripted(({ task }) =>
          task === "boss" ? [ask("delegate", { tasks: ["help"] }), report()] : [ask("stop"), report()],
        ),
        tools: [
          delegate(),
          instant("stop", {
            *execute() {
              yield* quiet;
              yield* handle!.cancel("agent/0");
              return "never";
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      handle = rig.handle;
      expect((yield* finish(rig)).agents[0]!.exit).toBe("cancelled");
      expect(ofType(rig.events, "agent:ended")).toHaveLength(2);
    }));

  it("twice at once is one end", () =>
    run(function* () {
      const rig = yield* open({
        model: playing(ask("search", { q: "x" })),
        tools: [held("search")],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      const both = [
        yield* spawn(() => rig.handle.cancel("agent/0")),
        yield* spawn(() => rig.handle.cancel("agent/0")),
      ];
      for (const one of both) yield* one;
      yield* finish(rig);
      expect(ofType(rig.events, "agent:ended")).toHaveLength(1);
    }));

  it("waits until the tool has cleaned up, and then its equal call may run", () =>
    run(function* () {
      const log: string[] = [];
      const clock = manualClock();
      const slowToLeave = instant("search", {
        hooks: { beforeDispatch: [dedup("once", ({ q }) => q)] },
        *execute(_args, { agent }): Operation<unknown> {
          log.push(`${agent.key} in`);
          yield* scoped(function* () {
            const { ensure } = yield* until(import("effection"));
            yield* ensure(function* () {
              yield* sleepOn(clock, 1_000);
              log.push(`${agent.key} out`);
            });
            if (agent.key === "agent/0") yield* suspend();
          });
          return "found";
        },
      });
      const rig = yield* open({
        clock,
        model: playing(ask("search", { q: "x" }), report()),
        tools: [slowToLeave],
        terminal: reportTool,
        guards: { once: { scope: "cohort" } },
        orchestrate: parallel(["a", "b"]),
      });
      yield* quiet;
      const cancelling = yield* spawn(() => rig.handle.cancel("agent/0"));
      yield* quiet;
      expect(log).toEqual(["agent/0 in"]);
      rig.clock.advance(1_000);
      yield* cancelling;
      yield* finish(rig);
      expect(log).toEqual(["agent/0 in", "agent/0 out", "agent/1 in", "agent/1 out"]);
    }));
});
