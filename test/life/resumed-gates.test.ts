import type { Tool } from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { crash, on, pool, resume, takeUp } from "../resume/support.ts";
import { ask, finish, instant, ofType, playing, type RigOptions, report } from "../scenarios/support.ts";
import { approve, waiting } from "./support.ts";

// A run that is taken up is one more way for a call to run.

const CALL = "agent/0:1#0";

/** A run that went away while a person was asked about a call that had passed its gates. */
function* asked(tool: Partial<Tool> = {}, more: Partial<RigOptions> = {}) {
  const wipe = instant("wipe", tool);
  const options = (): RigOptions =>
    pool({
      model: playing(ask("wipe", { q: "x" }), report()),
      tools: [wipe],
      requireApproval: ["wipe"],
      ...more,
    });
  const recorded = yield* crash(options(), on("approval:requested"));
  return { wipe, options, recorded };
}

describe("G10: a call that had passed its gates when its process went away", () => {
  it("G10: keeps its verdict: once a person approves it runs, and no guard is asked again", () =>
    run(function* () {
      const guards: string[] = [];
      const { wipe, options, recorded } = yield* asked(
        {},
        { policy: ({ tool }) => void (tool === "wipe" && guards.push(tool)) },
      );
      expect(guards).toEqual(["wipe"]);
      const rig = yield* takeUp(options(), recorded);
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
      expect(wipe.asked).toEqual(["x"]);
      expect(guards).toEqual(["wipe"]);
    }));

  it("G10: does not run where it is denied by then, and nobody is asked about it any more", () =>
    run(function* () {
      const { wipe, options, recorded } = yield* asked();
      const { result, events } = yield* resume(
        { ...options(), requireApproval: [], deny: ["wipe"] },
        recorded,
      );
      expect(wipe.asked).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ tool: "wipe", guard: "deny" }]);
      expect(ofType(events, "call:refused")).toMatchObject([{ call: CALL, guard: "deny" }]);
    }));

  it("G10: does not run where its grant is gone by then", () =>
    run(function* () {
      const { wipe, options, recorded } = yield* asked({ protected: true }, { grants: ["wipe"] });
      const { result } = yield* resume({ ...options(), grants: [] }, recorded);
      expect(wipe.asked).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "auth_reject" }]);
    }));

  it("G10: runs only after a person is asked where that is demanded by then", () =>
    run(function* () {
      const wipe = instant("wipe");
      const options = (more: Partial<RigOptions> = {}): RigOptions =>
        pool({
          model: playing({ calls: [{ tool: "wipe", args: { q: "x" } }, { tool: "slow" }] }, report()),
          tools: [wipe, instant("slow")],
          ...more,
        });
      // the other call of the step holds both back
      const recorded = yield* crash(options({ requireApproval: ["slow"] }), on("approval:requested"));
      const rig = yield* takeUp(options({ requireApproval: ["slow", "wipe"] }), recorded);
      expect(rig.handle.approvals.list().map(({ tool }) => tool)).toEqual(["wipe", "slow"]);
      for (const { id } of rig.handle.approvals.list()) rig.handle.approvals.deny(id);
      yield* finish(rig);
      expect(wipe.asked).toEqual([]);
    }));
});
