import { parallel } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import {
  ask,
  asks,
  casting,
  finish,
  held,
  instant,
  leftovers,
  ofType,
  playing,
  quiet,
  report,
  textOf,
} from "../scenarios/support.ts";
import { approve, openLife, waiting } from "./support.ts";

describe("pausing", () => {
  it("lets a generation that is under way end, and begins none of its calls until it is resumed", () =>
    run(function* () {
      const look = instant("look");
      const rig = yield* openLife({
        model: playing({ wait: 10, ...asks(["look", { q: "1" }], ["look", { q: "2" }]) }, report()),
        tools: [look],
      });
      rig.handle.pause();
      rig.clock.advance(60_000);
      yield* quiet;
      expect(ofType(rig.events, "turn:completed")).toHaveLength(1);
      expect(look.asked).toEqual([]);
      rig.handle.resume();
      const { agents } = yield* finish(rig);
      expect(look.asked).toEqual(["1", "2"]);
      expect(agents[0]!.exit).toBe("returned");
    }));

  it("lets a tool that runs end and its result be read, and begins no turn until it is resumed", () =>
    run(function* () {
      const hold = held("hold");
      const model = playing(ask("hold"), report());
      const rig = yield* openLife({ model, tools: [hold] });
      rig.handle.pause();
      hold.running[0]!.succeed();
      yield* quiet;
      expect(ofType(rig.events, "call:admitted")).toHaveLength(1);
      expect(model.requests).toHaveLength(1);
      rig.handle.resume();
      yield* finish(rig);
      expect(model.requests).toHaveLength(2);
    }));

  it("keeps nobody from deciding, submitting and speaking: what comes of it comes once it is resumed", () =>
    run(function* () {
      const send = instant("send");
      const model = playing(asks(["send"], ["pick"]), report());
      const rig = yield* openLife({
        model,
        tools: [send, instant("pick", { target: "client", parallel: false })],
        requireApproval: ["send"],
      });
      rig.handle.pause();
      yield* approve(rig, waiting(rig));
      expect(rig.handle.steer("agent/0", "Hurry.")).toBe(true);
      expect(send.asked).toEqual([]);
      rig.handle.resume();
      yield* quiet;
      expect(send.asked).toEqual([""]);
      rig.handle.pause();
      rig.handle.submit({ "agent/0:1#1": "red" });
      yield* quiet;
      expect(model.requests).toHaveLength(1);
      rig.handle.resume();
      yield* finish(rig);
      expect(textOf(model.requests[1]!.messages)).toContain("Hurry.");
    }));

  it("twice is pausing once, and resuming what runs is nothing", () =>
    run(function* () {
      const rig = yield* openLife({ model: playing({ wait: 10, ...report() }), tools: [instant("look")] });
      rig.handle.resume();
      rig.handle.pause();
      rig.handle.pause();
      rig.handle.resume();
      const { agents } = yield* finish(rig);
      expect(agents[0]!.exit).toBe("returned");
    }));
});

describe("cancelling one agent", () => {
  it("leaves its siblings, and gives back what it held: its permit goes to the next at once", () =>
    run(function* () {
      const hold = held("hold");
      const rig = yield* openLife({
        model: playing(ask("hold"), report()),
        tools: [hold],
        orchestrate: parallel(["a", "b"]),
        budget: { concurrentTools: 1 },
      });
      expect(hold.running.map(({ agent }) => agent)).toEqual(["agent/0"]);
      expect(yield* rig.handle.cancel("agent/0")).toBe(true);
      yield* quiet;
      expect(hold.calls[0]).toMatchObject({ state: "halted" });
      expect(hold.calls[0]!.signal.aborted).toBe(true);
      expect(hold.running.map(({ agent }) => agent)).toEqual(["agent/1"]);
      hold.running[0]!.succeed();
      const { agents } = yield* finish(rig);
      expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "returned"]);
      expect(leftovers(rig)).toEqual([]);
    }));

  it("is an end with what it had counted, and no report: nothing is generated any more", () =>
    run(function* () {
      const hold = held("hold");
      const model = playing(ask("look"), ask("hold"), report());
      const rig = yield* openLife({ model, tools: [instant("look"), hold] });
      yield* rig.handle.cancel("agent/0");
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({
        exit: "cancelled",
        result: undefined,
        turns: 2,
        toolCallCount: 2,
        attendedCount: 1,
      });
      expect(model.requests).toHaveLength(2);
    }));

  it("that waits to begin, for room in a memory that others hold, takes it out of the line", () =>
    run(function* () {
      const hold = held("hold");
      const model = {
        ...scripted(() => [ask("hold"), report()]),
        capacity: { tokens: 2_400 },
      };
      const rig = yield* openLife({
        model,
        tools: [hold],
        *orchestrate(pool) {
          const agents = [];
          for (const key of ["a", "b", "c", "d", "e", "f", "g", "h", "i"])
            agents.push(yield* pool.spawn({ task: key, key }));
          for (const agent of agents) yield* pool.waitFor(agent);
        },
      });
      const begun = ofType(rig.events, "agent:spawned").length;
      expect(begun).toBeLessThan(9);
      const next = ["a", "b", "c", "d", "e", "f", "g", "h", "i"][begun]!;
      expect(yield* rig.handle.cancel(`agent/${next}`)).toBe(true);
      for (let turn = 0; turn < 12; turn++) {
        for (const call of hold.running) call.succeed();
        yield* quiet;
      }
      const { agents } = yield* finish(rig);
      expect(agents.filter(({ exit }) => exit === "returned")).toHaveLength(8);
      expect(agents.find(({ key }) => key === `agent/${next}`)!.exit).toBe("cancelled");
      expect(leftovers(rig)).toEqual([]);
    }));

  it("whose call an equal one of a sibling waits for lets that one run", () =>
    run(function* () {
      const hold = held("hold", {
        hooks: {
          beforeDispatch: [
            { name: "once", message: "read", reject: ({ attended }) => attended().length > 0 },
          ],
        },
      });
      const rig = yield* openLife({
        model: casting({ "agent/0": [ask("hold"), report()], "agent/1": [ask("hold"), report()] }),
        tools: [hold],
        guards: { once: { scope: "cohort" } },
        orchestrate: parallel(["a", "b"]),
      });
      expect(hold.running).toHaveLength(1);
      yield* rig.handle.cancel("agent/0");
      yield* quiet;
      expect(hold.running.map(({ agent }) => agent)).toEqual(["agent/1"]);
      hold.running[0]!.succeed();
      yield* finish(rig);
    }));
});
