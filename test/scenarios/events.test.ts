import { agentPool, type PoolEvent, parallel, reportTool } from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { FINAL, world } from "./steered-world.ts";
import { asks, instant, noted, ofType, play, playing, report } from "./support.ts";

function grouped<T>(items: readonly T[], by: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(by(item), [...(groups.get(by(item)) ?? []), item]);
  return groups;
}

describe("events", () => {
  // must hold: every call that was proposed has one event that says how it ended
  it("tell of every call once how it ended and once that it was read, unless its agent was stopped", () =>
    run(function* () {
      const { options } = world();
      const { events } = yield* play(options);
      const of = (call: string, types: (event: PoolEvent) => boolean) =>
        events.filter((event) => "call" in event && event.call === call && types(event)).length;
      const proposed = ofType(events, "call:proposed");
      expect(proposed.length).toBeGreaterThan(15);
      for (const { call } of proposed)
        expect([
          call,
          of(call, ({ type }) => FINAL.has(type)),
          of(call, ({ type }) => type === "call:admitted"),
        ]).toEqual([call, 1, 1]);
    }));

  it("of a call are in the order of its life", () =>
    run(function* () {
      const { options } = world();
      const { events } = yield* play(options);
      const order = ["call:proposed", "call:dispatched", "call:settled", "call:refused", "call:admitted"];
      const byCall = grouped(
        events.filter(
          (event): event is Extract<PoolEvent, { call: string }> =>
            "call" in event && event.call !== undefined,
        ),
        ({ call }) => call,
      );
      for (const [call, list] of byCall) {
        const ranks = list.map(({ type }) => order.indexOf(type)).filter((rank) => rank >= 0);
        const dispatches = list.filter(({ type }) => type === "call:dispatched").length;
        const first = ranks.filter((rank, at) => rank !== 1 || ranks.indexOf(1) === at);
        expect([call, first]).toEqual([call, [...first].sort((a, b) => a - b)]);
        const retried = list.filter(
          (event) => event.type === "call:parked" && event.reason === "retry",
        ).length;
        if (dispatches > 0) expect(dispatches).toBe(retried + 1);
        const parked = list.filter(({ type }) => type === "call:parked").length;
        expect(list.filter(({ type }) => type === "call:resumed")).toHaveLength(parked);
      }
    }));

  it("carry the run, the time, and keys of agents that were spawned before", () =>
    run(function* () {
      const { options } = world();
      const { events } = yield* play({ ...options, run: "run-1" });
      const known = new Set<string>();
      let last = 0;
      for (const event of events) {
        expect(event.run).toBe("run-1");
        expect(event.at).toBeGreaterThanOrEqual(last);
        last = event.at;
        if (event.type === "agent:spawned") known.add(event.agent);
        if ("agent" in event && event.agent !== undefined) expect(known.has(event.agent)).toBe(true);
      }
      expect(events[0]!.type).toBe("pool:opened");
      expect(events.at(-1)!.type).toBe("pool:closed");
    }));

  it("have each an object of their own", () =>
    run(function* () {
      const { options } = world();
      const { events } = yield* play(options);
      expect(new Set(events).size).toBe(events.length);
    }));

  it("show each agent ready, generating, calling, parked and done, never the same twice in a row", () =>
    run(function* () {
      const { options } = world();
      const { events } = yield* play(options);
      const byAgent = grouped(ofType(events, "agent:state"), ({ agent }) => agent);
      for (const states of byAgent.values())
        for (const [at, { state }] of states.entries()) expect(state).not.toBe(states[at - 1]?.state);
      expect(new Set(ofType(events, "agent:state").map(({ state }) => state))).toEqual(
        new Set(["generating", "calling", "parked", "ready"]),
      );
    }));

  // must hold: every call that was proposed has one event that says how it ended
  it("of a terminal call tell how it ended too: accepted, rejected, refused or failed", () =>
    run(function* () {
      let runs = 0;
      const { events } = yield* play({
        model: playing(
          report("fails"),
          report("rejected"),
          asks(["report", { result: "fine" }], ["report", { result: "second" }]),
        ),
        tools: [instant("search")],
        terminal: {
          ...reportTool,
          execute: (args) => {
            if (runs++ === 0) throw new Error("no paper");
            return args.result;
          },
        },
        hooks: [{ onReturn: () => ({ type: "reject", message: "more" }) }],
        orchestrate: parallel(["a"]),
      });
      const finals = events
        .filter((event) => FINAL.has(event.type))
        .map((event) => [event.type, "call" in event && event.call]);
      expect(finals).toEqual([
        ["call:settled", "agent/0:1#0"],
        ["call:refused", "agent/0:2#0"],
        ["call:refused", "agent/0:3#1"],
        ["call:settled", "agent/0:3#0"],
      ]);
    }));

  it("add up to the totals", () =>
    run(function* () {
      const { options } = world();
      const { events, result } = yield* play(options);
      const { totals } = result;
      expect(ofType(events, "agent:spawned")).toHaveLength(totals.agents);
      expect(ofType(events, "turn:completed")).toHaveLength(totals.turns);
      expect(ofType(events, "call:admitted").filter(({ attended }) => attended)).toHaveLength(
        totals.attended,
      );
      expect(ofType(events, "call:refused")).toHaveLength(totals.refusals);
      const dispatched = ofType(events, "call:dispatched").filter(({ attempt }) => attempt === 0);
      expect(dispatched).toHaveLength(totals.toolCalls);
      const agentParks = ofType(events, "agent:state").filter(({ reason }) => reason === "rate_limit").length;
      expect(ofType(events, "call:parked").length + agentParks).toBe(totals.parks);
    }));

  it("know nothing of a pool that never opened", () =>
    run(function* () {
      const types: string[] = [];
      try {
        yield* agentPool({
          model: playing(),
          tools: [],
          guards: { x: false },
          orchestrate: parallel([]),
          onEvent: ({ type }) => noted(types, type, undefined),
        });
      } catch {}
      expect(types).toEqual([]);
    }));
});
