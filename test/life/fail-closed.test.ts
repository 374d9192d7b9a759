import {
  agentPool,
  type GuardFunction,
  type PoolEvent,
  parallel,
  refuse,
  reportTool,
  runPool,
  substitute,
} from "@agentpool/core";
import { run, suspend } from "effection";
import { describe, expect, it } from "vitest";
import {
  ask,
  asks,
  finish,
  instant,
  leftovers,
  noted,
  ofType,
  playing,
  quiet,
  report,
} from "../scenarios/support.ts";
import { saying } from "./banking.ts";
import { approve, lifeOf, once, openLife, playLife, seenBy, shownIn, waiting } from "./support.ts";

describe("fail closed", () => {
  class TenantStoreDown extends Error {}
  const broken: readonly [string, GuardFunction, string][] = [
    [
      "raises",
      () => {
        throw new TenantStoreDown("postgres://user:hunter2@db");
      },
      "TenantStoreDown",
    ],
    ["rejects", () => Promise.reject(new TenantStoreDown("postgres://user:hunter2@db")), "TenantStoreDown"],
    [
      "raises what is no error",
      () => {
        throw "hunter2";
      },
      "string",
    ],
    ["returns text", (() => "deny hunter2") as never, "MalformedAnswer"],
    ["returns true", (() => true) as never, "MalformedAnswer"],
    ["returns an unknown decision", (() => ({ type: "hunter2" })) as never, "MalformedAnswer"],
    ["substitutes a big integer", () => substitute(2n), "TypeError"],
    ["substitutes a function", () => substitute(() => "hunter2"), "TypeError"],
    ["substitutes not a number", () => substitute(Number.NaN), "TypeError"],
    [
      "substitutes something circular",
      () => {
        const value: { self?: unknown; password: string } = { password: "hunter2" };
        value.self = value;
        return substitute(value);
      },
      "TypeError",
    ],
    [
      "substitutes what throws when it is looked at",
      () =>
        substitute({
          get value() {
            throw new TenantStoreDown("hunter2");
          },
        }),
      "TenantStoreDown",
    ],
    [
      "answers with what throws when it is looked at",
      () =>
        ({
          get type(): "refuse" {
            throw new TenantStoreDown("hunter2");
          },
          message: "no",
        }) as never,
      "TenantStoreDown",
    ],
  ];
  const about =
    (policy: GuardFunction): GuardFunction =>
    (input) =>
      input.tool === "search" ? policy(input) : undefined;

  for (const [how, policy, error] of broken)
    it(`a hook that ${how} denies the call as "policy hook error", telling nobody its message`, () =>
      run(function* () {
        const search = instant("search");
        const model = once("search");
        const { result, events } = yield* playLife({ model, tools: [search], policy: about(policy) });
        expect(search.asked).toEqual([]);
        expect(shownIn(model, 2)).toMatchObject([
          { type: "error-text", value: expect.stringContaining("policy hook error") },
        ]);
        expect(ofType(events, "hook:error")).toMatchObject([
          { hook: "policy", moment: "beforeDispatch", error, verdict: "refused", call: "agent/0:1#0" },
        ]);
        expect(lifeOf(events, "agent/0:1#0")).not.toContain("call:substituted");
        expect(JSON.stringify(events) + seenBy(model)).not.toContain("hunter2");
        expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 0 });
        expect(result.agents[0]!.refusals).toMatchObject([{ guard: "hook_error" }]);
      }));

  it("the run goes on: the next call is asked about afresh, and runs", () =>
    run(function* () {
      let asked = 0;
      const search = instant("search");
      const { result } = yield* playLife({
        model: playing(ask("search", { q: "1" }), ask("search", { q: "2" }), report()),
        tools: [search],
        policy: about(() => {
          if (asked++ === 0) throw new Error("down");
          return undefined;
        }),
      });
      expect(search.asked).toEqual(["2"]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 1 });
    }));

  it("a broken hook does not ask the person that a static gate would", () =>
    run(function* () {
      const { events } = yield* playLife({
        model: once("search"),
        tools: [instant("search")],
        requireApproval: ["search"],
        policy: about(() => {
          throw new Error("down");
        }),
      });
      expect(ofType(events, "approval:requested")).toEqual([]);
    }));

  for (const [how, hang] of [
    ["a promise", () => new Promise<undefined>(() => {})],
    [
      "an operation",
      function* () {
        yield* suspend();
      },
    ],
  ] as const) {
    it(`cancelling while the hook waits for ${how} is a cancellation, and no hook error`, () =>
      run(function* () {
        const rig = yield* openLife({
          model: once("search"),
          tools: [instant("search")],
          policy: about(hang),
        });
        yield* rig.handle.cancel("agent/0");
        const { agents } = yield* finish(rig);
        expect(agents[0]).toMatchObject({ exit: "cancelled", refusals: [] });
        expect(ofType(rig.events, "hook:error")).toEqual([]);
        expect(ofType(rig.events, "call:refused")).toEqual([]);
      }));

    it(`halting the run while the hook waits for ${how} propagates, and no hook error is left`, async () => {
      const events: PoolEvent[] = [];
      const pool = runPool({
        model: once("search"),
        tools: [instant("search")],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
        policy: about(hang),
        onEvent: (event) => events.push(event),
      });
      await run(() => quiet);
      await pool.halt();
      expect(ofType(events, "hook:error")).toEqual([]);
      expect(ofType(events, "agent:ended")).toMatchObject([{ result: { exit: "cancelled" } }]);
    });

    it(`one that waits for ${how} for ever misses its deadline of 30 s, and denies`, () =>
      run(function* () {
        const rig = yield* openLife({
          model: once("search"),
          tools: [instant("search")],
          policy: about(hang),
        });
        const { agents } = yield* finish(rig);
        expect(rig.clock.now()).toBe(30_000);
        expect(agents[0]!.refusals).toMatchObject([{ guard: "hook_error" }]);
        expect(ofType(rig.events, "hook:error")).toMatchObject([{ error: "DeadlineError", ms: 30_000 }]);
        expect(leftovers(rig)).toEqual([]);
      }));
  }
});

