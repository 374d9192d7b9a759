import { createHash } from "node:crypto";
import {
  AnswerError,
  type Approval,
  type Approvals,
  agentPool,
  canonicalJson,
  dedup,
  type GuardInput,
  type PoolEvent,
  type PoolHandle,
  type PoolRun,
  parallel,
  refuse,
  reportTool,
  requireApproval,
  runPool,
  substitute,
  type ToolGuard,
  ToolRetryError,
  useAgentPool,
} from "@agentpool/core";
import { run } from "effection";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../packages/core/src/decisions/digest.ts";
import {
  ask,
  asks,
  casting,
  finish,
  held,
  instant,
  lastShown,
  leftovers,
  ofType,
  playing,
  quiet,
  report,
  unanswered,
} from "../scenarios/support.ts";
import { approve, deny, lifeOf, once, openLife, playLife, shownIn, waiting, waitingFor } from "./support.ts";

const gated = { requireApproval: ["send"] } as const;

/** What an act of answering throws. */
function answering(act: () => void): AnswerError {
  try {
    act();
  } catch (error) {
    if (error instanceof AnswerError) return error;
    throw error;
  }
  throw new Error("it was taken");
}

describe("an approval", () => {
  it("shows what it is about, and the event shows the same", () =>
    run(function* () {
      const rig = yield* openLife({
        model: once("send", { q: "x" }),
        tools: [instant("send")],
        run: "r",
        ...gated,
      });
      const approval = waiting(rig);
      expect(approval).toEqual({
        id: expect.any(String),
        agent: "agent/0",
        call: "agent/0:1#0",
        tool: "send",
        identity: "local:send",
        args: { q: "x" },
        digest: createHash("sha256")
          .update(`local:send\n${canonicalJson({ q: "x" })}`)
          .digest("hex"),
        reason: expect.stringMatching(/\w/),
      });
      expect(ofType(rig.events, "approval:requested")).toMatchObject([
        { run: "r", agent: "agent/0", call: "agent/0:1#0", approval },
      ]);
      yield* approve(rig, approval);
      yield* finish(rig);
    }));

  it("approved lets its call run, and the agent goes on as if nothing had been", () =>
    run(function* () {
      const send = instant("send");
      const model = once("send");
      const rig = yield* openLife({ model, tools: [send], ...gated });
      expect(send.asked).toEqual([]);
      yield* approve(rig, waiting(rig));
      const { agents } = yield* finish(rig);
      expect(send.asked).toEqual(["x"]);
      expect(shownIn(model, 2)).toMatchObject([{ type: "json", value: { answer: "x" } }]);
      expect(agents[0]).toMatchObject({
        exit: "returned",
        turns: 2,
        toolCallCount: 1,
        attendedCount: 1,
        refusals: [],
      });
    }));

  it("denied with a reason is a refusal whose reason the model reads", () =>
    run(function* () {
      const send = instant("send");
      const model = once("send");
      const rig = yield* openLife({ model, tools: [send], ...gated });
      yield* deny(rig, waiting(rig), "ask legal first");
      const { agents } = yield* finish(rig);
      expect(send.asked).toEqual([]);
      expect(shownIn(model, 2)).toMatchObject([
        {
          type: "error-text",
          value: expect.stringMatching(/approval, which was refused: ask legal first\. Go on/),
        },
      ]);
      expect(agents[0]).toMatchObject({
        exit: "returned",
        toolCallCount: 0,
        refusals: [{ tool: "send", guard: "approval", message: expect.stringContaining("ask legal first") }],
      });
    }));

  it("denied without a reason says plainly that the approval was refused", () =>
    run(function* () {
      const model = once("send");
      const rig = yield* openLife({ model, tools: [instant("send")], ...gated });
      yield* deny(rig, waiting(rig));
      yield* finish(rig);
      expect(shownIn(model, 2)[0]!.value).toMatch(/it needs a person's approval, which was refused\. /);
    }));

  it("is waited for parked: no turn, no permit, no token, whatever the time", () =>
    run(function* () {
      const rig = yield* openLife({ model: once("send"), tools: [instant("send")], ...gated });
      rig.clock.advance(30 * 24 * 3_600_000);
      yield* quiet;
      expect(rig.handle.inspect()).toMatchObject({
        agents: { parked: 1 },
        parked: 1,
        inLine: 0,
        permits: { tools: 0, generations: 0 },
      });
      expect(rig.clock.pending).toBe(0);
      yield* approve(rig, waiting(rig));
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ turns: 2, parks: 1 });
    }));

  it("has each of its events once, in order", () =>
    run(function* () {
      const rig = yield* openLife({ model: once("send"), tools: [instant("send")], ...gated });
      const { id } = waiting(rig);
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
      expect(lifeOf(rig.events, "agent/0:1#0")).toEqual([
        "call:proposed",
        "approval:requested",
        "call:parked",
        "call:resumed",
        "approval:decided",
        "call:dispatched",
        "call:settled",
        "call:admitted",
      ]);
      expect(ofType(rig.events, "call:parked")).toMatchObject([{ reason: "approval" }]);
      expect(ofType(rig.events, "approval:decided")).toMatchObject([
        { approval: id, decision: { type: "approved" }, agent: "agent/0" },
      ]);
    }));

  it("is there to be decided from the moment its event is seen, also by who decides on the spot", () =>
    run(function* () {
      const send = instant("send");
      let approvals: Approvals | undefined;
      const rig = yield* openLife({
        model: casting({ a: [{ wait: 10, ...ask("send", { q: "x" }) }, report()] }),
        tools: [send],
        ...gated,
        orchestrate: parallel([{ task: "a", key: "a" }]),
        onEvent: (event) => {
          if (event.type === "approval:requested") approvals?.approve(event.approval.id);
        },
      });
      approvals = rig.handle.approvals;
      yield* finish(rig);
      expect(send.asked).toEqual(["x"]);
    }));

  it("is one per call: several are listed oldest first, over all agents", () =>
    run(function* () {
      const rig = yield* openLife({
        model: casting({
          a: [{ wait: 20, ...asks(["send", { q: "a1" }], ["send", { q: "a2" }]) }, report()],
          b: [{ wait: 10, ...ask("send", { q: "b" }) }, report()],
        }),
        tools: [instant("send")],
        ...gated,
        orchestrate: parallel([
          { task: "a", key: "a" },
          { task: "b", key: "b" },
        ]),
      });
      rig.clock.advance(20);
      yield* quiet;
      expect(rig.handle.approvals.list().map(({ args }) => args.q)).toEqual(["b", "a1", "a2"]);
      for (const approval of rig.handle.approvals.list()) yield* approve(rig, approval);
      yield* finish(rig);
    }));

  for (const [first, act] of [
    ["approved", (approvals: Approvals, id: string) => approvals.approve(id)],
    ["denied", (approvals: Approvals, id: string) => approvals.deny(id, "first")],
  ] as const)
    it(`${first} stands: later decisions are typed errors and change nothing`, () =>
      run(function* () {
        const send = instant("send");
        const model = once("send");
        const rig = yield* openLife({ model, tools: [send], ...gated });
        const { id } = waiting(rig);
        const { approvals } = rig.handle;
        act(approvals, id);
        for (const late of [() => approvals.approve(id), () => approvals.deny(id, "second")])
          expect(answering(late)).toMatchObject({
            problem: "answered",
            message: expect.stringContaining(id),
          });
        yield* finish(rig);
        expect(send.asked).toEqual(first === "approved" ? ["x"] : []);
        expect(ofType(rig.events, "approval:decided")).toMatchObject([{ decision: { type: first } }]);
        expect(answering(() => approvals.deny(id))).toMatchObject({ problem: "answered" });
      }));

  it("that there is not is a typed error that names the nearest", () =>
    run(function* () {
      const rig = yield* openLife({ model: once("send"), tools: [instant("send")], ...gated });
      const { id } = waiting(rig);
      const { approvals } = rig.handle;
      const error = answering(() => approvals.approve(`${id.slice(0, -1)}~`));
      expect(error).toMatchObject({
        problem: "unknown",
        message: expect.stringContaining(`did you mean "${id}"`),
      });
      expect(approvals.list()).toHaveLength(1);
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
    }));
});

