import {
  type ExecutedInput,
  parallel,
  reportTool,
  type ToolLifecycleHooks,
  ToolRetryError,
} from "@agentpool/core";
import { call, type Operation, run, spawn, useAbortSignal } from "effection";
import { describe, expect, it } from "vitest";
import {
  ask,
  asks,
  finish,
  instant,
  lastShown,
  leftovers,
  ofType,
  open,
  play,
  playing,
  quiet,
  report,
  shown,
  textOf,
} from "./support.ts";

describe("a transient failure", () => {
  const limitedOnce = (afterMs = 30_000) => {
    const attempts: number[] = [];
    const ids = new Set<string>();
    const tool = instant("search", {
      *execute(args, ctx): Operation<unknown> {
        const signal = yield* useAbortSignal();
        attempts.push(ctx.attempt);
        ids.add(ctx.id);
        yield* call(() => Promise.resolve(signal.aborted));
        if (ctx.attempt === 0) throw new ToolRetryError("rate limited", afterMs);
        return { hits: [args.q] };
      },
    });
    return { tool, attempts, ids };
  };

  it("parks the agent, and the same call runs again after the delay: no turn, no token, no line of context", () =>
    run(function* () {
      const { tool, attempts, ids } = limitedOnce();
      const model = playing(ask("search", { q: "x" }), report());
      const rig = yield* open({
        model,
        tools: [tool],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
      });
      expect(attempts).toEqual([0]);
      expect(rig.handle.inspect()).toMatchObject({ agents: { parked: 1 }, parked: 1, permits: { tools: 0 } });
      expect(model.requests).toHaveLength(1);
      rig.clock.advance(29_999);
      yield* quiet;
      expect(attempts).toEqual([0]);
      rig.clock.advance(1);
      yield* quiet;
      expect(attempts).toEqual([0, 1]);
      expect(ids.size).toBe(1);
      const result = yield* finish(rig);
      expect(result.agents[0]).toMatchObject({ turns: 2, toolCallCount: 1, attendedCount: 1, parks: 1 });
      const messages = model.requests[1]!.messages;
      expect(shown(messages)).toMatchObject([{ type: "json", value: { hits: ["x"] } }]);
      expect(textOf(messages)).not.toContain("rate limited");
      const one = ofType(rig.events, "call:parked")[0]!;
      expect(one).toMatchObject({ reason: "retry", until: one.at + 30_000 });
    }));

  it("settles an honest result once its retries are used up, one by default, and the agent goes on", () =>
    run(function* () {
      let runs = 0;
      const tool = instant("search", {
        execute: () => {
          runs++;
          throw new ToolRetryError("rate limited", 1_000);
        },
      });
      const model = playing(ask("search"), report("could not search"));
      const { result, events } = yield* play({
        model,
        tools: [tool],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
      });
      expect(runs).toBe(2);
      expect(shown(model.requests[1]!.messages)[0]).toMatchObject({
        type: "error-text",
        value: expect.stringMatching(/unavailable.*another source/i),
      });
      expect(result.agents[0]).toMatchObject({
        exit: "returned",
        toolCallCount: 1,
        attendedCount: 0,
        parks: 1,
      });
      expect(ofType(events, "budget:exhausted")).toMatchObject([{ budget: "maxToolRetries", limit: 1 }]);
    }));

  for (const [maxToolRetries, expected] of [
    [0, 1],
    [3, 4],
  ] as const)
    it(`is tried ${expected} times with maxToolRetries ${maxToolRetries}`, () =>
      run(function* () {
        let runs = 0;
        const tool = instant("search", {
          execute: () => {
            runs++;
            throw new ToolRetryError("rate limited", 10);
          },
        });
        yield* play({
          model: playing(ask("search"), report()),
          tools: [tool],
          terminal: reportTool,
          budget: { maxToolRetries },
          orchestrate: parallel(["look"]),
        });
        expect(runs).toBe(expected);
      }));

  it("wrapped in a success is recognised by afterExecute, and the model never sees it", () =>
    run(function* () {
      const seen: ExecutedInput[] = [];
      const provider429: ToolLifecycleHooks = {
        afterExecute: (input) => {
          seen.push(input);
          return (input.result as { status?: number } | undefined)?.status === 429
            ? { type: "retry", afterMs: 5_000 }
            : undefined;
        },
      };
      const tool = instant("search", {
        execute: (_args, { attempt }) => (attempt === 0 ? { status: 429 } : { status: 200, hits: 3 }),
      });
      const model = playing(ask("search"), report());
      const { result } = yield* play({
        model,
        tools: [tool],
        terminal: reportTool,
        hooks: [provider429],
        orchestrate: parallel(["look"]),
      });
      expect(seen.map(({ attempt }) => attempt)).toEqual([0, 1]);
      expect(textOf(model.requests[1]!.messages)).not.toContain("429");
      expect(shown(model.requests[1]!.messages)).toMatchObject([{ value: { status: 200, hits: 3 } }]);
      expect(result.agents[0]).toMatchObject({ parks: 1, turns: 2, toolCallCount: 1 });
    }));

  it("is a failure where afterExecute says so, in its words or the tool's", () =>
    run(function* () {
      const model = playing(ask("search", { q: "a" }), ask("search", { q: "b" }), report());
      const { result } = yield* play({
        model,
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [
          {
            afterExecute: ({ call }) =>
              call.args.q === "a" ? { type: "fail", message: "no good" } : { type: "attempt" },
          },
        ],
        orchestrate: parallel(["look"]),
      });
      expect(lastShown(model, "agent/0")).toMatchObject([
        { type: "error-text", value: "no good" },
        { type: "json" },
      ]);
      expect(result.agents[0]).toMatchObject({ attendedCount: 1, toolCallCount: 2 });
    }));

  it("is not parked where afterExecute calls it an attempt: the model reads the error", () =>
    run(function* () {
      const model = playing(ask("search"), report());
      const { result } = yield* play({
        model,
        tools: [
          instant("search", {
            execute: () => {
              throw new ToolRetryError("rate limited", 10);
            },
          }),
        ],
        terminal: reportTool,
        hooks: [{ afterExecute: () => ({ type: "attempt" }) }],
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]!.parks).toBe(0);
      expect(lastShown(model, "agent/0")).toMatchObject([{ type: "error-text", value: "rate limited" }]);
    }));

  it("thrown by a task that execute started is still that call's own", () =>
    run(function* () {
      const tool = instant("search", {
        *execute(_args, { attempt }): Operation<unknown> {
          const task = yield* spawn(function* (): Operation<string> {
            if (attempt === 0) throw new ToolRetryError("rate limited", 10);
            return "found";
          });
          return yield* task;
        },
      });
      const model = playing(asks(["search", { q: "a" }], ["other", { q: "b" }]), report());
      const { result } = yield* play({
        model,
        tools: [tool, instant("other")],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
      });
      expect(lastShown(model, "agent/0")).toMatchObject([{ value: "found" }, { value: { answer: "b" } }]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", parks: 1 });
    }));

  it("a throw must stay that call's own: siblings of the step and other agents go on", () =>
    run(function* () {
      const broken = instant("broken", {
        execute: () => {
          throw new Error("boom");
        },
      });
      const model = playing(asks(["broken"], ["search", { q: "x" }]), report());
      const { result } = yield* play({
        model,
        tools: [broken, instant("search")],
        terminal: reportTool,
        orchestrate: parallel(["a", "b"]),
      });
      for (const agent of result.agents) {
        expect(agent).toMatchObject({ exit: "returned", toolCallCount: 2, attendedCount: 1 });
        expect(lastShown(model, agent.key)).toMatchObject([
          { type: "error-text", value: "boom" },
          { type: "json", value: { answer: "x" } },
        ]);
      }
    }));

  it("leaves nothing behind when the agent is cancelled while it is parked", () =>
    run(function* () {
      const { tool, attempts } = limitedOnce();
      const rig = yield* open({
        model: playing(ask("search", { q: "x" }), report()),
        tools: [tool],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
      });
      expect(yield* rig.handle.cancel("agent/0")).toBe(true);
      yield* quiet;
      expect(leftovers(rig)).toEqual([]);
      expect(attempts).toEqual([0]);
      expect(rig.outcome.result!.agents[0]!.exit).toBe("cancelled");
    }));
});
