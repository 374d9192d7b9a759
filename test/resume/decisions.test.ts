import {
  type ApprovalDecision,
  delegate,
  isEvent,
  type JournalEntry,
  type PoolEvent,
  parallel,
  requireApproval,
  type ToolLifecycleHooks,
} from "@agentpool/core";
import { run, suspend } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ask,
  asks,
  casting,
  finish,
  held,
  instant,
  lastShown,
  ofType,
  playing,
  quiet,
  type RigOptions,
  report,
  textOf,
} from "../scenarios/support.ts";
import { crash, on, pool, resume, since, takeUp } from "./support.ts";

const events = (entries: readonly JournalEntry[]): PoolEvent[] => entries.filter(isEvent);

describe("what was decided before a run is taken up", () => {
  it("stands: no hook is asked again at any moment whose answer is on record", () =>
    run(function* () {
      const script = [
        { reasoning: "Hasty.", ...ask("find", { q: "bad" }) },
        asks(["find", { q: "a" }], ["look", { q: "b" }]),
        { text: "Is that enough?" },
        ask("wait"),
        report("done"),
      ];
      const log: string[] = [];
      const hooks = (): ToolLifecycleHooks => ({
        name: "harness",
        onRoute: ({ turn }) => {
          log.push(`route ${turn}`);
          return { type: "tools", names: ["find", "look", "wait"] };
        },
        beforeTurn: ({ turn }) => {
          log.push(`instruct ${turn}`);
          return { type: "instruct", text: `This is turn ${turn}.` };
        },
        rewrite: ({ call }) => {
          log.push(`rewrite ${call.id}`);
          return call.tool === "look"
            ? { type: "rewrite", tool: "find", args: { q: "B" }, mode: "replace" }
            : undefined;
        },
        beforeDispatch: [
          {
            name: "watch",
            decide: ({ call }) => {
              log.push(`guard ${call.id}`);
              return undefined;
            },
          },
        ],
        onPropose: ({ turn, attempt, calls }) => {
          log.push(`propose ${turn}.${attempt}`);
          if (calls.some(({ args }) => args.q === "bad")) return { type: "restart", reasoning: "Slowly." };
          return turn === 1 ? { type: "proceed", todo: "Say thanks." } : undefined;
        },
        afterExecute: ({ call }) => {
          log.push(`execute ${call.id}`);
          return undefined;
        },
        afterAdmit: ({ call }) => {
          log.push(`admit ${call.id}`);
          return { type: "followUp", message: `Noted ${call.id}.` };
        },
        onReturn: ({ exit }) => {
          log.push(`return ${exit}`);
          return exit === "text" ? { type: "reject", message: "Wait first." } : undefined;
        },
      });
      const tools = (wait: RigOptions["tools"]) => [instant("find"), instant("look"), ...wait!];
      const entries = yield* crash(
        pool({
          model: playing(...script),
          tools: tools([held("wait", { idempotent: true })]),
          hooks: [hooks()],
        }),
        on("call:dispatched", "agent/0:3#0"),
      );
      const before = log.splice(0);
      expect(before).toContain("return text");
      const model = playing(...script);
      const { result } = yield* resume(
        pool({ model, tools: tools([instant("wait", { idempotent: true })]), hooks: [hooks()] }),
        entries,
      );
      expect(log).toEqual([
        "execute agent/0:3#0",
        "admit agent/0:3#0",
        "instruct 4",
        "route 4",
        "rewrite agent/0:4#0",
        "guard agent/0:4#0",
        "return returned",
      ]);
      const shown = textOf(model.requestsOf("agent/0").at(-1)!.messages);
      for (const said of ["This is turn 1.", "Slowly.", "Say thanks.", "Noted agent/0:1.1#0.", "Wait first."])
        expect([said, shown.split(said).length]).toEqual([said, 2]);
      expect(shown).not.toContain("bad");
      expect(result.agents[0]).toMatchObject({ result: "done", turns: 4, toolCallCount: 3 });
    }));

  it("a step that was sent back counts against whoever sent it back", () =>
    run(function* () {
      const script = [ask("find", { q: "1" }), ask("find", { q: "2" }), ask("find", { q: "3" }), report()];
      const restarts: number[] = [];
      const hook: ToolLifecycleHooks = {
        name: "picky",
        restarts: 2,
        onPropose: (input) => {
          restarts.push(input.restarts);
          return { type: "restart", reasoning: "No." };
        },
      };
      const options = () => pool({ model: playing(...script), tools: [instant("find")], hooks: [hook] });
      const entries = yield* crash(
        options(),
        (event) => event.type === "turn:restarted" && event.attempt === 1,
      );
      restarts.length = 0;
      const { result } = yield* resume(options(), entries);
      expect(restarts).toEqual([2]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "limit" }]);
    }));
});

