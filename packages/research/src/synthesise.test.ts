import { scripted } from "@agentpool/models";
import { run } from "effection";
import { expect, test } from "vitest";
import type { Answer } from "./brief/findings.ts";
import { synthesise } from "./synthesise.ts";

/** So many findings of two sentences each; the later, the less sure. */
const answer = (findings: number): Answer => ({
  question: "What was found?",
  agent: "research/0",
  findings: Array.from({ length: findings }, (_, at) => ({
    id: `f1.${at + 1}`,
    text: `Finding ${at + 1} says something about what was asked. ${"It goes on for a while. ".repeat(8)}`,
    source: "a.md",
    title: "A",
    heading: "",
    lines: [at + 1, at + 1],
    confidence: 1 - at / 1_000,
  })),
  result: "",
  removed: [],
});

const submitting = (contextWindow?: number, findings: readonly string[] = ["f1.1"]) =>
  scripted(
    () => [
      {
        calls: [
          {
            tool: "submit_brief",
            args: { sections: [{ question: "What was found?", findings: [...findings] }] },
          },
        ],
      },
    ],
    contextWindow === undefined ? {} : { contextWindow },
  );

const sent = (model: ReturnType<typeof submitting>): string =>
  JSON.stringify(model.requestsOf("synthesis/0")[0]?.messages);

test("what a synthesis is sent fits its model: the least sure findings are left out before it is asked, and said", () =>
  run(function* () {
    const model = submitting(4_000);
    const brief = yield* synthesise({ question: "All?", answers: [answer(200)] }, { model, tools: [] });
    expect(sent(model)).toContain('f1.1\\"');
    expect(sent(model)).not.toContain("f1.200");
    expect(sent(model).length / 4).toBeLessThan(4_000);
    expect(brief.notices.join(" ")).toMatch(/\d+ findings of low confidence were left out of the synthesis/);
    expect(brief.sections[0]?.quotations[0]?.text).toMatch(/^Finding 1 says/);
  }));

test("a synthesis whose model has room is sent everything, and nothing is said", () =>
  run(function* () {
    const model = submitting();
    const brief = yield* synthesise({ question: "All?", answers: [answer(20)] }, { model, tools: [] });
    expect(sent(model)).toContain("f1.20");
    expect(brief.notices).toEqual([]);
    expect(brief.status).toBe("complete");
  }));

test.each([
  ["cites nothing", [], "The synthesis cited nothing that was found: this brief was made from the reports."],
  [
    "cites only what nobody found",
    ["f9.9"],
    "The synthesis cited nothing that was found, but f9.9: this brief was made from the reports.",
  ],
])("a synthesis that %s loses no finding, and the brief says so and is partial", (_, findings, notice) =>
  run(function* () {
    const model = submitting(undefined, findings);
    const brief = yield* synthesise({ question: "All?", answers: [answer(3)] }, { model, tools: [] });
    expect(brief.sections[0]?.quotations.map(({ text }) => text.slice(0, 9))).toEqual([
      "Finding 1",
      "Finding 2",
      "Finding 3",
    ]);
    expect(brief.notices).toEqual([notice]);
    expect(brief.status).toBe("partial");
  }),
);
