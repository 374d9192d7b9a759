import { describe, expect, it } from "vitest";
import { selfContained } from "./self-contained.ts";

const yuan = { question: "Who founded the Yuan dynasty?", sources: ["yuan dynasty"] };

describe("a follow-up that points back is given the topic of the question before it", () => {
  it.each([
    ["When did he become Great Khan?", "When did he become Great Khan? (Yuan dynasty)"],
    ["What was his first success?", "What was his first success? (Yuan dynasty)"],
    ["And when did it end?", "And when did it end? (Yuan dynasty)"],
    ["Which of these can be switched off?", "Which of these can be switched off? (Yuan dynasty)"],
    ["Who killed him?", "Who killed him? (Yuan dynasty)"],
    ["And in 1282?", "And in 1282? (Yuan dynasty)"],
    ["What is known about them?", "What is known about them? (Yuan dynasty)"],
  ])("%s", (question, whole) => expect(selfContained(question, yuan)).toBe(whole));

  it("that has no name in it by what matters in it", () => {
    const before = { question: "How are retries limited?", sources: ["retries"] };
    expect(selfContained("Who can change this?", before)).toBe("Who can change this? (retries limited)");
  });

  it("that pointed back itself by what its answer quotes from", () => {
    const before = { question: "When did he become Great Khan?", sources: ["yuan dynasty"] };
    expect(selfContained("And where was he born?", before)).toBe("And where was he born? (yuan dynasty)");
  });
});

describe("a question that says what it is about stays as it is", () => {
  it.each([
    "How many points did the Panthers defense surrender?",
    "And who built the Eiffel Tower?",
    "Where did Nikola Tesla move when he left Prague?",
    "Why do plants lose their leaves?",
    "How long does it take to fly to Mars?",
    "What is the name of the theory that explains gravity?",
    "Did the Yuan dynasty lose its capital?",
  ])("%s", (question) => expect(selfContained(question, yuan)).toBe(question));

  it("also where nothing was asked before", () =>
    expect(selfContained("When did he die?", undefined)).toBe("When did he die?"));
});
