import { agentPool, ConfigurationError, parallel } from "@agentpool/core";
import { all, run, spawn } from "effection";
import { describe, expect, it } from "vitest";
import { basics, play, playing, report, thrownBy } from "./support.ts";

describe("keys", () => {
  it("are the place in the orchestration: an index, or the task's own", () =>
    run(function* () {
      const { result } = yield* play({
        ...basics(),
        model: playing(report()),
        orchestrate: parallel(["a", { task: "b", key: "bee" }, "c"]),
      });
      expect(result.agents.map(({ key }) => key)).toEqual(["agent/0", "agent/bee", "agent/2"]);
    }));

  it("used twice are an error that names the key", () =>
    run(function* () {
      const error = yield* thrownBy(
        play({
          ...basics(),
          model: playing(report()),
          orchestrate: parallel([
            { task: "a", key: "k" },
            { task: "b", key: "k" },
          ]),
        }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toContain('"agent/k"');
    }));

  it("are needed in branches that run side by side", () =>
    run(function* () {
      const error = yield* thrownBy(
        play({
          ...basics(),
          model: playing(report()),
          *orchestrate(pool) {
            yield* all([pool.spawn("left"), pool.spawn("right")]);
          },
        }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/"left" needs a key/);
    }));

  it("let branches that run side by side spawn", () =>
    run(function* () {
      const { result } = yield* play({
        ...basics(),
        model: playing(report()),
        *orchestrate(pool) {
          const branch = (key: string) =>
            spawn(function* () {
              yield* pool.waitFor(yield* pool.spawn({ task: key, key }));
            });
          const [left, right] = [yield* branch("left"), yield* branch("right")];
          yield* left;
          yield* right;
        },
      });
      expect(result.agents.map(({ key, exit }) => [key, exit])).toEqual([
        ["agent/left", "returned"],
        ["agent/right", "returned"],
      ]);
    }));

  it("of pools side by side in an orchestrator need to differ, and the error says so", () =>
    run(function* () {
      const two = (second?: string) =>
        play({
          ...basics(),
          model: playing(report()),
          *orchestrate() {
            yield* agentPool({ key: "one", orchestrate: parallel(["a"]) });
            yield* agentPool({ key: second ?? "one", orchestrate: parallel(["a"]) });
          },
        });
      expect(String(yield* thrownBy(two()))).toMatch(/"one\/0".*another key/);
      expect((yield* two("two")).result.totals.agents).toBe(2);
    }));

  for (const key of ["__proto__", "constructor", "toString", "a/b", " "])
    it(`may be any text: ${JSON.stringify(key)}`, () =>
      run(function* () {
        const rig = yield* play({
          ...basics(),
          model: playing(report()),
          orchestrate: parallel([{ task: "a", key }]),
        });
        expect(rig.result.agents[0]!.key).toBe(`agent/${key}`);
        expect(yield* rig.handle.cancel(`agent/${key}`)).toBe(false);
      }));
});
