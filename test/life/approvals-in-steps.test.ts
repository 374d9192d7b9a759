import {
  dedup,
  type GuardInput,
  parallel,
  refuse,
  requireApproval,
  substitute,
  type ToolGuard,
} from "@agentpool/core";
import { run } from "effection";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ask,
  asks,
  casting,
  finish,
  held,
  instant,
  ofType,
  playing,
  quiet,
  report,
  unanswered,
} from "../scenarios/support.ts";
import { approve, deny, gated, once, openLife, shownIn, waiting, waitingFor } from "./support.ts";

describe("A2, A3: in a step of several calls", () => {
  const four = asks(["send", { q: "a" }], ["read", { q: "b" }], ["send", { q: "c" }], ["send", { q: "d" }]);

  it("A2: one denied call neither rejects nor skips its siblings; A3: every call is answered, in emission order", () =>
    run(function* () {
      const [send, read] = [instant("send"), instant("read")];
      const model = playing(four, report());
      const rig = yield* openLife({ model, tools: [send, read], ...gated });
      yield* deny(rig, waitingFor(rig, "d"), "not d");
      yield* approve(rig, waitingFor(rig, "c"));
      yield* deny(rig, waitingFor(rig, "a"), "not a");
      const { agents } = yield* finish(rig);
      expect([send.asked, read.asked]).toEqual([["c"], ["b"]]);
      expect(shownIn(model, 2)).toMatchObject([
        { id: "call_1", type: "error-text", value: expect.stringContaining("not a") },
        { id: "call_2", type: "json", value: { answer: "b" } },
        { id: "call_3", type: "json", value: { answer: "c" } },
        { id: "call_4", type: "error-text", value: expect.stringContaining("not d") },
      ]);
      expect(unanswered(model.requests[1]!.messages)).toEqual([]);
      expect(agents[0]).toMatchObject({ toolCallCount: 2, attendedCount: 2 });
    }));

  it("A2: where all are denied the turn goes on with answers alone", () =>
    run(function* () {
      const model = playing(asks(["send", { q: "a" }], ["send", { q: "b" }]), report());
      const rig = yield* openLife({ model, tools: [instant("send")], ...gated });
      for (const approval of rig.handle.approvals.list()) yield* deny(rig, approval);
      const { agents } = yield* finish(rig);
      expect(shownIn(model, 2).map(({ type }) => type)).toEqual(["error-text", "error-text"]);
      expect(agents[0]).toMatchObject({ exit: "returned", toolCallCount: 0 });
    }));

  it("no call of the step runs until all that can be decided are, and the agent stays parked till then", () =>
    run(function* () {
      const [send, read] = [instant("send"), instant("read")];
      const rig = yield* openLife({ model: playing(four, report()), tools: [send, read], ...gated });
      for (const q of ["c", "a"]) {
        yield* approve(rig, waitingFor(rig, q));
        expect([send.asked, read.asked]).toEqual([[], []]);
        expect(rig.handle.inspect()).toMatchObject({ agents: { parked: 1 }, inLine: 0 });
      }
      yield* approve(rig, waitingFor(rig, "d"));
      yield* finish(rig);
      expect([send.asked.length, read.asked.length]).toEqual([3, 1]);
    }));

  it("A4: decisions accumulate: given in any order, each is its own call's", () =>
    fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(["a", "b", "c", "d"], { minLength: 4 }),
        fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
        async (order, verdicts) => {
          const send = instant("send");
          const model = playing(asks(...["a", "b", "c", "d"].map((q) => ["send", { q }] as const)), report());
          const verdictOf = (q: string): boolean => verdicts["abcd".indexOf(q)]!;
          await run(function* () {
            const rig = yield* openLife({ model, tools: [send], ...gated });
            for (const q of order) yield* (verdictOf(q) ? approve : deny)(rig, waitingFor(rig, q));
            yield* finish(rig);
          });
          expect(send.asked).toEqual(["a", "b", "c", "d"].filter(verdictOf));
          expect(shownIn(model, 2).map(({ type }) => type)).toEqual(
            ["a", "b", "c", "d"].map((q) => (verdictOf(q) ? "json" : "error-text")),
          );
        },
      ),
      { numRuns: 25 },
    ));

  it("one agent that waits for a person holds up no other", () =>
    run(function* () {
      const send = instant("send");
      const rig = yield* openLife({
        model: casting({ a: [ask("send", { q: "x" }), report()], b: [ask("read"), report("b is done")] }),
        tools: [send, instant("read")],
        ...gated,
        budget: { concurrentTools: 1, concurrentGenerations: 1 },
        orchestrate: parallel([
          { task: "a", key: "a" },
          { task: "b", key: "b" },
        ]),
      });
      expect(ofType(rig.events, "agent:ended")).toMatchObject([
        { agent: "agent/b", result: { exit: "returned" } },
      ]);
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
    }));

  it("a denied call gives back what it had reserved of the limits", () =>
    run(function* () {
      const send = instant("send");
      const rig = yield* openLife({
        model: playing(ask("send", { q: "a" }), ask("send", { q: "b" }), report()),
        tools: [send],
        ...gated,
        budget: { maxToolCalls: 1, maxCallsPerTool: { send: 1 } },
      });
      yield* deny(rig, waitingFor(rig, "a"));
      yield* approve(rig, waitingFor(rig, "b"));
      const { agents } = yield* finish(rig);
      expect(send.asked).toEqual(["b"]);
      expect(agents[0]).toMatchObject({ exit: "returned" });
    }));

  it("a barrier stays one after it was approved", () =>
    run(function* () {
      const [send, read] = [held("send", { parallel: false }), held("read")];
      const rig = yield* openLife({
        model: playing(asks(["read", { q: "1" }], ["send", { q: "2" }], ["read", { q: "3" }]), report()),
        tools: [send, read],
        ...gated,
      });
      yield* approve(rig, waiting(rig));
      const running = () => [...send.running, ...read.running].map(({ q }) => q);
      for (const q of ["1", "2", "3"]) {
        expect(running()).toEqual([q]);
        [...send.running, ...read.running][0]!.succeed();
        yield* quiet;
      }
      yield* finish(rig);
    }));
});

