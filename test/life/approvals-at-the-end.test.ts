import {
  agentPool,
  type GuardInput,
  type PoolEvent,
  parallel,
  reportTool,
  requireApproval,
  runPool,
} from "@agentpool/core";
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
} from "../scenarios/support.ts";
import { answering, approve, deny, gated, once, openLife, playLife, shownIn, waiting } from "./support.ts";

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