describe("A1: an approval binds to call, tool identity and arguments", () => {
  const asked = function* (options: Parameters<typeof openLife>[0]) {
    const rig = yield* openLife(options);
    const list = rig.handle.approvals.list();
    for (const approval of list) yield* approve(rig, approval);
    yield* finish(rig);
    return list;
  };
  const digestsOf = (list: readonly Approval[]): string[] => list.map(({ digest }) => digest);

  it("A1: other arguments and another tool have another digest; the order of keys makes no difference", () =>
    run(function* () {
      const list = yield* asked({
        model: playing(
          asks(
            ["send", '{"q":"x","r":1}'],
            ["send", '{"r":1,"q":"x"}'],
            ["send", '{"q":"y","r":1}'],
            ["post", '{"q":"x","r":1}'],
          ),
          report(),
        ),
        tools: [instant("send"), instant("post")].map((tool) => ({
          ...tool,
          parameters: { type: "object", properties: { q: { type: "string" }, r: { type: "number" } } },
        })),
        requireApproval: ["send", "post"],
      });
      const [one, same, other, tool] = digestsOf(list);
      expect(same).toBe(one);
      expect(new Set([one, other, tool]).size).toBe(3);
      expect(new Set(list.map(({ id }) => id)).size).toBe(4);
    }));

  it("A1: arguments that differ in white space, line ends or letters' forms are other arguments", () => {
    const of = (text: string): string => digestOf("local:run", { text });
    const texts = ["a b", "a  b", "a\nb", " a b", "\u00e9", "e\u0301"];
    expect(new Set(texts.map(of)).size).toBe(texts.length);
    expect(digestOf("local:run", { a: 1, b: { c: 2, d: [1, 2] } })).toBe(
      digestOf("local:run", { b: { d: [1, 2], c: 2 }, a: 1 }),
    );
    expect(digestOf("local:run", { list: [1, 2] })).not.toBe(digestOf("local:run", { list: [2, 1] }));
  });

  it("A1: what is shown cannot be changed: the call runs as it was approved", () =>
    run(function* () {
      const ran: unknown[] = [];
      const rig = yield* openLife({
        model: once("send", { to: ["a"] }),
        tools: [
          {
            name: "send",
            description: "Sends.",
            parameters: { type: "object", properties: { to: { type: "array", items: { type: "string" } } } },
            execute: (args) => ran.push(args),
          },
        ],
        ...gated,
      });
      const approval = waiting(rig);
      const tampering: (() => void)[] = [
        () => (approval.args.to as string[]).push("mallory"),
        () => Object.assign(approval.args, { to: ["mallory"] }),
        () => Object.assign(approval, { args: { to: ["mallory"] }, identity: "local:other" }),
      ];
      for (const tamper of tampering)
        try {
          tamper();
        } catch {}
      yield* approve(rig, approval);
      yield* finish(rig);
      expect(ran).toEqual([{ to: ["a"] }]);
    }));

  it("A1: a call proposed again after it was approved and ran is asked about again", () =>
    run(function* () {
      const rig = yield* openLife({
        model: playing(ask("send", { q: "x" }), ask("send", { q: "x" }), report()),
        tools: [instant("send")],
        ...gated,
      });
      const first = waiting(rig);
      yield* approve(rig, first);
      const second = waiting(rig);
      expect(second).toMatchObject({ digest: first.digest, call: "agent/0:2#0" });
      expect(second.id).not.toBe(first.id);
      yield* deny(rig, second);
      yield* finish(rig);
    }));

  it("A1: approved, a call that is retried is not asked about again", () =>
    run(function* () {
      let attempts = 0;
      const rig = yield* openLife({
        model: once("send"),
        tools: [
          instant("send", {
            execute: () => {
              if (attempts++ === 0) throw new ToolRetryError("busy", 50);
              return "sent";
            },
          }),
        ],
        ...gated,
      });
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
      expect(attempts).toBe(2);
      expect(ofType(rig.events, "approval:requested")).toHaveLength(1);
    }));

  it("A1: a tool served under another name is asked about by its identity", () =>
    run(function* () {
      const alias = instant("dispatch_mail", { source: "mcp", identity: "mcp:mail/send" });
      for (const pattern of ["mcp:mail/send", "mcp:mail/*", "mcp:*", "*send"]) {
        const rig = yield* openLife({
          model: once("dispatch_mail"),
          tools: [alias],
          requireApproval: [pattern],
          terminal: reportTool,
        });
        expect(waiting(rig)).toMatchObject({ tool: "dispatch_mail", identity: "mcp:mail/send" });
        yield* deny(rig, waiting(rig));
        yield* finish(rig);
      }
      expect(alias.asked).toEqual([]);
    }));
});

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

