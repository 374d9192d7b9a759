import type { Rule } from "@agentpool/core";
import { describe, expect, it } from "vitest";
import { describeReport, describeRules, describeStep } from "./describe.ts";

const rules: Rule[] = [
  { title: "Care", content: "Take care." },
  { title: "Money", content: "Confirm.", when: "money moves", kind: "observation", weight: "high" },
];
const background = {
  task: "Cancel 7.",
  instructions: ["You work for a shop."],
  applying: rules,
  conversation: { said: [{ by: "user" as const, text: "Cancel 7." }], leftOut: 2 },
};
const tools = ["cancel", "look"].map((name) => ({
  name,
  description: `To ${name}.`,
  parameters: { type: "object" },
}));

/** What stands between the fences of a prompt, by their names. */
const held = (prompt: string): Record<string, unknown> =>
  Object.fromEntries(
    [...prompt.matchAll(/^<data (\w+) [0-9a-f]{16}>\n(.*)\n<\/data/gm)].map(([, name, data]) => [
      name,
      JSON.parse(data!),
    ]),
  );
const common = {
  instructions: ["You work for a shop."],
  rules: [
    { title: "Care", kind: "policy", weight: "medium", content: "Take care." },
    { title: "Money", kind: "observation", weight: "high", content: "Confirm." },
  ],
  task: "Cancel 7.",
  conversation: background.conversation,
};

describe("what a reviewer is shown", () => {
  it("of a step is all that it is held against, why it was taken, its calls, and their tools alone", () => {
    const prompt = describeStep(
      {
        ...background,
        reasoning: "They ask.",
        text: undefined,
        calls: [{ id: "a:1#0", turn: 1, tool: "cancel", identity: "local:cancel", args: { order: 7 } }],
        tools,
      },
      "medium",
    );
    expect(held(prompt)).toEqual({
      ...common,
      reasoning: { reasoning: "They ask.", text: null },
      tools: [{ name: "cancel", description: "To cancel.", parameters: { type: "object" } }],
      calls: [{ tool: "cancel", identity: "local:cancel", args: { order: 7 } }],
    });
  });

  it("of a report is the same, and the report", () => {
    expect(held(describeReport({ ...background, report: { a: 1 } }, "low"))).toEqual({
      ...common,
      report: { a: 1 },
    });
    expect(held(describeReport({ ...background, report: undefined }, "low")).report).toBeNull();
  });

  it("of rules is when each applies, by an id of its own, beside task and conversation", () => {
    const named = rules.map((rule, at) => ({ id: `r${at + 1}`, rule }));
    expect(held(describeRules(named, background))).toEqual({
      task: "Cancel 7.",
      conversation: background.conversation,
      rules: [
        { id: "r1", title: "Care", kind: "policy", when: null, content: "Take care." },
        { id: "r2", title: "Money", kind: "observation", when: "money moves", content: "Confirm." },
      ],
    });
  });

  it("asks for more the deeper it is to go", () => {
    const ends = (["low", "medium", "high"] as const).map(
      (depth) =>
        describeReport({ ...background, report: "" }, depth)
          .split("\n")
          .at(-1)!,
    );
    expect(new Set(ends).size).toBe(3);
    expect(ends[2]!.length).toBeGreaterThan(ends[0]!.length);
  });
});
