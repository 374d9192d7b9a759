import {
  parallel,
  type ReviewedInput,
  type ReviewingInput,
  reportTool,
  type ToolLifecycleHooks,
} from "@agentpool/core";
import { reviewer } from "@agentpool/review";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, ofType, play, playing, report } from "../scenarios/support.ts";
import { breach, judging, pass, shop } from "./support.ts";

const base = { terminal: reportTool, orchestrate: parallel(["Cancel it."]) };

/** Hooks that keep what they are shown. */
function watching() {
  const seen: (
    | ({ readonly moment: "reviewing" } & ReviewingInput)
    | ({ readonly moment: "reviewed" } & ReviewedInput)
  )[] = [];
  const hooks: ToolLifecycleHooks = {
    name: "watching",
    onReviewing: (input) => {
      seen.push({ moment: "reviewing", ...input });
    },
    onReviewed: (input) => {
      seen.push({ moment: "reviewed", ...input });
    },
  };
  return { seen, hooks };
}

describe("those who observe reviews", () => {
  it("see the calls before the verdict, and the verdict after it", () =>
    run(function* () {
      const { tools } = shop();
      const { seen, hooks } = watching();
      yield* play({
        ...base,
        model: playing(ask("cancel_order", { order: 1 }), ask("cancel_order", { order: 2 }), report()),
        tools,
        hooks: [hooks],
        reviewer: reviewer({ models: judging(breach("Ask first."), pass("Tell them.")) }),
      });
      expect(seen).toMatchObject([
        { moment: "reviewing", attempt: 0, calls: [{ tool: "cancel_order", args: { order: 1 } }] },
        { moment: "reviewed", attempt: 0, passed: false, adjustedReasoning: "Ask first.", error: undefined },
        { moment: "reviewing", attempt: 1, calls: [{ args: { order: 2 } }] },
        { moment: "reviewed", attempt: 1, passed: true, todo: "Tell them.", adjustedReasoning: undefined },
      ]);
      expect(seen.every(({ agent, run: id }) => agent.key === "agent/0" && id !== "")).toBe(true);
    }));

  it("see the error of a review that failed", () =>
    run(function* () {
      const { tools } = shop();
      const { seen, hooks } = watching();
      yield* play({
        ...base,
        model: playing(ask("cancel_order", { order: 1 }), report()),
        tools,
        hooks: [hooks],
        reviewer: reviewer({ models: judging({ error: new Error("down") }) }),
      });
      expect(seen.at(-1)).toMatchObject({
        passed: false,
        error: { problem: "model", message: "judge: down" },
      });
    }));

  it("may be a tool's own hooks, for the steps that call it", () =>
    run(function* () {
      const { seen, hooks } = watching();
      const { look, cancel } = shop({ cancel: { hooks } });
      yield* play({
        ...base,
        model: playing(ask("get_order", { order: 1 }), ask("cancel_order", { order: 1 }), report()),
        tools: [look, cancel],
        review: true,
        reviewer: reviewer({ models: judging(pass()) }),
      });
      expect(seen.map(({ moment, turn }) => `${moment} ${turn}`)).toEqual(["reviewing 2", "reviewed 2"]);
    }));

  for (const [how, observe] of [
    ["throw", () => expect.unreachable("on purpose")],
    ["reject", () => Promise.reject(new Error("on purpose"))],
    ["answer that it may not run", () => ({ type: "refuse", message: "No." })],
    ["hang", () => new Promise<void>(() => {})],
    [
      "change what they were given",
      (input: ReviewingInput) => {
        Object.assign(input.calls[0]!.args, { order: 666 });
        (input.asked as unknown[]).length = 0;
      },
    ],
  ] as const)
    it(`cannot stop what follows when they ${how}: others see it, the verdict stands, the calls run as they were`, () =>
      run(function* () {
        const { tools, cancelled } = shop();
        const { seen, hooks } = watching();
        const bad = {
          name: "bad",
          onReviewing: observe,
          onReviewed: observe,
        } as unknown as ToolLifecycleHooks;
        const { events } = yield* play({
          ...base,
          model: playing(ask("cancel_order", { order: 1 }), report()),
          tools,
          hooks: [bad, hooks],
          reviewer: reviewer({ models: judging(pass()) }),
        });
        expect(cancelled).toEqual([1]);
        expect(seen.map(({ moment }) => moment)).toEqual(["reviewing", "reviewed"]);
        expect(seen[1]).toMatchObject({ calls: [{ args: { order: 1 } }], asked: [{ by: "tool" }] });
        expect(ofType(events, "hook:error").every(({ verdict }) => verdict === "skipped")).toBe(true);
      }));

  it("cannot change a report that is reviewed: it is returned as it was", () =>
    run(function* () {
      const { seen, hooks } = watching();
      const spoil = (input: ReviewingInput): void => {
        Object.assign(input.report as object, { found: "something else" });
      };
      const { result } = yield* play({
        ...base,
        terminal: {
          name: "hand_in",
          description: "Hands a finding in.",
          parameters: z.object({ found: z.string() }),
          execute: ({ found }) => ({ found }),
        },
        model: playing(ask("hand_in", { found: "nothing" })),
        tools: [],
        review: "messages",
        hooks: [{ name: "bad", onReviewing: spoil, onReviewed: spoil }, hooks],
        reviewer: reviewer({ models: judging(pass()) }),
      });
      expect(result.agents[0]!.result).toEqual({ found: "nothing" });
      expect(seen.map(({ report }) => report)).toEqual([{ found: "nothing" }, { found: "nothing" }]);
    }));
});