describe("an approval of a run that is taken up", () => {
  const script = [ask("send", { q: "a" }), report()];
  const asking = (log: string[] = []): ToolLifecycleHooks => ({
    beforeDispatch: [
      {
        name: "careful",
        tools: ["send"],
        decide: ({ call }) => {
          log.push(call.id);
          return requireApproval("It is a letter.");
        },
      },
    ],
  });
  const options = (log?: string[]) =>
    pool({ model: playing(...script), tools: [instant("send")], hooks: [asking(log)] });

  it("A5: waits again, and nobody is asked a second time: neither the person nor who asked for one", () =>
    run(function* () {
      const entries = yield* crash(options(), on("approval:requested"));
      const log: string[] = [];
      const rig = yield* takeUp(options(log), entries);
      expect(ofType(since(rig.events), "approval:requested")).toMatchObject([{ again: true }]);
      expect(ofType(events(rig.journal.entries), "approval:requested")).toHaveLength(1);
      const [approval] = rig.handle.approvals.list();
      expect(approval).toMatchObject({ call: "agent/0:1#0", reason: "It is a letter." });
      rig.handle.approvals.approve(approval!.id);
      const result = yield* finish(rig);
      expect(log).toEqual([]);
      expect(result.agents[0]).toMatchObject({ toolCallCount: 1, parks: 1 });
    }));

  it.each<[string, ApprovalDecision, unknown]>([
    ["approved", { type: "approved" }, { answer: "a" }],
    ["refused", { type: "denied", reason: "Not today." }, expect.stringContaining("Not today.")],
  ])("is found where it was %s while no process had the run", (_, decision, said) =>
    run(function* () {
      const entries = yield* crash(options(), on("approval:requested"));
      const { approval, agent, call } = ofType(events(entries), "approval:requested")[0]!;
      const model = playing(...script);
      const { result } = yield* resume(pool({ ...options(), model }), [
        ...entries,
        { type: "approval:decided", run: "r", at: 5, agent, call, approval: approval.id, decision },
      ]);
      expect(lastShown(model, "agent/0")[0]!.value).toEqual(said);
      expect(result.agents[0]!.exit).toBe("returned");
    }),
  );

  it("is decided from elsewhere, also before its call waits", () =>
    run(function* () {
      const entries = yield* crash(options(), on("turn:completed"));
      const whole = yield* crash(options(), on("approval:requested"));
      const { id } = ofType(events(whole), "approval:requested")[0]!.approval;
      const { journal, result } = yield* resume(options(), entries, {
        *decisions(decide) {
          decide(id, { type: "approved" });
          decide(id, { type: "denied" });
          yield* suspend();
        },
      });
      expect(ofType(events(journal.entries), "approval:requested")).toHaveLength(1);
      expect(
        ofType(events(journal.entries), "approval:decided").map(({ decision }) => decision.type),
      ).toEqual(["approved"]);
      expect(result.agents[0]!.toolCallCount).toBe(1);
    }));

  it("goes by the decision that stands, should another process have been first", () =>
    run(function* () {
      const rig = yield* takeUp(options(), [], {
        decide: () => ({ type: "denied", reason: "I was first." }),
      });
      rig.handle.approvals.approve(rig.handle.approvals.list()[0]!.id);
      const result = yield* finish(rig);
      expect(ofType(rig.events, "approval:decided")).toMatchObject([{ decision: { type: "denied" } }]);
      expect(result.agents[0]!.toolCallCount).toBe(0);
    }));

  it("is void where the call is not what it was about", () =>
    run(function* () {
      const entries = yield* crash(options(), on("approval:requested"));
      const { approval, agent, call } = ofType(events(entries), "approval:requested")[0]!;
      const decided = {
        ...({ type: "approval:decided", run: "r", at: 5, agent, call, approval: approval.id } as const),
        decision: { type: "approved" } as const,
      };
      // the same tool takes other arguments now, and fills in what the model did not say
      const send = {
        ...instant("send"),
        parameters: z.object({ q: z.string(), copy: z.boolean().default(true) }),
      };
      const rig = yield* takeUp({ ...options(), tools: [send] }, [...entries, decided], { force: true });
      expect(ofType(since(rig.events), "approval:void").map((event) => event.approval)).toEqual([
        approval.id,
      ]);
      expect(rig.handle.approvals.list().map(({ args }) => args)).toEqual([{ q: "a", copy: true }]);
    }));

  it("of several is asked about one by one, whatever was decided before", () =>
    run(function* () {
      const both = [asks(["send", { q: "a" }], ["send", { q: "b" }]), report()];
      const make = () => pool({ model: playing(...both), tools: [instant("send")], hooks: [asking()] });
      const entries = yield* crash(make(), on("approval:decided"), function* ({ handle }) {
        handle.approvals.deny(handle.approvals.list()[0]!.id, "No a.");
      });
      const model = playing(...both);
      const rig = yield* takeUp({ ...make(), model }, entries);
      expect(rig.handle.approvals.list().map(({ args }) => args.q)).toEqual(["b"]);
      rig.handle.approvals.approve(rig.handle.approvals.list()[0]!.id);
      yield* finish(rig);
      expect(lastShown(model, "agent/0").map(({ type }) => type)).toEqual(["error-text", "json"]);
    }));

  it("of a helper of a helper waits in its owner", () =>
    run(function* () {
      const cast = () =>
        casting({
          "agent/0": [ask("delegate", { tasks: ["one"] }), report("all")],
          "agent/0:1#0~0/0": [ask("send", { q: "deep" }), report("sent")],
        });
      const make = () => pool({ model: cast(), tools: [instant("send"), delegate()], hooks: [asking()] });
      const entries = yield* crash(make(), on("approval:requested", "agent/0:1#0~0/0"));
      const rig = yield* takeUp(make(), entries);
      expect(rig.handle.approvals.list()).toMatchObject([{ agent: "agent/0:1#0~0/0" }]);
      rig.handle.approvals.approve(rig.handle.approvals.list()[0]!.id);
      expect((yield* finish(rig)).agents[0]!.result).toBe("all");
    }));
});

describe("a run whose agents all wait for people", () => {
  it("says so once nothing else is going on, with all that they wait for", () =>
    run(function* () {
      const parts = {
        "0": [asks(["send", { q: "a" }], ["send", { q: "b" }]), report()],
        "1": [ask("slow"), ask("pick"), report()],
      };
      const slow = held("slow");
      const rig = yield* takeUp(
        pool({
          model: casting(parts),
          tools: [instant("send"), slow, instant("pick", { target: "client" })],
          requireApproval: ["send"],
          orchestrate: parallel(["a", "b"]),
        }),
        [],
      );
      expect(ofType(rig.events, "pool:waiting")).toEqual([]);
      slow.running[0]!.succeed();
      yield* quiet;
      const waiting = ofType(rig.events, "pool:waiting");
      expect(waiting).toHaveLength(1);
      expect(waiting[0]).toMatchObject({ pool: "agent", calls: ["agent/1:2#0"] });
      expect(waiting[0]!.approvals).toHaveLength(2);
    }));
});