describe("winding down", () => {
  it("withdraws a call that waits for a person: the model reads why, the approval is void, the agent reports", () =>
    run(function* () {
      const send = instant("send");
      const model = playing(ask("send", { q: "x" }), report("what I have"));
      const rig = yield* openLife({ model, tools: [send], ...gated });
      const { id } = waiting(rig);
      rig.handle.windDown();
      yield* quiet;
      expect(rig.handle.approvals.list()).toEqual([]);
      expect(answering(() => rig.handle.approvals.approve(id)).problem).toBe("unknown");
      const { agents } = yield* finish(rig);
      expect(send.asked).toEqual([]);
      expect(agents[0]).toMatchObject({ exit: "cancelled", result: "what I have", toolCallCount: 0 });
      expect(shownIn(model, 2)).toMatchObject([
        { type: "error-text", value: expect.stringContaining("brought to an end") },
      ]);
      expect(ofType(rig.events, "approval:void")).toMatchObject([{ approval: id, call: "agent/0:1#0" }]);
      expect(ofType(rig.events, "call:withdrawn")).toHaveLength(1);
    }));

  it("withdraws all of them at once, in every agent of the tree", () =>
    run(function* () {
      const rig = yield* openLife({
        model: casting({
          a: [asks(["send", { q: "1" }], ["send", { q: "2" }]), report()],
          b: [ask("delegate"), report()],
          nested: [ask("send", { q: "3" }), report()],
        }),
        tools: [
          instant("send"),
          instant("delegate", {
            *execute() {
              return (yield* agentPool({ orchestrate: parallel(["nested"]) })).agents.length;
            },
          }),
        ],
        ...gated,
        orchestrate: parallel([
          { task: "a", key: "a" },
          { task: "b", key: "b" },
        ]),
      });
      expect(rig.handle.approvals.list()).toHaveLength(3);
      rig.handle.windDown();
      yield* finish(rig);
      expect(ofType(rig.events, "approval:void")).toHaveLength(3);
    }));

  it("asks nobody from then on: what would need a person is withdrawn", () =>
    run(function* () {
      const [send, slow] = [instant("send"), held("slow")];
      const rig = yield* openLife({
        model: playing(asks(["slow", { q: "s" }]), report()),
        tools: [send, slow],
        ...gated,
      });
      rig.handle.windDown();
      slow.held("s").succeed();
      yield* finish(rig);
      expect(ofType(rig.events, "approval:requested")).toEqual([]);
    }));
});