describe("a call equal to an earlier one of its step", () => {
  const sendDedup = { beforeDispatch: [dedup("send_dedup", ({ q }) => q)] };
  const twice = playing(asks(["send", { q: "x" }], ["send", { q: "x" }], ["read", { q: "r" }]), report());

  it("is not among the approvals its step waits for; once the earlier succeeded nobody is asked: it is refused", () =>
    run(function* () {
      const [send, read] = [instant("send", { hooks: sendDedup }), instant("read")];
      const rig = yield* openLife({ model: twice, tools: [send, read], ...gated });
      expect(waiting(rig).call).toBe("agent/0:1#0");
      yield* approve(rig, waiting(rig));
      const { agents } = yield* finish(rig);
      expect([send.asked, read.asked]).toEqual([["x"], ["r"]]);
      expect(ofType(rig.events, "approval:requested")).toHaveLength(1);
      expect(agents[0]!.refusals).toMatchObject([{ guard: "send_dedup" }]);
    }));

  it("is asked about once the earlier was denied", () =>
    run(function* () {
      const send = instant("send", { hooks: sendDedup });
      const rig = yield* openLife({ model: twice, tools: [send, instant("read")], ...gated });
      yield* deny(rig, waiting(rig));
      expect(waiting(rig).call).toBe("agent/0:1#1");
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
      expect(send.asked).toEqual(["x"]);
    }));

  it("is asked about once the earlier has failed, and not while it runs; meanwhile it holds nothing", () =>
    run(function* () {
      const send = held("send", { hooks: sendDedup });
      const rig = yield* openLife({ model: twice, tools: [send, instant("read")], ...gated });
      yield* approve(rig, waiting(rig));
      expect(send.running).toHaveLength(1);
      expect(rig.handle.approvals.list()).toEqual([]);
      expect(rig.handle.inspect()).toMatchObject({ parked: 0, permits: { tools: 1 } });
      send.held("x").fail(new Error("failed"));
      yield* quiet;
      expect(waiting(rig).call).toBe("agent/0:1#1");
      yield* approve(rig, waiting(rig));
      send.held("x").succeed();
      yield* finish(rig);
    }));

  it("that no guard would keep from running is asked about at once", () =>
    run(function* () {
      const send = instant("send");
      const rig = yield* openLife({ model: twice, tools: [send, instant("read")], ...gated });
      expect(rig.handle.approvals.list().map(({ call }) => call)).toEqual(["agent/0:1#0", "agent/0:1#1"]);
      for (const approval of rig.handle.approvals.list()) yield* approve(rig, approval);
      yield* finish(rig);
      expect(send.asked).toEqual(["x", "x"]);
    }));
});

