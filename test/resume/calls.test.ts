import {
  dedup,
  defineTool,
  delegate,
  parallel,
  sleepOn,
  type Tool,
  ToolRetryError,
  useClock,
} from "@agentpool/core";
import { type Operation, run } from "effection";
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
  type Rig,
  report,
} from "../scenarios/support.ts";
import { crash, on, pool, resume, since, takeUp } from "./support.ts";

/** A tool that is busy for so many milliseconds at its first attempt of each call. */
function busy(name: string, afterMs: number): Tool & { readonly attempts: number[] } {
  const attempts: number[] = [];
  const tool = defineTool({
    name,
    description: "Is busy at first.",
    parameters: z.object({}),
    execute: (_, { attempt }) => {
      attempts.push(attempt);
      if (attempt === 0) throw new ToolRetryError("busy", afterMs);
      return "served";
    },
  });
  return Object.assign({ ...tool }, { attempts });
}

describe("a call of a run that is taken up", () => {
  it("A7: does not run again once its outcome is on record", () =>
    run(function* () {
      const script = [ask("send", { q: "a" }), report()];
      const entries = yield* crash(
        pool({ model: playing(...script), tools: [instant("send")] }),
        on("call:settled"),
      );
      const send = instant("send");
      const model = playing(...script);
      yield* resume(pool({ model, tools: [send] }), entries);
      expect(send.asked).toEqual([]);
      expect(lastShown(model, "agent/0")[0]).toMatchObject({ tool: "send", value: { answer: "a" } });
    }));

  it("A7: does not run again where nobody knows whether it ran, and the model is told so", () =>
    run(function* () {
      const script = [ask("send", { q: "a" }), report()];
      const entries = yield* crash(
        pool({ model: playing(...script), tools: [held("send")] }),
        on("call:dispatched"),
      );
      const send = instant("send");
      const model = playing(...script);
      const { result, journal } = yield* resume(pool({ model, tools: [send] }), entries);
      expect(send.asked).toEqual([]);
      expect(lastShown(model, "agent/0")[0]!.value).toMatch(/not known whether send ran/);
      expect(result.agents[0]).toMatchObject({ toolCallCount: 1, attendedCount: 0 });
      // and that it is not known stands
      const again = yield* resume(pool({ model: playing(...script), tools: [send] }), journal.entries);
      expect(since(again.events)).toEqual([]);
    }));

  it("A7: runs again with the same key where its tool says that this does no harm", () =>
    run(function* () {
      const script = [ask("find", { q: "a" }), report()];
      const tool = () => held("find", { idempotent: true });
      const entries = yield* crash(
        pool({ model: playing(...script), tools: [tool()] }),
        on("call:dispatched"),
      );
      const find = tool();
      const rig = yield* takeUp(pool({ model: playing(...script), tools: [find] }), entries);
      expect(find.calls.map(({ id, attempt }) => [id, attempt])).toEqual([["agent/0:1#0", 0]]);
      find.held("a").succeed();
      const result = yield* finish(rig);
      expect(result.agents[0]).toMatchObject({ toolCallCount: 1, attendedCount: 1 });
    }));

  it("that had opened a pool goes on in it: helpers that were over are over, the others go on", () =>
    run(function* () {
      const script = {
        "0": [ask("delegate", { tasks: ["one", "two"] }), report("all")],
        one: [report("first")],
        two: [ask("find", { q: "x" }), report("second")],
      };
      const cast = () =>
        casting({ "agent/0": script["0"], "agent/0:1#0~0/0": script.one, "agent/0:1#0~0/1": script.two });
      const options = (find: Tool, model = cast()) => pool({ model, tools: [delegate(), find] });
      const entries = yield* crash(
        options(held("find", { idempotent: true })),
        on("call:dispatched", "agent/0:1#0~0/1:1#0"),
      );
      const model = cast();
      const { result } = yield* resume(options(instant("find", { idempotent: true }), model), entries);
      expect(result.agents[0]).toMatchObject({ result: "all", toolCallCount: 1 });
      expect(lastShown(model, "agent/0")[0]!.value).toMatchObject([
        { result: "first" },
        { result: "second" },
      ]);
      expect(model.requestsOf("agent/0:1#0~0/0")).toEqual([]);
      expect(result.totals).toMatchObject({ agents: 3 });
    }));

  it("waits for its next attempt what is left of its time, and no attempt is given twice", () =>
    run(function* () {
      const script = [ask("fetch"), report()];
      const entries = yield* crash(
        pool({ model: playing(...script), tools: [busy("fetch", 60_000)] }),
        on("call:parked"),
      );
      const fetch = busy("fetch", 60_000);
      const rig = yield* takeUp(pool({ model: playing(...script), tools: [fetch] }), entries);
      rig.clock.advance(59_999);
      yield* quiet;
      expect(fetch.attempts).toEqual([]);
      rig.clock.advance(1);
      const result = yield* finish(rig);
      expect(fetch.attempts).toEqual([1]);
      expect(result.agents[0]).toMatchObject({ parks: 1, toolCallCount: 1, attendedCount: 1 });
      expect(result.totals.parks).toBe(1);
    }));

  it("has had the retries it had, and so has its run", () =>
    run(function* () {
      const script = [asks(["a"], ["b"]), report()];
      const tools = () => [busy("a", 1_000), busy("b", 2_000)];
      const budget = { runRetries: 2, maxToolRetries: 5 };
      const always = (name: string): Tool => ({
        ...busy(name, 0),
        execute: () => {
          throw new ToolRetryError("busy", 1_000);
        },
      });
      const parked = { count: 0 };
      const entries = yield* crash(
        pool({ model: playing(...script), tools: tools(), budget }),
        (event) => event.type === "call:parked" && ++parked.count === 2,
      );
      const model = playing(...script);
      yield* resume(pool({ model, tools: [always("a"), always("b")], budget }), entries);
      expect(lastShown(model, "agent/0").map(({ value }) => value)).toEqual([
        expect.stringContaining("unavailable"),
        expect.stringContaining("unavailable"),
      ]);
    }));

  it("has used up what it used of its deadline", () =>
    run(function* () {
      const script = [ask("slow"), report()];
      const slow = (ms: number): Tool => ({
        ...instant("slow", { timeoutMs: 1_000 }),
        *execute(_, { attempt }) {
          const clock = yield* useClock();
          yield* sleepOn(clock, ms);
          if (attempt === 0) throw new ToolRetryError("busy", 10);
          return "done";
        },
      });
      const entries = yield* crash(
        pool({ model: playing(...script), tools: [slow(700)] }),
        on("call:parked"),
      );
      const model = playing(...script);
      yield* resume(pool({ model, tools: [slow(700)] }), entries);
      expect(lastShown(model, "agent/0")[0]!.value).toMatch(/took longer than its 1000 ms/);
    }));

  it("is in line before anybody starts: an equal call of another agent waits for it", () =>
    run(function* () {
      const parts = {
        "0": [ask("find", { q: "same" }), report()],
        "1": [ask("wait"), ask("find", { q: "same" }), report()],
      };
      const guards = { same: { scope: "cohort" as const } };
      const find = () =>
        held("find", { idempotent: true, hooks: { beforeDispatch: [dedup("same", ({ q }) => q)] } });
      const orchestrate = parallel(["a", "b"]);
      const entries = yield* crash(
        pool({ model: casting(parts), tools: [find(), held("wait")], guards, orchestrate }),
        on("call:dispatched", "agent/0:1#0"),
      );
      const finding = find();
      // the other agent is back first
      const second = ["b", "a"];
      const rig = yield* takeUp(
        pool({
          model: casting(parts),
          tools: [finding, instant("wait")],
          guards,
          *orchestrate(pool) {
            const agents = [];
            for (const task of second)
              agents.push(yield* pool.spawn({ task, key: task === "a" ? "0" : "1" }));
            for (const agent of agents) yield* pool.waitFor(agent);
          },
        }),
        entries,
      );
      expect(finding.calls.map(({ agent }) => agent)).toEqual(["agent/0"]);
      finding.held("same").succeed();
      const result = yield* finish(rig);
      expect(finding.calls).toHaveLength(1);
      expect(result.agents.find(({ key }) => key === "agent/1")!.refusals).toMatchObject([{ guard: "same" }]);
    }));

  it("of a client is asked for again, and goes on with what is submitted", () =>
    run(function* () {
      const script = [ask("pick", { q: "a" }), report()];
      const pick = () => instant("pick", { target: "client" });
      const entries = yield* crash(
        pool({ model: playing(...script), tools: [pick()] }),
        (event) => event.type === "call:parked" && event.reason === "client",
      );
      const model = playing(...script);
      const rig = yield* takeUp(pool({ model, tools: [pick()] }), entries);
      expect(rig.handle.clientCalls().map(({ id }) => id)).toEqual(["agent/0:1#0"]);
      rig.handle.submit({ "agent/0:1#0": { chosen: 1 } });
      const result = yield* finish(rig);
      expect(result.agents[0]).toMatchObject({ toolCallCount: 1, attendedCount: 1, parks: 1 });
      expect(ofType(since(rig.events), "call:dispatched")).toEqual([]);
    }));

  it.each(["approval", "client", "retry"] as const)(
    "that was woken from its wait (%s), and of which nothing more is on record, goes on in the same wait",
    (reason) =>
      run(function* () {
        const script = [ask("act", { q: "a" }), report()];
        const act = (): Tool => {
          const tool = reason === "retry" ? busy("act", 1_000) : instant("act");
          return reason === "client" ? { ...tool, target: "client" } : tool;
        };
        const make = () => {
          const requireApproval = reason === "approval" ? ["act"] : [];
          return pool({ model: playing(...script), tools: [act()], requireApproval });
        };
        function* wake({ clock, handle }: Rig): Operation<void> {
          for (const { id } of handle.approvals.list()) handle.approvals.approve(id);
          handle.submit(Object.fromEntries(handle.clientCalls().map(({ id }) => [id, "picked"])));
          clock.step();
        }
        const entries = yield* crash(make(), on("call:resumed"), wake);
        expect(entries.at(-1)).toMatchObject({ type: "call:resumed", reason });
        const rig = yield* takeUp(make(), entries);
        yield* wake(rig);
        const { agents, totals } = yield* finish(rig);
        expect([agents[0]!.parks, totals.parks, agents[0]!.attendedCount]).toEqual([1, 1, 1]);
      }),
  );

  it("stays refused, cancelled or answered for as it was, whatever guards would say now", () =>
    run(function* () {
      const script = [
        asks(["find", { q: "no" }], ["find", { q: "off" }], ["find", { q: "fake" }]),
        ask("wait"),
        report(),
      ];
      const judge = (answers: { readonly [q: string]: unknown }) => ({
        beforeDispatch: [
          {
            name: "judge",
            decide: ({ args }: { args: { q?: unknown } }) => answers[String(args.q)] as never,
          },
        ],
      });
      const answers = {
        no: { type: "refuse", message: "No." },
        off: { type: "cancel", message: "Off." },
        fake: { type: "substitute", result: "made up" },
      };
      const entries = yield* crash(
        pool({ model: playing(...script), tools: [instant("find"), held("wait")], hooks: [judge(answers)] }),
        on("call:dispatched"),
      );
      const find = instant("find");
      const model = playing(...script);
      const { result } = yield* resume(
        pool({ model, tools: [find, instant("wait")], hooks: [judge({})] }),
        entries,
      );
      expect(find.asked).toEqual([]);
      expect(
        lastShown(model, "agent/0")
          .slice(0, 3)
          .map(({ value }) => value),
      ).toEqual(["No.", "Off.", "made up"]);
      expect(result.agents[0]!.refusals.map(({ message }) => message)).toEqual(["No.", "Off."]);
    }));

  it("stays refused as what it was rewritten to", () =>
    run(function* () {
      const script = [ask("look", { q: "1" }), ask("look", { q: "1" }), report()];
      const make = () =>
        pool({
          model: playing(...script),
          tools: [
            instant("look"),
            instant("find", { hooks: { beforeDispatch: [dedup("again", ({ q }) => q)] } }),
          ],
          hooks: [
            {
              rewrite: ({ call: { tool, args } }) =>
                tool === "look" ? { type: "rewrite", tool: "find", args, mode: "replace" } : undefined,
            },
          ],
        });
      const whole = yield* resume(make(), []);
      expect(whole.result.agents[0]!.refusals).toMatchObject([{ tool: "find", guard: "again" }]);
      const entries = yield* crash(make(), on("call:refused"));
      expect((yield* resume(make(), entries)).result).toEqual(whole.result);
    }));

  it("leaves the refusals of its agent in the order they came in", () =>
    run(function* () {
      const script = [asks(["find", { q: "1" }], ["find", { q: "1" }], ["find", { q: "2" }]), report()];
      const make = () => {
        const find = instant("find", { hooks: { beforeDispatch: [dedup("again", ({ q }) => q)] } });
        return pool({ model: playing(...script), tools: [find], budget: { maxToolCalls: 2 } });
      };
      const whole = yield* resume(make(), []);
      expect(whole.result.agents[0]!.refusals.map(({ guard }) => guard)).toEqual(["limit", "again"]);
      const entries = yield* crash(make(), on("call:admitted"));
      expect((yield* resume(make(), entries)).result).toEqual(whole.result);
    }));

  it("is not let past a limit that others of its agent had used up", () =>
    run(function* () {
      const script = [ask("find", { q: "1" }), ask("find", { q: "2" }), ask("find", { q: "3" }), report()];
      const budget = { maxCallsPerTool: { find: 2 } };
      const entries = yield* crash(
        pool({ model: playing(...script), tools: [instant("find")], budget }),
        on("call:settled", "agent/0:2#0"),
      );
      const find = instant("find");
      const { result } = yield* resume(pool({ model: playing(...script), tools: [find], budget }), entries);
      expect(find.asked).toEqual([]);
      expect(result.agents[0]).toMatchObject({ toolCallCount: 2, refusals: [{ guard: "limit" }] });
    }));
});
