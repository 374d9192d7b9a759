import { describe, expect, it } from "vitest";
import { readDecision, readReject } from "./answers.ts";

describe("a decision", () => {
  for (const answer of [undefined, null, { type: "proceed" }])
    it(`${JSON.stringify(answer)} abstains`, () => expect(readDecision(answer, "g")).toBeUndefined());

  it("means what its type says", () => {
    expect(readDecision({ type: "refuse", message: "no" }, "g")).toEqual({
      type: "refused",
      guard: "g",
      message: "no",
    });
    expect(readDecision({ type: "cancel", message: "no" }, "g")).toMatchObject({ type: "cancelled" });
    expect(readDecision({ type: "substitute", result: { a: 1 } }, "g")).toMatchObject({
      type: "substituted",
      value: { a: 1 },
    });
    expect(readDecision({ type: "requireApproval", reason: "why" }, "g")).toEqual({
      type: "approval",
      reason: "why",
    });
  });

  const circular: Record<string, unknown> = {};
  circular.self = circular;
  for (const [what, answer] of [
    ["true", true],
    ["text", "refuse"],
    ["an unknown type", { type: "allow" }],
    ["an inherited type", Object.create({ type: "refuse", message: "no" })],
    ["a refusal without a message", { type: "refuse" }],
    ["a refusal with a blank one", { type: "refuse", message: "  " }],
    ["a substitute without a result", { type: "substitute" }],
    ["a substitute that is no JSON", { type: "substitute", result: 1n }],
    ["a substitute that is circular", { type: "substitute", result: circular }],
    ["an approval without a reason", { type: "requireApproval" }],
  ] as const)
    it(`is malformed: ${what}`, () => expect(() => readDecision(answer, "g")).toThrow());
});

it("a predicate answers true or false, and nothing means false", () => {
  expect([true, false, undefined].map(readReject)).toEqual([true, false, false]);
  expect(() => readReject("yes")).toThrow(/true or false/);
});
