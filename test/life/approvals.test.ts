import { createHash } from "node:crypto";
import {
  type Approval,
  type Approvals,
  canonicalJson,
  parallel,
  reportTool,
  ToolRetryError,
} from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../packages/core/src/decisions/digest.ts";
import { ask, asks, casting, finish, instant, ofType, playing, quiet, report } from "../scenarios/support.ts";
import { answering, approve, deny, gated, lifeOf, once, openLife, shownIn, waiting } from "./support.ts";

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
