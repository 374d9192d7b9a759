import { defineTool, MisformedError, ModelLimitError, parallel, reportTool } from "@agentpool/core";
import type { ScriptedModel, ScriptedTurn } from "@agentpool/models";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { crash, takeUp } from "../resume/support.ts";
import { ask, finish, ofType, open, play, playing, quiet, type RigOptions, report } from "./support.ts";

// A turn that comes to nothing has cost what it has cost.

const used = { input: 1_000, output: 50, cached: 0 };
const misformed = (): ScriptedTurn => ({
  error: new MisformedError("asked twice, and still: no JSON", used),
});
const inTrouble = (more: Partial<ModelLimitError> = {}): ScriptedTurn => ({
  error: Object.assign(
    new ModelLimitError("m: 500 in trouble", 100, { reason: more.reason ?? "unavailable" }),
    { usage: more.usage },
  ),
});

const typed = (model: ScriptedModel, more: Partial<RigOptions> = {}): RigOptions => ({
  model,
  tools: [],
  orchestrate: parallel([{ task: "Decide.", output: z.object({ ready: z.boolean() }) }]),
  ...more,
});
const priced = (model: ScriptedModel) => Object.assign(model, { price: { input: 10, output: 100 } });

describe("an agent's turn without the form that was asked for", () => {
  it("counts in its usage and in the run's, in tokens and dollars, and is said to have failed", () =>
    run(function* () {
      const { result, events } = yield* play(typed(priced(playing(misformed()))));
      expect(result.agents[0]).toMatchObject({
        exit: "model_error",
        usage: used,
        turns: 0,
        reason: expect.stringContaining("no JSON"),
      });
      expect(result.totals).toMatchObject({ usage: used, turns: 0 });
      expect(ofType(events, "turn:failed")).toMatchObject([
        { agent: "agent/0", turn: 1, forced: false, usage: used, cost: 0.015 },
      ]);
    }));

  it("is part of what the run's budget was used up by", () =>
    run(function* () {
      const tasks = ["a", "b"].map((task) => ({ task, output: z.object({ ready: z.boolean() }) }));
      const { result, events } = yield* play(
        typed(playing(misformed()), {
          orchestrate: function* ({ spawn, waitFor }) {
            for (const [at, task] of tasks.entries()) yield* waitFor(yield* spawn({ ...task, key: `${at}` }));
          },
          budget: { maxTokens: 1_000 },
        }),
      );
      expect(result.agents.map(({ exit }) => exit)).toEqual(["model_error", "budget"]);
      expect(ofType(events, "budget:exhausted")).toMatchObject([{ budget: "maxTokens" }]);
    }));

  it("counts where it was the report that the agent was told to give", () =>
    run(function* () {
      const { result, events } = yield* play(
        typed(playing({ text: "not ready", usage: { input: 10, output: 1 } }, misformed()), {
          budget: { maxTurns: 1 },
        }),
      );
      expect(result.agents[0]).toMatchObject({
        exit: "max_turns",
        reason: expect.stringContaining("its report failed"),
        usage: { input: 1_010, output: 51 },
      });
      expect(ofType(events, "turn:failed")).toMatchObject([{ turn: 2, forced: true, usage: used }]);
    }));

  it("stays counted in a run that is taken up after it", () =>
    run(function* () {
      const options = typed(priced(playing(misformed(), { text: '{"ready":true}' })), { run: "r" });
      const entries = yield* crash(options, ({ type }) => type === "turn:failed");
      const rig = yield* takeUp(
        { ...options, model: priced(playing({ text: '{"ready":true}', usage: { input: 1, output: 1 } })) },
        entries,
      );
      const { agents, totals } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ result: { ready: true }, usage: { input: 1_001, output: 51 } });
      expect(totals.usage).toMatchObject({ input: 1_001, output: 51 });
    }));
});

