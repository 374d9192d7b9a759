import {
  cancel,
  type GuardFunction,
  parallel,
  refuse,
  reportTool,
  requireApproval,
  substitute,
  type Tool,
  type ToolLifecycleHooks,
} from "@agentpool/core";
import type { ScriptedTurn } from "@agentpool/models";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, asks, instant, ofType, playing, report } from "../scenarios/support.ts";
import { lifeOf, playLife } from "./support.ts";

/** A terminal tool that keeps what it was carried out with. */
const sending = (more: Partial<Tool> = {}): Tool & { readonly sent: unknown[] } => {
  const sent: unknown[] = [];
  const tool: Tool = {
    ...reportTool,
    execute: ({ result }) => {
      sent.push(result);
      return `sent: ${result}`;
    },
    ...more,
  };
  return Object.assign(tool, { sent });
};

/** An agent that has used its one turn, and what it says then. */
function* stopped(last: ScriptedTurn, terminal: Tool, hooks: readonly ToolLifecycleHooks[] = []) {
  const model = playing(ask("look"), last);
  const played = yield* playLife({
    model,
    terminal,
    tools: [instant("look")],
    hooks,
    budget: { maxTurns: 1 },
  });
  return { ...played, model, agent: played.result.agents[0]! };
}

const guarding = (decide: GuardFunction): ToolLifecycleHooks => ({
  beforeDispatch: [{ name: "gate", tools: ["report"], decide }],
});

const FINDINGS = "the bridge is closed";

