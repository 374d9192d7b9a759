import { agentPool, type PoolHandle, type PoolRun, parallel, runPool, useAgentPool } from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, asks, casting, finish, instant, lastShown, report } from "../scenarios/support.ts";
import { approve, deny, gated, openLife, waiting, waitingFor } from "./support.ts";

describe("A6: a nested agent's approval", () => {
  for (const how of ["an operation", "a promise"] as const)
    it(`A6: surfaces at the top and resumes in its owner, nested by ${how}`, () =>
      run(function* () {
        const send = instant("send");
        const nested = { orchestrate: parallel(["nested"]) };
        const model = casting({
          "agent/0": [ask("delegate"), report("outer is done")],
          nested: [ask("send", { q: "x" }), report("nested is done")],
        });
        const rig = yield* openLife({
          model,
          tools: [
            send,
            instant("delegate", {
              execute:
                how === "an operation"
                  ? function* () {
                      return (yield* agentPool(nested)).agents.map(({ result }) => result);
                    }
                  : async (_, ctx) =>
                      (await runPool({ ...nested, parent: ctx })).agents.map(({ result }) => result),
            }),
          ],
          ...gated,
          budget: { concurrentTools: 1 },
        });
        expect(waiting(rig)).toMatchObject({
          agent: "agent/0:1#0~0/0",
          call: "agent/0:1#0~0/0:1#0",
          tool: "send",
        });
        expect(rig.handle.inspect().permits.tools).toBe(0);
        yield* approve(rig, waiting(rig));
        const { agents } = yield* finish(rig);
        expect(send.asked).toEqual(["x"]);
        expect(lastShown(model, "agent/0")).toMatchObject([{ tool: "delegate", value: ["nested is done"] }]);
        expect(agents[0]).toMatchObject({ exit: "returned", result: "outer is done" });
      }));

  it("A6: denied is read by its owner alone, and its caller goes on", () =>
    run(function* () {
      const model = casting({
        "agent/0": [ask("delegate"), report()],
        nested: [ask("send", { q: "x" }), report("could not send")],
      });
      const rig = yield* openLife({
        model,
        tools: [
          instant("send"),
          instant("delegate", {
            *execute() {
              return (yield* agentPool({ orchestrate: parallel(["nested"]) })).agents.map(
                ({ result }) => result,
              );
            },
          }),
        ],
        ...gated,
      });
      yield* deny(rig, waiting(rig), "no");
      const { agents } = yield* finish(rig);
      expect(lastShown(model, "agent/0:1#0~0/0")).toMatchObject([{ type: "error-text" }]);
      expect(lastShown(model, "agent/0")).toMatchObject([{ type: "json", value: ["could not send"] }]);
      expect(agents[0]!.refusals).toEqual([]);
    }));

  it("A6: several, at several depths, are decided in any order, each for its owner", () =>
    run(function* () {
      const send = instant("send");
      const rig = yield* openLife({
        model: casting({
          "agent/0": [
            asks(["delegate", { q: "n1" }], ["delegate", { q: "n2" }], ["send", { q: "top" }]),
            report(),
          ],
          n1: [ask("send", { q: "n1" }), report()],
          n2: [ask("send", { q: "n2" }), report()],
        }),
        tools: [
          send,
          instant("delegate", {
            *execute({ q }) {
              return (yield* agentPool({ orchestrate: parallel([{ task: String(q), key: String(q) }]) }))
                .agents.length;
            },
          }),
        ],
        ...gated,
      });
      // the delegates do not start until the step's own approval is decided
      expect(rig.handle.approvals.list().map(({ args }) => args.q)).toEqual(["top"]);
      yield* approve(rig, waitingFor(rig, "top"));
      expect(rig.handle.approvals.list().map(({ args }) => args.q)).toEqual(["n1", "n2"]);
      yield* approve(rig, waitingFor(rig, "n2"));
      yield* deny(rig, waitingFor(rig, "n1"));
      yield* finish(rig);
      expect(send.asked.toSorted()).toEqual(["n2", "top"]);
    }));

  it("A6: a pool nested by runPool offers the approvals of the tree", () =>
    run(function* () {
      let inner: PoolRun | undefined;
      const rig = yield* openLife({
        model: casting({
          "agent/0": [ask("delegate"), report()],
          nested: [ask("send", { q: "x" }), report()],
        }),
        tools: [
          instant("send"),
          instant("delegate", {
            execute: async (_, ctx) => {
              inner = runPool({ orchestrate: parallel(["nested"]), parent: ctx });
              return (await inner).agents.length;
            },
          }),
        ],
        ...gated,
      });
      expect(inner!.approvals.list()).toEqual(rig.handle.approvals.list());
      inner!.approvals.approve(waiting(rig).id);
      yield* finish(rig);
    }));

  it("A6: a nested pool's own handle sees the approvals of the tree too", () =>
    run(function* () {
      let inner: PoolHandle | undefined;
      const rig = yield* openLife({
        model: casting({
          "agent/0": [ask("delegate"), report()],
          nested: [ask("send", { q: "x" }), report()],
        }),
        tools: [
          instant("send"),
          instant("delegate", {
            *execute() {
              inner = yield* useAgentPool({ orchestrate: parallel(["nested"]) });
              return (yield* inner.result).agents.length;
            },
          }),
        ],
        ...gated,
      });
      expect(inner!.approvals.list()).toEqual(rig.handle.approvals.list());
      inner!.approvals.approve(waiting(rig).id);
      yield* finish(rig);
    }));
});