describe("a turn whose call cannot be read", () => {
  it("is a turn, and counts like one: its tokens are its agent's, and use up the run's budget", () =>
    run(function* () {
      const tool = defineTool({ name: "t", description: "t", parameters: z.object({}), execute: () => 1 });
      const { result, events } = yield* play({
        model: playing(
          { ...ask("t", '{"a":'), usage: used },
          { ...report(), usage: { input: 10, output: 1 } },
        ),
        tools: [tool],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
        budget: { maxTokens: 20_000 },
      });
      expect(result.agents[0]).toMatchObject({
        usage: { input: 1_010, output: 51 },
        turns: 2,
        toolCallCount: 0,
        refusals: [{ tool: "t", guard: "invalid" }],
      });
      expect(result.totals.usage.input).toBe(1_010);
      expect(ofType(events, "turn:failed")).toEqual([]);
    }));
});

describe("a turn that is asked for again", () => {
  it("costs what its attempts cost, also where they are on record", () =>
    run(function* () {
      const script = [inTrouble({ usage: used }), report()];
      const options = {
        model: priced(playing(...script)),
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      };
      const { result, events } = yield* play(options);
      const own = result.agents[0]!.usage.input;
      expect(own).toBeGreaterThan(used.input);
      expect(ofType(events, "model:limited")).toMatchObject([{ usage: used, cost: 0.015 }]);

      const entries = yield* crash(
        { ...options, model: priced(playing(...script)), run: "r" },
        ({ type }) => type === "model:limited",
      );
      const rig = yield* takeUp({ ...options, run: "r", model: priced(playing(report())) }, entries);
      const { agents, totals } = yield* finish(rig);
      expect(agents[0]!.usage.input).toBe(own);
      expect(totals.usage.input).toBe(own);
    }));

  it("says why it waits: in its event, and in its agent's state, also in a process after this one", () =>
    run(function* () {
      for (const reason of ["rate_limit", "overloaded", "unavailable"] as const) {
        const options = {
          model: playing(inTrouble({ reason }), report()),
          terminal: reportTool,
          orchestrate: parallel(["a"]),
          run: "r",
        };
        const { events, result } = yield* play(options);
        expect(ofType(events, "model:limited")).toMatchObject([
          { reason, message: "m: 500 in trouble", afterMs: 100, attempt: 0 },
        ]);
        expect(result.agents[0]!.parks).toBe(1);
        const parked = (all: typeof events) =>
          ofType(all, "agent:state").flatMap(({ state, reason, past }) =>
            state === "parked" && !past ? [reason] : [],
          );
        expect(parked(events)).toEqual([reason]);

        const entries = yield* crash(options, ({ type }) => type === "model:limited");
        const rig = yield* takeUp({ ...options, model: playing(report()) }, entries);
        const { agents } = yield* finish(rig);
        expect(parked(rig.events)).toEqual([reason]);
        expect(agents[0]).toMatchObject({ exit: "returned", parks: 1 });
      }
    }));

  it("and never comes is said to have failed, once", () =>
    run(function* () {
      const { result, events } = yield* play({
        model: playing(...Array.from({ length: 6 }, () => inTrouble())),
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]!.exit).toBe("model_error");
      expect(ofType(events, "model:limited")).toHaveLength(5);
      expect(ofType(events, "turn:failed")).toMatchObject([{ message: "m: 500 in trouble" }]);
      expect(ofType(events, "turn:failed")[0]).not.toHaveProperty("usage");
    }));
});

it("an agent that is halted while it generates has no turn that failed", () =>
  run(function* () {
    const tool = defineTool({ name: "t", description: "t", parameters: z.object({}), execute: () => 1 });
    const rig = yield* open({
      model: playing({ wait: 1_000, ...ask("t") }),
      tools: [tool],
      orchestrate: parallel(["a"]),
    });
    yield* quiet;
    yield* rig.handle.cancel("agent/0");
    const { agents } = yield* finish(rig);
    expect(agents[0]!.exit).toBe("cancelled");
    expect(ofType(rig.events, "turn:failed")).toEqual([]);
  }));
