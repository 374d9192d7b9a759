import { checkedOverrides, type Reviewer, type Rule, type Tool } from "@agentpool/core";
import { describe, expect, it } from "vitest";
import { type Reviewing, reviewedToo } from "./reviews.ts";

const reviewer: Reviewer = { hooksFor: () => ({}) };
const care: Rule = { title: "Care", content: "Take care." };
const speed: Rule = { title: "Speed", content: "Hurry." };
const harness: Reviewing = {
  review: { agent: true, tools: checkedOverrides(["pay", "mcp:files/*", "gone"]) },
  rules: [care],
  effort: "high",
  reviewer,
};
const pay: Tool = { name: "pay", description: "", parameters: { type: "object" }, execute: () => 1 };

describe("what a job is reviewed for", () => {
  it("is what its harness says, where it says nothing itself", () => {
    expect(reviewedToo(harness, {}, [pay])).toEqual(harness);
  });

  it("can be more than its harness says, and never less", () => {
    expect(reviewedToo(harness, { review: "messages", rules: [speed] }, [pay])).toMatchObject({
      review: { agent: "all" },
      rules: [care, speed],
    });
    expect(reviewedToo(harness, { review: false, rules: [] }, [pay])).toMatchObject({
      review: { agent: true, tools: ["pay", "mcp:files/*", "gone"] },
      rules: [care],
    });
  });

  it("names its own tools beside those of the harness that it has, so that a misspelt one is found", () => {
    expect(reviewedToo(harness, { review: { tools: ["pya"] } }, [pay]).review).toEqual({
      agent: true,
      tools: ["pay", "mcp:files/*", "pya"],
    });
  });

  it("is judged by whom it says itself", () => {
    const own: Reviewer = { hooksFor: () => ({}) };
    expect(reviewedToo(harness, { reviewer: own }, [pay])).toMatchObject({ reviewer: own });
  });

  it("may be tried at harder than its harness says, and not less: at min nothing would be reviewed", () => {
    expect(
      ["min", "medium", "max"].map((effort) => reviewedToo(harness, { effort } as Reviewing, [pay]).effort),
    ).toEqual(["high", "high", "max"]);
  });
});