describe("after a pause", () => {
  it("the hook is not asked again: a call a person approved executes, whatever it would say now", () =>
    run(function* () {
      let locked = false;
      const asked: string[] = [];
      const search = instant("search");
      const rig = yield* openLife({
        model: once("search"),
        tools: [search],
        requireApproval: ["search"],
        policy: ({ tool, call }) => {
          if (tool !== "search") return undefined;
          return noted(asked, call.id, locked ? refuse("locked") : undefined);
        },
      });
      locked = true;
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
      expect(asked).toEqual(["agent/0:1#0"]);
      expect(search.asked).toEqual(["x"]);
    }));

  it("a held call that needed nobody was evaluated before the pause, and runs after it unasked", () =>
    run(function* () {
      const asked: string[] = [];
      const [search, other] = [instant("search"), instant("other")];
      const rig = yield* openLife({
        model: playing(asks(["search"], ["other"]), report()),
        tools: [search, other],
        requireApproval: ["search"],
        policy: ({ tool }) => {
          asked.push(tool);
        },
      });
      expect(asked).toEqual(["search", "other"]);
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
      expect(asked).toEqual(["search", "other", "report"]);
      expect(other.asked).toHaveLength(1);
    }));
});

describe("limits of the page that do not hold here, or hold by other means", () => {
  it("a policy does not mutate: to change a call there is rewrite", () =>
    run(function* () {
      const search = instant("search");
      yield* playLife({
        model: once("search"),
        tools: [search],
        policy: saying({ type: "rewrite", args: { q: "y" }, mode: "replace" }),
      });
      expect(search.asked).toEqual([]);
    }));

  it("covers the run and the stream alike, and nested pools: there is one dispatcher", () =>
    run(function* () {
      const search = instant("search");
      const seen: string[] = [];
      yield* playLife({
        model: playing(ask("search"), report()),
        tools: [search],
        policy: ({ agent, tool }) => {
          if (tool === "search") return noted(seen, agent.key, refuse("no"));
          return undefined;
        },
        *orchestrate() {
          yield* agentPool({ key: "inner", orchestrate: parallel(["look"]) });
        },
      });
      expect(seen).toEqual(["inner/0"]);
      expect(search.asked).toEqual([]);
    }));
});
