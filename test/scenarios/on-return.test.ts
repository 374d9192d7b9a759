import { parallel, reportTool, type ToolLifecycleHooks } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, instant, ofType, play, playing, report, shown, textOf } from "./support.ts";

const EVIDENCE_REJECTION = "Search or read something before reporting.";

const EVIDENCE_FIRST: ToolLifecycleHooks = {
  onReturn: ({ agent }) =>
    agent.toolCallCount < 1 ? { type: "reject", message: EVIDENCE_REJECTION } : undefined,
};

describe("a hook of the pool at onReturn", () => {
  it("refuses an early report once, and the model reads its message in the report's place", () =>
    run(function* () {
      const search = instant("search");
      const model = playing(report("too early"), ask("search", { q: "x" }), report("with evidence"));
      const { result, events } = yield* play({
        model,
        tools: [search],
        terminal: reportTool,
        hooks: [EVIDENCE_FIRST],
        orchestrate: parallel(["look"]),
      });
      expect(shown(model.requests[1]!.messages)).toMatchObject([
        { tool: "report", type: "error-text", value: EVIDENCE_REJECTION },
      ]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "with evidence", toolCallCount: 1 });
      expect(result.agents[0]!.refusals).toMatchObject([{ tool: "report", message: EVIDENCE_REJECTION }]);
      expect(ofType(events, "agent:returned")).toHaveLength(1);
    }));

  it("lets a second report stand, so that an agent that found nothing can say so", () =>
    run(function* () {
      const model = playing(report("nothing"), report("really nothing"));
      const { result } = yield* play({
        model,
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [EVIDENCE_FIRST],
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "really nothing", turns: 2 });
    }));

  it("allows one rejected return per agent, whoever rejects", () =>
    run(function* () {
      let asked = 0;
      const never: ToolLifecycleHooks = {
        onReturn: () => {
          asked++;
          return { type: "reject", message: "no" };
        },
      };
      const { result } = yield* play({
        model: playing(report("one"), report("two")),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [never, never, EVIDENCE_FIRST],
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "two" });
      expect(asked).toBeGreaterThan(0);
    }));

  it("cannot be satisfied by the terminal call itself: toolCallCount does not count it", () =>
    run(function* () {
      const counts: number[] = [];
      const { result } = yield* play({
        model: playing(report("a"), report("b")),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [{ onReturn: ({ agent }) => void counts.push(agent.toolCallCount) }, EVIDENCE_FIRST],
        orchestrate: parallel(["look"]),
      });
      expect(counts).toEqual([0, 0]);
      expect(result.agents[0]!.toolCallCount).toBe(0);
      expect(result.totals.toolCalls).toBe(0);
    }));

  it("lets a later contributor's rejection stand although an earlier one accepted", () =>
    run(function* () {
      const accepts: ToolLifecycleHooks = { onReturn: () => ({ type: "accept" }) };
      const { result } = yield* play({
        model: playing(report("early"), ask("search"), report("late")),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [accepts, EVIDENCE_FIRST],
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({ result: "late", turns: 3 });
    }));

  it("lets an earlier contributor's rejection stand although a later one accepts", () =>
    run(function* () {
      const accepts: ToolLifecycleHooks = { onReturn: () => ({ type: "accept" }) };
      const { result } = yield* play({
        model: playing(report("early"), ask("search"), report("late")),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [EVIDENCE_FIRST, accepts],
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({ result: "late", turns: 3 });
    }));

  it("is not heard once the turn cap is exhausted: the return stands", () =>
    run(function* () {
      const { result } = yield* play({
        model: playing(report("only chance")),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [EVIDENCE_FIRST],
        budget: { maxTurns: 1 },
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "only chance", turns: 1 });
    }));

  it("is not heard once the context is exhausted: the return stands", () =>
    run(function* () {
      const long = "word ".repeat(1_000);
      const { result } = yield* play({
        model: scripted(() => [report(long)], { contextWindow: 1_000 }),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [EVIDENCE_FIRST],
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: long });
    }));

  it("covers an agent that ends with plain text", () =>
    run(function* () {
      const model = playing({ text: "I think so." }, ask("search"), { text: "I know so." });
      const { result } = yield* play({
        model,
        tools: [instant("search")],
        hooks: [EVIDENCE_FIRST],
        orchestrate: parallel(["look"]),
      });
      expect(textOf(model.requests[1]!.messages)).toContain(EVIDENCE_REJECTION);
      expect(result.agents[0]).toMatchObject({ exit: "text", result: "I know so." });
    }));

  it("may accept with another result, and the first to do so counts", () =>
    run(function* () {
      const { result } = yield* play({
        model: playing(report("raw")),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [
          { onReturn: () => ({ type: "accept", result: "polished" }) },
          { onReturn: () => ({ type: "accept", result: "polished twice" }) },
        ],
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]!.result).toBe("polished");
    }));
});
