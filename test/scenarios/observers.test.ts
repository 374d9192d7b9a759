import { agentPool, parallel, reportTool } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run, spawn, suspend } from "effection";
import { describe, expect, it } from "vitest";
import { ask, basics, held, instant, open, play, playing, quiet, report } from "./support.ts";

describe("an observer", () => {
  it("that throws is none of the run's business", () =>
    run(function* () {
      const { result } = yield* play({
        ...basics(),
        model: playing(report("fine")),
        onEvent: () => {
          throw new Error("observer");
        },
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]!.result).toBe("fine");
    }));

  it("that watches a pool and one inside it sees everything once, to the end", () =>
    run(function* () {
      const seen: string[] = [];
      const onEvent = ({ type }: { type: string }) => void seen.push(type);
      yield* agentPool({
        model: scripted(({ task }) => (task === "boss" ? [ask("work"), report()] : [report()])),
        tools: [
          instant("work", {
            *execute() {
              yield* agentPool({ orchestrate: parallel(["help"]), onEvent });
              return "done";
            },
          }),
        ],
        terminal: reportTool,
        onEvent,
        orchestrate: parallel(["boss"]),
      });
      expect(seen.filter((type) => type === "agent:spawned")).toHaveLength(2);
      expect(seen.filter((type) => type === "agent:ended")).toHaveLength(2);
      expect(seen.at(-1)).toBe("pool:closed");
    }));

  it("of a pool that ends with its scope is told so", () =>
    run(function* () {
      const types: string[] = [];
      const rig = yield* spawn(function* () {
        yield* open({
          tools: [held("search")],
          terminal: reportTool,
          model: playing(ask("search")),
          orchestrate: parallel(["x"]),
          onEvent: ({ type }) => void types.push(type),
        });
        yield* suspend();
      });
      yield* quiet;
      yield* quiet;
      yield* rig.halt();
      expect(types).toContain("agent:ended");
      expect(types.at(-1)).toBe("pool:closed");
    }));
});
