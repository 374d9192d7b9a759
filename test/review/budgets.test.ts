import { type PoolResult, parallel, reportTool } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { reviewer } from "@agentpool/review";
import { run } from "effection";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ask, instant, ofType, play, playing, report } from "../scenarios/support.ts";
import { breach, judging, pass, shop } from "./support.ts";

const tokensOf = ({ totals: { usage } }: PoolResult): number => usage.input + usage.output;

describe("a budget in tokens", () => {
  it("is never passed, whatever agents, reviewers and their pace: reviews reserve what they may use", () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          agents: fc.integer({ min: 1, max: 8 }),
          concurrentGenerations: fc.integer({ min: 1, max: 8 }),
          maxTokens: fc.integer({ min: 500, max: 40_000 }),
          waits: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 5 }),
        }),
        async ({ agents, concurrentGenerations, maxTokens, waits }) => {
          await run(function* () {
            let reviews = 0;
            const { result } = yield* play({
              terminal: reportTool,
              model: scripted(() => ({ turn, request }) => ({
                ...(typeof request.toolChoice === "object" ? report() : ask("search", { q: `${turn}` })),
                wait: waits[turn % waits.length]!,
              })),
              tools: [instant("search")],
              review: "all",
              budget: { maxTokens, concurrentGenerations, maxTurns: 5 },
              repetition: false,
              orchestrate: parallel(Array.from({ length: agents }, (_, at) => `task ${at}`)),
              reviewer: reviewer({
                models: scripted(() => () => ({
                  ...(reviews++ % 3 === 0 ? breach("No.") : pass()),
                  wait: waits[reviews % waits.length]!,
                })),
              }),
            });
            expect(tokensOf(result)).toBeLessThanOrEqual(maxTokens);
          });
        },
      ),
      { numRuns: 25 },
    ));

  it("is a limit to what a review may say", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const judge = judging({ ...pass(), usage: { input: 1_500, output: 40 } });
      const maxTokens = 8_000;
      yield* play({
        terminal: reportTool,
        orchestrate: parallel(["Cancel it."]),
        model: playing(
          { ...ask("cancel_order", { order: 1 }), usage: { input: 2_000, output: 50 } },
          report(),
        ),
        tools,
        budget: { maxTokens },
        reviewer: reviewer({ models: judge }),
      });
      expect(cancelled).toEqual([1]);
      const { maxTokens: most } = judge.requests[0]!.request;
      expect(most).toBeGreaterThan(64);
      expect(most).toBeLessThan(maxTokens - 2_050);
    }));

  it("in dollars counts each model at its own price", () =>
    run(function* () {
      const { tools } = shop();
      const usage = { input: 100_000, output: 0 };
      const model = Object.assign(
        playing({ ...ask("cancel_order", { order: 1 }), usage }, { ...report(), usage }),
        { price: { input: 1, output: 1 } },
      );
      const judge = Object.assign(judging({ ...pass(), usage }), { price: { input: 7, output: 1 } });
      const { events } = yield* play({
        terminal: reportTool,
        orchestrate: parallel(["Cancel it."]),
        model,
        tools,
        budget: { maxCost: 1 },
        reviewer: reviewer({ models: judge }),
      });
      // 0.1, then 0.7 for the review
      expect(ofType(events, "budget:threshold").map(({ share, used }) => [share, +used.toFixed(3)])).toEqual([
        [0.5, 0.8],
        [0.75, 0.8],
      ]);
    }));
});

it("an agent whose step is under review is generating, and its watchers are told", () =>
  run(function* () {
    const { tools } = shop();
    const states: string[] = [];
    yield* play({
      terminal: reportTool,
      orchestrate: parallel(["Cancel it."]),
      model: playing(ask("cancel_order", { order: 1 }), report()),
      tools,
      reviewer: reviewer({ models: judging([{ error: { limited: 10 } }, pass()]) }),
      onEvent(event) {
        if (event.type === "agent:state") states.push(event.state);
        if (event.type.startsWith("review:")) states.push(event.type);
      },
    });
    // it waits for its reviewer, and then generates again, before its call runs
    expect(states.slice(0, 7)).toEqual([
      "generating",
      "review:started",
      "parked",
      "ready",
      "generating",
      "review:passed",
      "calling",
    ]);
  }));
