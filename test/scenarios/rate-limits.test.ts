import { defineTool, ModelLimitError, parallel, reportTool, ToolRetryError } from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, casting, finish, instant, ofType, open, play, playing, report } from "./support.ts";

describe("R1: a rate limit", () => {
  it("R1: of the model parks the agent: no turn, no token, no line of context", () =>
    run(function* () {
      const model = playing({ error: { limited: 45_000 } }, { error: { limited: 5_000 } }, report("fine"));
      const rig = yield* open({
        model,
        tools: [instant("search")],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
      });
      expect(rig.handle.inspect()).toMatchObject({
        agents: { parked: 1 },
        parked: 1,
        permits: { generations: 0 },
      });
      const { agents } = yield* finish(rig);
      expect(rig.clock.now()).toBe(50_000);
      expect(agents[0]).toMatchObject({ exit: "returned", turns: 1, parks: 2 });
      const [first, , third] = model.requests;
      expect(third!.messages).toEqual(first!.messages);
      expect(ofType(rig.events, "model:limited").map(({ afterMs }) => afterMs)).toEqual([45_000, 5_000]);
      expect(ofType(rig.events, "turn:completed")).toHaveLength(1);
    }));

  it("R1: of the model that does not say how long waits longer each time", () =>
    run(function* () {
      const unknown = { error: { limited: "unknown" as const } };
      const { result, clock, events } = yield* play({
        model: playing(unknown, unknown, unknown, report("fine")),
        tools: [instant("search")],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", parks: 3, turns: 1 });
      const waits = ofType(events, "model:limited").map(({ afterMs }) => afterMs);
      expect(waits.every((wait, at) => at === 0 || wait > waits[at - 1]!)).toBe(true);
      expect(clock.now()).toBe(waits.reduce((sum, wait) => sum + wait));
    }));

  for (const retryAfterMs of [Number.NaN, -1, Number.NEGATIVE_INFINITY])
    it(`R1: of the model that says to wait ${retryAfterMs} ms waits a sensible time`, () =>
      run(function* () {
        const { result, clock } = yield* play({
          model: playing({ error: new ModelLimitError("slow down", retryAfterMs) }, report("fine")),
          tools: [instant("search")],
          terminal: reportTool,
          orchestrate: parallel(["look"]),
        });
        expect(result.agents[0]!.exit).toBe("returned");
        expect(Number.isFinite(clock.now())).toBe(true);
      }));

  for (const afterMs of [Number.NaN, -5, undefined as never])
    it(`R1: of a tool that says to wait ${afterMs} ms parks and runs again`, () =>
      run(function* () {
        const { result, clock } = yield* play({
          model: playing(ask("search"), report("fine")),
          tools: [
            instant("search", {
              execute: (_args, { attempt }) => {
                if (attempt === 0) throw new ToolRetryError("429", afterMs);
                return "found";
              },
            }),
          ],
          terminal: reportTool,
          orchestrate: parallel(["look"]),
        });
        expect(result.agents[0]).toMatchObject({ exit: "returned", parks: 1, attendedCount: 1 });
        expect(clock.now()).toBe(0);
      }));

  it("R1: while the forced report is generated parks as well, and the report is kept", () =>
    run(function* () {
      const { result } = yield* play({
        model: playing(ask("search"), { error: { limited: 1_000 } }, report("what I have")),
        tools: [instant("search")],
        terminal: reportTool,
        budget: { maxTurns: 1 },
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({
        exit: "max_turns",
        result: "what I have",
        turns: 1,
        parks: 1,
      });
    }));

  it("R1: of the terminal tool parks, and costs no turn", () =>
    run(function* () {
      let runs = 0;
      const send = defineTool({
        name: "send",
        description: "Sends the report.",
        parameters: z.object({ result: z.string() }),
        execute: ({ result }) => {
          if (runs++ === 0) throw new ToolRetryError("429", 1_000);
          return result;
        },
      });
      const { result } = yield* play({
        model: playing(ask("send", { result: "a" }), ask("send", { result: "b" })),
        tools: [instant("search")],
        terminal: send,
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "a", turns: 1, parks: 1 });
    }));

  it("R1: parks one agent while the others go on, holding no permit", () =>
    run(function* () {
      const rig = yield* open({
        model: casting({
          limited: [{ error: { limited: 10_000 } }, report("late")],
          free: [ask("search"), report("early")],
        }),
        tools: [instant("search")],
        terminal: reportTool,
        budget: { concurrentGenerations: 1, concurrentTools: 1 },
        orchestrate: parallel(["limited", "free"]),
      });
      expect(ofType(rig.events, "agent:ended").map(({ result }) => result.result)).toEqual(["early"]);
      yield* finish(rig);
    }));
});
