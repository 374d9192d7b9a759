import type { Prompt, Rule } from "@agentpool/core";
import { describe, expect, it } from "vitest";
import { depthOf, effortOf } from "./effort.ts";
import { isAbout, isConditional, toldIn, toldOf } from "./rules.ts";

const rule = (more: Partial<Rule> = {}): Rule => ({ title: "Care", content: "Take care.", ...more });

describe("a rule", () => {
  it("is held against the conversation where it has a condition, asks for something, or is an observation", () => {
    expect(isConditional(rule())).toBe(false);
    expect(isConditional(rule({ weight: "high", tools: ["a"], review: false, kind: "policy" }))).toBe(false);
    for (const more of [
      { when: "now" },
      { review: true },
      { review: "messages" },
      { effort: "low" },
      { kind: "observation" },
    ] as const)
      expect(isConditional(rule(more))).toBe(true);
  });

  it("is about agents that have one of its tools, by name, identity or pattern", () => {
    const having = [{ name: "write", identity: "mcp:files/write" }];
    expect(isAbout(rule(), [])).toBe(true);
    for (const tools of [["write"], ["mcp:files/*"], ["mcp:files/write"], ["other", "write"]])
      expect(isAbout(rule({ tools }), having)).toBe(true);
    expect(isAbout(rule({ tools: ["read"] }), having)).toBe(false);
    expect(isAbout(rule({ tools: [] }), having)).toBe(false);
  });
});

describe("what an agent is told", () => {
  const [care, speed] = [rule(), rule({ title: "Speed\nlimit", content: "Hurry.", kind: "observation" })];

  it("is what is new, and what is over, each once", () => {
    expect(toldOf(new Set(), [care, speed])).toBe(
      "From here on this applies:\n- Care: Take care.\n- Speed limit (a situation): Hurry.",
    );
    expect(toldOf(new Set([care]), [speed])).toBe(
      "From here on this applies:\n- Speed limit (a situation): Hurry.\nThis no longer applies: Care.",
    );
  });

  it("is found in its conversation again, whoever it was told to", () => {
    const user = (text: string): Prompt[number] => ({ role: "user", content: [{ type: "text", text }] });
    const other = rule({ title: "Other", content: "Take care.\n- Of others: always." });
    const rules = [care, speed, other];
    const conversation: Prompt = [];
    let told: ReadonlySet<Rule> = new Set();
    expect(toldIn([user("Take care. From here on this applies:")], rules)).toEqual(told);
    for (const applying of [[care, other], [care], [speed, other], [], [other, care]]) {
      conversation.push(user(toldOf(told, applying)!), user("Go on."), {
        role: "assistant",
        content: [{ type: "text", text: "This no longer applies: Care; Other." }],
      });
      told = new Set(applying);
      expect(toldIn(conversation, rules)).toEqual(told);
    }
  });

  it("is nothing where nothing changed", () => {
    expect(toldOf(new Set([care]), [care])).toBeUndefined();
    expect(toldOf(new Set(), [])).toBeUndefined();
  });
});

describe("a turn's effort", () => {
  it("is raised by the rules that apply, and never lowered", () => {
    expect(effortOf("medium", [])).toBe("medium");
    expect(effortOf("medium", [rule({ effort: "low" }), rule({ effort: "max" }), rule()])).toBe("max");
    expect(effortOf("high", [rule({ effort: "low" })])).toBe("high");
  });

  it("gives the depth of its reviews, with the weight of its rules", () => {
    expect(depthOf("medium", [])).toBe("medium");
    expect(depthOf("medium", [rule({ weight: "low" }), rule({ weight: "high" })])).toBe("high");
    expect(depthOf("low", [rule({ weight: "low" })])).toBe("low");
  });
});
