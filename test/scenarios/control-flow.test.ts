import { parallel, reportTool, ToolRetryError } from "@agentpool/core";
import { type Operation, run, suspend } from "effection";
import { describe, expect, it } from "vitest";
import { ask, finish, held, instant, noted, ofType, open, play, playing, quiet, report } from "./support.ts";

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
