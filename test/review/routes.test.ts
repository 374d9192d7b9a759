import {
  agentPool,
  ConfigurationError,
  type Effort,
  parallel,
  type Rule,
  reportTool,
  type Weight,
} from "@agentpool/core";
import { extractive, fallback } from "@agentpool/models";
import { type ReviewAt, reviewer } from "@agentpool/review";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, instant, play, playing, report, textOf, thrownBy } from "../scenarios/support.ts";
import { applies, judging, pass } from "./support.ts";

const base = { terminal: reportTool, orchestrate: parallel(["Do it."]), review: "all" as const };
const work = () => ({ model: playing(ask("search", { q: "a" }), report()), tools: [instant("search")] });
const rule = (title: string, weight?: Weight, effort?: Effort): Rule => ({
  title,
  content: `${title}.`,
  when: "always",
  ...(weight ? { weight } : {}),
  ...(effort ? { effort } : {}),
});

describe("who reviews", () => {
  it("is asked for by a route: steps, rules and reports may each have a model of their own", () =>
    run(function* () {
      const [steps, rules, reports] = [judging(pass()), judging(applies()), judging(pass())];
      yield* play({
        ...base,
        ...work(),
        rules: [rule("Care")],
        reviewer: reviewer({
          models: { "review.tools": steps, "review.rules": rules, "review.messages": reports },
        }),
      });
      expect([steps, rules, reports].map(({ requests }) => requests.length)).toEqual([1, 2, 1]);
    }));

  it("is the model of review.* where its own route has none, else that of *", () =>
    run(function* () {
      const [family, any] = [judging(pass()), judging(pass())];
      yield* play({ ...base, ...work(), reviewer: reviewer({ models: { "review.*": family, "*": any } }) });
      yield* play({ ...base, ...work(), reviewer: reviewer({ models: { "*": any } }) });
      expect([family.requests.length, any.requests.length]).toEqual([2, 2]);
    }));

  it("can depend on the effort, which a rule may have raised", () =>
    run(function* () {
      const [cheap, strict] = [judging(pass()), judging(pass())];
      const rules = judging(applies(), applies("r1"), applies());
      const asked: string[] = [];
      yield* play({
        terminal: reportTool,
        orchestrate: parallel(["Do it."]),
        review: true,
        model: playing(ask("search", { q: "a" }), ask("search", { q: "b" }), report()),
        tools: [instant("search")],
        effort: "low",
        rules: [rule("Money", undefined, "high")],
        reviewer: reviewer({
          models(route, { effort }) {
            asked.push(`${route} ${effort}`);
            if (route === "review.rules") return rules;
            return effort === "high" ? strict : cheap;
          },
        }),
      });
      expect(asked).toContain("review.tools low");
      expect(asked).toContain("review.tools high");
      expect([cheap.requests.length, strict.requests.length]).toEqual([1, 1]);
    }));

  it("has to be there at the efforts that only rules lead to as well", () =>
    run(function* () {
      const error = yield* thrownBy(
        agentPool({
          terminal: reportTool,
          orchestrate: parallel(["Do it."]),
          review: true,
          ...work(),
          rules: [rule("Money", undefined, "max")],
          reviewer: reviewer({
            models: (_route, { effort }) => (effort === "max" ? undefined : judging(pass())),
          }),
        }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/at effort max no model is there for the route review\.tools/);
    }));

  it("has to be able to judge: one that can come to the embedded engine is found when the pool opens, a list's last too", () =>
    run(function* () {
      const judge = judging(pass());
      for (const [model, message] of [
        [
          extractive(),
          /no model is there for the route review\.tools: it comes to the embedded engine "extractive"/,
        ],
        [
          fallback([judge, extractive()]),
          /the route review\.tools can come to .* "extractive" \(judge \| extractive\)/,
        ],
        [
          fallback([extractive(), judge]),
          /the route review\.tools can come to .* "extractive" \(extractive \| judge\)/,
        ],
      ] as const) {
        const { model: agent, tools } = work();
        const error = yield* thrownBy(
          agentPool({ ...base, model: agent, tools, reviewer: reviewer({ models: { "review.*": model } }) }),
        );
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(String(error)).toMatch(message);
        expect(agent.requests).toEqual([]);
      }
      yield* play({ ...base, ...work(), reviewer: reviewer({ models: fallback([judge, judging(pass())]) }) });
    }));

  it("has to have a price where the run is limited in dollars", () =>
    run(function* () {
      const { model, tools } = work();
      const error = yield* thrownBy(
        agentPool({
          ...base,
          model: Object.assign(model, { price: { input: 1, output: 1 } }),
          tools,
          budget: { maxCost: 1 },
          reviewer: reviewer({ models: judging(pass()) }),
        }),
      );
      expect(String(error)).toMatch(
        /budget\.maxCost: the price of judge, the model of the route review\.tools/,
      );
    }));
});

describe("how thorough a review is", () => {
  const depthAt = (effort: Effort, weights: readonly Weight[]) =>
    run(function* () {
      const seen: ReviewAt[] = [];
      const judge = judging(pass());
      yield* play({
        ...base,
        review: true,
        ...work(),
        effort,
        rules: weights.map((weight, at) => ({ title: `r${at}`, content: "x", weight })),
        reviewer: reviewer({
          models(route, at) {
            if (route === "review.tools") seen.push(at);
            return judge;
          },
        }),
      });
      return { depth: seen.at(-1)!.depth, said: textOf(judge.requests[0]!.messages) };
    });

  for (const [effort, weights, depth] of [
    ["low", [], "low"],
    ["medium", [], "medium"],
    ["high", [], "high"],
    ["max", [], "high"],
    ["low", ["high"], "medium"],
    ["medium", ["low", "high"], "high"],
    ["medium", ["medium"], "medium"],
    ["medium", ["low"], "low"],
    ["high", ["low"], "medium"],
    ["max", ["high"], "high"],
  ] as const)
    it(`is ${depth} at effort ${effort} under rules that weigh ${weights.join(" and ") || "nothing"}`, async () => {
      expect((await depthAt(effort, weights)).depth).toBe(depth);
    });

  it("is said to the reviewer too, for models that take no setting for it", async () => {
    const [low, high] = [await depthAt("low", []), await depthAt("max", [])];
    expect(low.said).toContain("A quick look is enough");
    expect(high.said).toContain("one by one");
  });
});