describe("an approved call that was read in the meantime", () => {
  const message = "read already";
  const read = ({ args, attended }: GuardInput): boolean => attended().some(({ q }) => q === args.q);
  const guards: readonly [string, ToolGuard][] = [
    ["a keyed guard", dedup("g", ({ q }) => q)],
    ["a predicate", { name: "g", message, reject: read }],
    ["a promised predicate", { name: "g", message, reject: async (input) => read(input) }],
    [
      "a guard that refuses what was read and asks a person about the rest",
      { name: "g", decide: (input) => (read(input) ? refuse(message) : requireApproval("new")) },
    ],
    [
      "a guard that does so and takes its time",
      {
        name: "g",
        decide: async (input) => {
          const known = read(input);
          await null;
          return known ? refuse(message) : requireApproval("new");
        },
      },
    ],
  ];
  for (const [kind, guard] of guards)
    for (const order of [
      [0, 1],
      [1, 0],
    ])
      it(`is refused by ${kind}, on record as both, in whichever order they were approved (${order})`, () =>
        run(function* () {
          const send = held("send", { hooks: { beforeDispatch: [guard] } });
          const rig = yield* openLife({
            model: playing(ask("send", { q: "x" }), report()),
            tools: [send],
            ...gated,
            guards: { g: { scope: "cohort" } },
            orchestrate: parallel(["one", "two"]),
          });
          const list = rig.handle.approvals.list();
          expect(list.map(({ agent }) => agent)).toEqual(["agent/0", "agent/1"]);
          for (const index of order) yield* approve(rig, list[index]!);
          expect(send.running).toHaveLength(1); // the other waits in line
          const loser = `agent/${order[1]}:1#0`;
          send.running[0]!.succeed();
          yield* finish(rig);
          expect(send.calls).toHaveLength(1);
          expect(ofType(rig.events, "approval:decided")).toHaveLength(2);
          expect(ofType(rig.events, "call:refused")).toMatchObject([{ call: loser, guard: "g" }]);
        }));

  it("runs where the equal call before it failed", () =>
    run(function* () {
      const send = held("send", { hooks: { beforeDispatch: [guards[3]![1]] } });
      const rig = yield* openLife({
        model: playing(ask("send", { q: "x" }), report()),
        tools: [send],
        guards: { g: { scope: "cohort" } },
        orchestrate: parallel(["one", "two"]),
      });
      for (const approval of rig.handle.approvals.list()) yield* approve(rig, approval);
      send.running[0]!.fail(new Error("failed"));
      yield* quiet;
      send.running[0]!.succeed();
      yield* finish(rig);
      expect(send.calls).toHaveLength(2);
      expect(ofType(rig.events, "approval:requested")).toHaveLength(2);
    }));
});

describe("a guard that asks for a person only once something was read", () => {
  const second: ToolGuard = {
    name: "second",
    tools: ["send"],
    decide: ({ attended }) => (attended().length > 0 ? requireApproval("one was sent already") : undefined),
  };
  const step = asks(["send", { q: "a" }], ["send", { q: "b" }]);

  it("is heard of two calls side by side: the later waits for the earlier, and then for the person", () =>
    run(function* () {
      const send = held("send", { hooks: { beforeDispatch: [second] } });
      const rig = yield* openLife({ model: playing(step, report()), tools: [send] });
      expect(send.running.map(({ q }) => q)).toEqual(["a"]);
      expect(rig.handle.approvals.list()).toEqual([]);
      send.held("a").succeed();
      yield* quiet;
      expect(send.running).toEqual([]);
      expect(waiting(rig)).toMatchObject({ args: { q: "b" }, reason: "one was sent already" });
      expect(rig.handle.inspect()).toMatchObject({ agents: { parked: 1 } });
      yield* approve(rig, waiting(rig));
      send.held("b").succeed();
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ toolCallCount: 2, attendedCount: 2 });
    }));

  it("is heard of two agents in the cohort: the later runs unasked where the earlier failed", () =>
    run(function* () {
      const send = held("send", { hooks: { beforeDispatch: [second] } });
      const rig = yield* openLife({
        model: playing(ask("send", { q: "x" }), report()),
        tools: [send],
        guards: { second: { scope: "cohort" } },
        orchestrate: parallel(["one", "two"]),
      });
      send.held("x").fail(new Error("failed"));
      yield* quiet;
      send.held("x").succeed();
      yield* finish(rig);
      expect(ofType(rig.events, "approval:requested")).toEqual([]);
      expect(send.calls).toHaveLength(2);
    }));

  it("denied in line is a refusal; nothing ran, and those behind go on", () =>
    run(function* () {
      const send = held("send", { hooks: { beforeDispatch: [second] } });
      const model = playing(step, report());
      const rig = yield* openLife({ model, tools: [send] });
      send.held("a").succeed();
      yield* quiet;
      yield* deny(rig, waiting(rig), "one is enough");
      const { agents } = yield* finish(rig);
      expect(send.calls).toHaveLength(1);
      expect(shownIn(model, 2)[1]).toMatchObject({ value: expect.stringContaining("one is enough") });
      expect(agents[0]).toMatchObject({ toolCallCount: 1, refusals: [{ guard: "approval" }] });
    }));

  it("is withdrawn in line when the run winds down", () =>
    run(function* () {
      const send = held("send", { hooks: { beforeDispatch: [second] } });
      const rig = yield* openLife({ model: playing(step, report()), tools: [send] });
      send.held("a").succeed();
      yield* quiet;
      rig.handle.windDown();
      yield* finish(rig);
      expect(send.calls).toHaveLength(1);
      expect(ofType(rig.events, "approval:void")).toHaveLength(1);
      expect(ofType(rig.events, "call:withdrawn")).toMatchObject([{ call: "agent/0:1#1" }]);
    }));
});

describe("once a person let a call run", () => {
  it("no substitute takes its place, also of a guard that thinks of it only then", () =>
    run(function* () {
      let late = false;
      const send = instant("send");
      const rig = yield* openLife({
        model: once("send"),
        tools: [send],
        ...gated,
        policy: ({ tool, attended }) => {
          attended();
          return tool === "send" && late ? substitute("canned") : undefined;
        },
      });
      late = true;
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
      expect(send.asked).toEqual(["x"]);
      expect(ofType(rig.events, "hook:warning")).toMatchObject([{ hook: "policy", value: "canned" }]);
    }));
});