describe("cancelling or halting while a person is asked", () => {
  it("a cancelled agent takes its approvals with it: they are void, and nothing is left", () =>
    run(function* () {
      const send = instant("send");
      const rig = yield* openLife({
        model: playing(asks(["send", { q: "1" }], ["send", { q: "2" }]), report()),
        tools: [send],
        ...gated,
      });
      const ids = rig.handle.approvals.list().map(({ id }) => id);
      yield* rig.handle.cancel("agent/0");
      expect(rig.handle.approvals.list()).toEqual([]);
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ exit: "cancelled" });
      expect(send.asked).toEqual([]);
      expect(
        ofType(rig.events, "approval:void")
          .map(({ approval }) => approval)
          .toSorted(),
      ).toEqual(ids.toSorted());
      for (const id of ids) expect(answering(() => rig.handle.approvals.approve(id)).problem).toBe("unknown");
      expect(leftovers(rig)).toEqual([]);
    }));

  it("a halted run leaves nothing: no tool starts, no decision is taken", async () => {
    const send = instant("send");
    // its scope ends with it
    const rig = await run(function* () {
      const opened = yield* openLife({ model: once("send"), tools: [send], ...gated });
      expect(opened.handle.approvals.list()).toHaveLength(1);
      return opened;
    });
    expect(rig.handle.approvals.list()).toEqual([]);
    expect(leftovers(rig)).toEqual([]);
    expect(send.asked).toEqual([]);
    expect(ofType(rig.events, "approval:void")).toHaveLength(1);
  });

  it("a decision in the same instant as a cancel starts nothing", () =>
    run(function* () {
      const send = instant("send");
      const rig = yield* openLife({ model: once("send"), tools: [send], ...gated });
      rig.handle.approvals.approve(waiting(rig).id);
      yield* rig.handle.cancel("agent/0");
      yield* finish(rig);
      expect(send.asked).toEqual([]);
    }));

  it("approved while the run is paused, the call waits for it to go on", () =>
    run(function* () {
      const send = instant("send");
      const rig = yield* openLife({ model: once("send"), tools: [send], ...gated });
      rig.handle.pause();
      yield* approve(rig, waiting(rig));
      expect(send.asked).toEqual([]);
      rig.handle.resume();
      yield* finish(rig);
      expect(send.asked).toEqual(["x"]);
    }));
});