describe("a forced report", () => {
  it("is on record like any call: proposed, and settled", () =>
    run(function* () {
      const terminal = sending();
      const { agent, events } = yield* stopped(report(FINDINGS), terminal);
      expect(lifeOf(events, "agent/0:2#0")).toEqual(["call:proposed", "call:settled"]);
      expect(agent).toMatchObject({
        exit: "max_turns",
        result: `sent: ${FINDINGS}`,
        report: { result: FINDINGS },
        reason: undefined,
        toolCallCount: 1,
      });
    }));

  for (const [how, answer] of [
    ["refuses", refuse("not like this")],
    ["cancels", cancel("not like this")],
  ] as const)
    it(`that a guard ${how} is not carried out, and what it found is not lost`, () =>
      run(function* () {
        const terminal = sending();
        const { agent, events } = yield* stopped(report(FINDINGS), terminal, [guarding(() => answer)]);
        expect(terminal.sent).toEqual([]);
        expect(agent).toMatchObject({
          exit: "max_turns",
          result: { result: FINDINGS },
          report: { result: FINDINGS },
          reason: "its report was not taken: not like this",
          refusals: [{ tool: "report", guard: "gate", message: "not like this" }],
        });
        expect(lifeOf(events, "agent/0:2#0")).toEqual([
          "call:proposed",
          answer.type === "refuse" ? "call:refused" : "call:cancelled",
        ]);
      }));

  it("that a guard refuses is what the agent says beside it, where it says something", () =>
    run(function* () {
      const terminal = sending();
      const last = { text: "In words: it is closed.", ...report(FINDINGS) };
      const { agent } = yield* stopped(last, terminal, [guarding(() => refuse("no"))]);
      expect(agent).toMatchObject({ result: "In words: it is closed.", report: { result: FINDINGS } });
    }));

  it("that a guard answers in its place is that answer", () =>
    run(function* () {
      const terminal = sending();
      const { agent } = yield* stopped(report(FINDINGS), terminal, [guarding(() => substitute("filed"))]);
      expect(terminal.sent).toEqual([]);
      expect(agent).toMatchObject({ exit: "max_turns", result: "filed", reason: undefined });
    }));

  it("about which a guard wants a person is not carried out: nobody is asked any more, and nothing is lost", () =>
    run(function* () {
      const terminal = sending();
      const { agent, events } = yield* stopped(report(FINDINGS), terminal, [
        guarding(() => requireApproval("it goes out")),
      ]);
      expect(terminal.sent).toEqual([]);
      expect(ofType(events, "approval:requested")).toEqual([]);
      expect(agent).toMatchObject({
        result: { result: FINDINGS },
        refusals: [{ tool: "report", guard: "approval" }],
      });
    }));

  it("whose guard breaks is not carried out, and nothing is lost", () =>
    run(function* () {
      const terminal = sending();
      const { agent, events } = yield* stopped(report(FINDINGS), terminal, [
        guarding(() => {
          throw new Error("broken");
        }),
      ]);
      expect(terminal.sent).toEqual([]);
      expect(ofType(events, "hook:error")).toMatchObject([{ hook: "gate", verdict: "refused" }]);
      expect(agent).toMatchObject({ result: { result: FINDINGS }, refusals: [{ guard: "hook_error" }] });
    }));

  it("is rewritten like any call, and never into a call of another tool", () =>
    run(function* () {
      const terminal = sending();
      const shorter = yield* stopped(report(FINDINGS), terminal, [
        {
          rewrite: ({ call }) =>
            call.tool === "report"
              ? { type: "rewrite", args: { result: "short" }, mode: "merge" }
              : undefined,
        },
      ]);
      expect(shorter.agent).toMatchObject({ result: "sent: short", report: { result: "short" } });
      const wipe = instant("wipe");
      const model = playing(ask("look"), report(FINDINGS));
      const { result } = yield* playLife({
        model,
        tools: [instant("look"), wipe],
        hooks: [
          {
            rewrite: ({ call }) =>
              call.tool === "report"
                ? { type: "rewrite", tool: "wipe", args: {}, mode: "replace" }
                : undefined,
          },
        ],
        budget: { maxTurns: 1 },
      });
      expect(wipe.asked).toEqual([]);
      expect(result.agents[0]).toMatchObject({ exit: "max_turns", toolCallCount: 1 });
    }));

  it("that fails, or cannot be read, is not lost: its arguments are kept, or what the agent says beside it", () =>
    run(function* () {
      const failing = sending({
        execute: () => {
          throw new Error("mailbox full");
        },
      });
      const failed = yield* stopped(report(FINDINGS), failing);
      expect(failed.agent).toMatchObject({
        result: { result: FINDINGS },
        reason: "its report was not taken: mailbox full",
      });
      const unread = yield* stopped({ text: FINDINGS, ...ask("report", "{") }, sending());
      expect(unread.agent).toMatchObject({ result: FINDINGS, exit: "max_turns" });
    }));

  it("is one generation, whatever it comes to: nobody asks for a second", () =>
    run(function* () {
      const { model, events } = yield* stopped(report(FINDINGS), sending(), [guarding(() => refuse("no"))]);
      expect(model.requests).toHaveLength(2);
      expect(ofType(events, "turn:started").map(({ forced }) => forced)).toEqual([false, true]);
    }));

  it("asks nobody whether the agent may return", () =>
    run(function* () {
      const asked: unknown[] = [];
      const { agent } = yield* stopped(report(FINDINGS), sending(), [
        { onReturn: ({ result }) => void asked.push(result) },
      ]);
      expect(asked).toEqual([]);
      expect(agent.result).toBe(`sent: ${FINDINGS}`);
    }));

  it("of a step that was sent back before has an id of its own", () =>
    run(function* () {
      const model = playing(ask("look"), ask("look", { q: "2" }), report(FINDINGS));
      const { events } = yield* playLife({
        model,
        tools: [instant("look")],
        hooks: [
          {
            onPropose: ({ attempt }) => (attempt === 0 ? { type: "restart", reasoning: "no" } : undefined),
          },
        ],
        budget: { maxTurns: 1 },
      });
      const ids = ofType(events, "call:proposed").map(({ call }) => call);
      expect(new Set(ids).size).toBe(ids.length);
    }));

  it("keeps its form where one is asked for: what was written is there even where it does not fit", () =>
    run(function* () {
      const model = playing(ask("look"), report(FINDINGS));
      const { result } = yield* playLife({
        model,
        tools: [instant("look")],
        *orchestrate(pool) {
          yield* pool.waitFor(yield* pool.spawn({ task: "look", output: z.object({ closed: z.boolean() }) }));
        },
        budget: { maxTurns: 1 },
      });
      expect(result.agents[0]).toMatchObject({ result: undefined, report: { result: FINDINGS } });
    }));

  it("is left out where nothing is to be recovered, and where an agent never had a turn", () =>
    run(function* () {
      const model = playing(asks(["look"], ["look", { q: "2" }]), report());
      const { result } = yield* playLife({
        model,
        tools: [instant("look")],
        orchestrate: parallel(["look"]),
        budget: { maxTurns: 1 },
        recovery: "none",
      });
      expect(result.agents[0]).toMatchObject({ exit: "max_turns", result: undefined, turns: 1 });
      expect(model.requests).toHaveLength(1);
    }));
});
