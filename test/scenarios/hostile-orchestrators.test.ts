import { agentPool, type Orchestrator, reportTool } from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { open, playing, quiet, report } from "./support.ts";

describe("a hostile orchestrator", () => {
  for (const [how, orchestrate] of [
    [
      "throws null",
      function* () {
        throw null;
      },
    ],
    [
      "yields nonsense",
      function* () {
        yield 7 as never;
      },
    ],
    ["returns at once", function* () {}],
    [
      "waits for no agent",
      function* (pool: Parameters<Orchestrator>[0]) {
        yield* pool.waitFor({} as never);
      },
    ],
  ] as [string, Orchestrator][])
    it(`that ${how} leaves nothing behind`, () =>
      run(function* () {
        const rig = yield* open({ model: playing(report()), tools: [], terminal: reportTool, orchestrate });
        yield* quiet;
        expect(rig.clock.pending).toBe(0);
        expect(rig.handle.inspect()).toEqual({
          agents: {},
          inLine: 0,
          parked: 0,
          permits: { tools: 0, generations: 0 },
        });
        if (how === "returns at once") expect(rig.outcome.result!.agents).toEqual([]);
        else expect("error" in rig.outcome).toBe(true);
      }));

  it("that is no generator is an error that says what is accepted", () =>
    run(function* () {
      let error: unknown;
      try {
        yield* agentPool({ model: playing(), tools: [], orchestrate: (async () => {}) as never });
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(Error);
    }));
});