describe("a terminal call that needs a person", () => {
  const needing = [
    ["by a static list", { requireApproval: ["report"] }],
    [
      "by a guard",
      {
        policy: ({ tool }: GuardInput) =>
          tool === "report" ? requireApproval("reports are read first") : undefined,
      },
    ],
  ] as const;
  for (const [how, options] of needing) {
    it(`${how} ends its agent once approved`, () =>
      run(function* () {
        const rig = yield* openLife({
          model: playing(report("done")),
          tools: [instant("search")],
          ...options,
        });
        expect(waiting(rig)).toMatchObject({ tool: "report", args: { result: "done" } });
        yield* approve(rig, waiting(rig));
        const { agents } = yield* finish(rig);
        expect(agents[0]).toMatchObject({ exit: "returned", result: "done" });
      }));

    it(`${how} does not end it where it is denied: the model reads why, and goes on`, () =>
      run(function* () {
        const model = playing(report("early"), ask("search"), report("better"));
        const rig = yield* openLife({ model, tools: [instant("search")], ...options });
        yield* deny(rig, waiting(rig), "say more");
        expect(shownIn(model, 2)).toMatchObject([
          { tool: "report", value: expect.stringContaining("say more") },
        ]);
        yield* approve(rig, waiting(rig));
        const { agents } = yield* finish(rig);
        expect(agents[0]).toMatchObject({ exit: "returned", result: "better" });
        expect(agents[0]!.refusals).toMatchObject([{ tool: "report", guard: "approval" }]);
      }));
  }

  it("is asked about after the other calls of its turn have settled", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* openLife({
        model: playing(asks(["report", { result: "done" }], ["search", { q: "s" }])),
        tools: [search],
        requireApproval: ["report"],
      });
      expect(rig.handle.approvals.list()).toEqual([]);
      search.held("s").succeed();
      yield* quiet;
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
    }));

  it("is not run by a forced report, at which nobody can be asked: the agent says in words what it has", () =>
    run(function* () {
      const ran: unknown[] = [];
      const model = playing(ask("search"), { text: "in words" });
      const { result } = yield* playLife({
        model,
        tools: [instant("search")],
        terminal: { ...reportTool, execute: (args) => ran.push(args) },
        requireApproval: ["report"],
        budget: { maxTurns: 1 },
      });
      expect(ran).toEqual([]);
      expect(result.agents[0]).toMatchObject({ exit: "max_turns", result: "in words" });
    }));
});

describe("runPool", () => {
  it("offers the approvals to those who write async and await", async () => {
    const send = instant("send");
    const pool = runPool({
      model: playing(asks(["send", { q: "a" }], ["send", { q: "b" }]), report()),
      tools: [send],
      terminal: reportTool,
      orchestrate: parallel(["look"]),
      ...gated,
    });
    const seen: PoolEvent[] = [];
    for await (const event of pool) {
      seen.push(event);
      if (event.type !== "approval:requested") continue;
      const { id, args } = event.approval;
      expect(pool.approvals.list().map((approval) => approval.id)).toContain(id);
      if (args.q === "a") pool.approvals.approve(id);
      else pool.approvals.deny(id, "not b");
    }
    const { agents } = await pool;
    expect(send.asked).toEqual(["a"]);
    expect(agents[0]!.refusals).toMatchObject([{ guard: "approval" }]);
    expect(pool.approvals.list()).toEqual([]);
  });
});
