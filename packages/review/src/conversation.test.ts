import { estimateTokens, type Prompt } from "@agentpool/core";
import { describe, expect, it } from "vitest";
import { excerptOf } from "./conversation.ts";

const user = (text: string): Prompt[number] => ({ role: "user", content: [{ type: "text", text }] });
const result = (value: string): Prompt[number] => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId: "a", toolName: "search", output: { type: "json", value } }],
});

describe("an excerpt of a conversation", () => {
  it("says who said what: people, the agent with its reasoning and calls, tools with their results", () => {
    const messages: Prompt = [
      { role: "system", content: "not said" },
      user("Find it."),
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Where?" },
          { type: "text", text: "I look." },
          { type: "tool-call", toolCallId: "a", toolName: "search", input: { q: "x" } },
        ],
      },
      result("found"),
    ];
    expect(excerptOf(messages, 1_000)).toEqual({
      said: [
        { by: "user", text: "Find it." },
        { by: "agent", reasoning: "Where?", text: "I look.", calls: [{ tool: "search", args: { q: "x" } }] },
        { by: "tool", tool: "search", result: "found" },
      ],
      leftOut: 0,
    });
  });

  it("keeps its beginning, where the task is, and its end, and says how much is missing between", () => {
    const messages = [
      user("The task."),
      ...Array.from({ length: 50 }, (_, at) => user(`Message ${at}. ${"x".repeat(100)}`)),
    ];
    const { said, leftOut } = excerptOf(messages, 500);
    expect(said[0]).toEqual({ by: "user", text: "The task." });
    expect(said.at(-1)!.text).toContain("Message 49.");
    expect(leftOut).toBeGreaterThan(0);
    expect(said.length - 1 + leftOut).toBe(50);
    expect(estimateTokens(JSON.stringify(said))).toBeLessThan(600);
  });

  it("cuts a single text or result that is too long, and says so", () => {
    const { said } = excerptOf([user("x".repeat(50_000)), result("y".repeat(50_000))], 100_000);
    for (const one of said) expect(JSON.stringify(one)).toMatch(/[xy] \[… \d+ characters left out\]/);
  });

  it("of nothing is empty", () => {
    expect(excerptOf([], 10)).toEqual({ said: [], leftOut: 0 });
  });
});
