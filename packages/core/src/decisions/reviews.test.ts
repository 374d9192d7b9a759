import { describe, expect, it } from "vitest";
import type { AgentPoolOptions } from "../values/options.ts";
import type { Reviewer } from "../values/reviewer.ts";
import { consequentialBy, widest } from "../values/rule.ts";
import type { Tool } from "../values/tool.ts";
import { effortOf, isConsequential, reviewsOf } from "./reviews.ts";

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: name,
  parameters: { type: "object" },
  execute: () => undefined,
  ...more,
});
const served = (destructiveHint?: boolean, more: Partial<Tool> = {}): Tool =>
  tool("write", { source: "mcp", meta: { annotations: { destructiveHint } }, ...more });

const one: Reviewer = { hooksFor: () => ({}) };
const other: Reviewer = { hooksFor: () => ({}) };
const pay = tool("pay", { consequential: true });
const rule = { title: "Care", content: "Take care." };

const asked = (
  options: Partial<AgentPoolOptions>,
  tools: readonly Tool[] = [],
  outer?: Parameters<typeof reviewsOf>[2],
) => reviewsOf(options as AgentPoolOptions, tools, outer, { priced: false, mayRun: () => true });

describe("a tool is consequential", () => {
  it("where it says so, or its server says that it is destructive", () => {
    expect([tool("a"), pay, served(true), served(false), served()].map(isConsequential)).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
    expect(isConsequential(tool("a", { meta: { annotations: { destructiveHint: true } } }))).toBe(false);
  });

  it("as its server is set, whatever it declares", () => {
    for (const [setting, expected] of [
      ["all", [true, true]],
      ["none", [false, false]],
      ["destructive", [true, false]],
      [undefined, [true, false]],
    ] as const)
      expect(
        [served(true), served(false)].map((tool) =>
          isConsequential({ ...tool, consequential: consequentialBy(setting) }),
        ),
      ).toEqual(expected);
  });
});

describe("scopes together", () => {
  it("are what both ask for", () => {
    expect(widest(false, false)).toBe(false);
    expect(widest(true, false)).toBe(true);
    expect(widest(false, "messages")).toBe("messages");
    expect(widest(true, "messages")).toBe("all");
    expect(widest("all", false)).toBe("all");
  });
});

describe("what a pool is held to", () => {
  it("is what it asks for and what the pools around it ask for, by one reviewer", () => {
    const outer = { effort: "low", reviews: asked({ review: true, rules: [rule], reviewer: one }) } as const;
    const [only, ...more] = asked({ review: "messages", rules: [rule], effort: "max" }, [pay], outer);
    expect(more).toEqual([]);
    expect(only).toMatchObject({
      reviewer: one,
      asked: { agent: "all", tools: ["local:pay"], rules: [rule], effort: "max" },
    });
  });

  it("is asked of both, where it has a reviewer of its own", () => {
    const outer = { effort: "low", reviews: asked({ review: true, reviewer: one }) } as const;
    expect(
      asked({ review: "messages", reviewer: other }, [pay], outer).map(({ reviewer, asked }) => [
        reviewer === one ? "one" : "other",
        asked.agent,
        asked.tools.length,
        asked.effort,
      ]),
    ).toEqual([
      ["one", true, 0, "low"],
      ["other", "messages", 1, "low"],
    ]);
  });

  it("is nothing where nobody asks and nobody reviews", () => {
    expect(asked({}, [tool("a")])).toEqual([]);
  });

  it("has to have somebody who reviews, where something asks for it", () => {
    expect(() => asked({}, [pay])).toThrow(/steps that call "pay".*review\.tools/);
    expect(() => asked({ rules: [rule] })).toThrow(/rule "Care".*review\.rules/);
    expect(() => asked({ review: "messages" })).toThrow(/every report.*review\.messages/);
  });
});

describe("the effort", () => {
  it("is the pool's own, its caller's, or medium, and never less than its caller's", () => {
    expect(effortOf({ effort: "high" } as AgentPoolOptions, { effort: "low" })).toBe("high");
    expect(effortOf({ effort: "min" } as AgentPoolOptions, { effort: "low" })).toBe("low");
    expect(effortOf({ effort: "min" } as AgentPoolOptions, undefined)).toBe("min");
    expect(effortOf({} as AgentPoolOptions, { effort: "low" })).toBe("low");
    expect(effortOf({} as AgentPoolOptions, undefined)).toBe("medium");
  });
});
