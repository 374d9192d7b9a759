import { describe, expect, it } from "vitest";
import { readMatch, readVerdict, verdictForm } from "./verdict.ts";

const read = (value: unknown) => readVerdict(JSON.stringify(value));

describe("a verdict", () => {
  it("passes, with a todo where there is one", () => {
    expect(read({ passed: true })).toEqual({ type: "read", value: { type: "passed", todo: undefined } });
    expect(read({ passed: true, todo: " Tell them. ", adjustedReasoning: null })).toEqual({
      type: "read",
      value: { type: "passed", todo: "Tell them." },
    });
  });

  it("that passes has no reasoning to put in place, whatever it says", () => {
    expect(read({ passed: true, todo: "", adjustedReasoning: "Otherwise." })).toEqual({
      type: "read",
      value: { type: "passed", todo: undefined },
    });
  });

  it("is a breach with the reasoning that takes the step's place", () => {
    expect(read({ passed: false, todo: "x", adjustedReasoning: "I ask first." })).toEqual({
      type: "read",
      value: { type: "breach", reasoning: "I ask first." },
    });
  });

  for (const given of [
    undefined,
    "",
    "passed",
    "[]",
    "null",
    "{}",
    '{"passed":"true"}',
    '{"passed":1}',
    '{"passed":false}',
    '{"passed":false,"adjustedReasoning":"  "}',
    '{"passed":true,"todo":3}',
    '{"passed":true} {"passed":false}',
  ])
    it(`is malformed, with a reason, where it is ${given === undefined ? "nothing" : JSON.stringify(given)}`, () => {
      const verdict = readVerdict(given);
      expect(verdict).toMatchObject({ type: "malformed", why: expect.stringMatching(/\w/) });
    });

  it("that goes on and on is malformed: it would fill the agent's context", () => {
    expect(read({ passed: false, adjustedReasoning: "x".repeat(8_000) })).toMatchObject({ type: "read" });
    for (const part of ["todo", "adjustedReasoning"])
      expect(read({ passed: part === "todo", [part]: "x".repeat(8_001) })).toMatchObject({
        type: "malformed",
        why: expect.stringContaining(part),
      });
  });

  it("has a form that providers can hold a model to: closed, every part required", () => {
    expect(verdictForm).toMatchObject({
      type: "object",
      additionalProperties: false,
      required: ["passed", "todo", "adjustedReasoning"],
    });
  });
});

describe("which rules apply", () => {
  it("is said by their ids", () => {
    expect(readMatch('{"applies":["r2"]}', ["r1", "r2"])).toEqual({ type: "read", value: ["r2"] });
    expect(readMatch('{"applies":[]}', ["r1"])).toEqual({ type: "read", value: [] });
  });

  it("is malformed with an id that nobody asked about, or in another form", () => {
    expect(readMatch('{"applies":["r3"]}', ["r1"])).toMatchObject({
      type: "malformed",
      why: '"r3" is no id of a rule',
    });
    expect(readMatch('["r1"]', ["r1"])).toMatchObject({ type: "malformed" });
  });
});
