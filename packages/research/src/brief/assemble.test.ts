import { expect, test } from "vitest";
import { Ledger } from "../ledger/ledger.ts";
import type { SubmittedBrief } from "../tools/submit-brief.ts";
import { noTotals } from "../totals.ts";
import { assemble } from "./assemble.ts";
import { numbered, verifiedAnswer } from "./findings.ts";
import { briefJson } from "./json.ts";
import { renderBrief } from "./render.ts";

const ledger = new Ledger();
ledger.record(
  "research/0",
  { path: "a.md" },
  { path: "a.md", title: "A", lines: [1, 3], text: "# A\n\nIt rains. It pours." },
);
ledger.record(
  "research/1",
  { path: "b.md" },
  { path: "b.md", title: "B", lines: [1, 1], text: "The sun shines." },
);

const asked = [
  verifiedAnswer(
    { question: "Does it rain?", agent: "research/0", number: 1 },
    {
      result: "yes",
      findings: [
        { quote: "It rains.", path: "a.md", confidence: 0.9 },
        { quote: "It snows.", path: "a.md" },
        { quote: "It rains.", path: "nowhere.md" },
      ],
    },
    ledger,
  ),
  verifiedAnswer(
    { question: "Does the sun shine?", agent: "research/1", number: 2 },
    { result: "yes", findings: [{ quote: "The sun shines.", path: "b.md", confidence: 0.5 }] },
    ledger,
  ),
];

const made = (submitted?: SubmittedBrief, limits = { quotations: 5, words: 300 }) =>
  assemble({
    question: "What is the weather?",
    answers: asked,
    limits,
    submitted,
    ledger,
    totals: noTotals,
    status: submitted ? "complete" : "partial",
    notices: [],
  });

test("quotations that do not verify, and sources nobody read, are taken out and reported", () => {
  expect(asked[0]!.findings.map(({ text }) => text)).toEqual(["It rains."]);
  expect(made().removed).toEqual([
    {
      text: "It snows.",
      source: "a.md",
      agent: "research/0",
      reason: "the source does not say this word by word",
    },
    {
      text: "It rains.",
      source: "nowhere.md",
      agent: "research/0",
      reason: "the source is not one that was found",
    },
  ]);
});

test("a citation of a finding that does not exist is removed and reported", () => {
  const brief = made({
    sections: [
      { question: "Does it rain?", findings: ["f1.1", "f9.9"], answer: "It does [f1.1], often [f7.7]." },
      { question: "Does the sun shine?", findings: ["f2.1"] },
    ],
  });
  expect(brief.sections[0]!.quotations).toHaveLength(1);
  expect(brief.sections[0]!.answer).toBe("It does [f1.1], often.");
  expect(brief.notices).toContain("Citations that name no finding were removed: f9.9, f7.7.");
});

test("sections are those of the questions, in their order, whatever a synthesis makes of them", () => {
  const brief = made({ sections: [{ question: "does the sun shine", findings: ["f2.1"] }] });
  expect(brief.sections.map(({ question, quotations }) => [question, quotations.length])).toEqual([
    ["Does it rain?", 0],
    ["Does the sun shine?", 1],
  ]);
  expect(brief.notFound).toEqual(["The brief leaves out “Does it rain?”."]);
});

test("a finding stands in a brief once", () => {
  const brief = made({
    sections: [
      { question: "Does it rain?", findings: ["f1.1", "f1.1"] },
      { question: "Does the sun shine?", findings: ["f1.1", "f2.1"] },
    ],
  });
  expect(brief.sections.map(({ quotations }) => quotations.length)).toEqual([1, 1]);
});

test("without a synthesis the brief is made by code, within its limits, each question's best first", () => {
  expect(made().sections.map(({ quotations }) => quotations.map(({ text }) => text))).toEqual([
    ["It rains."],
    ["The sun shines."],
  ]);
  expect(made(undefined, { quotations: 1, words: 300 }).sections[1]!.quotations).toEqual([]);
});

test("a brief without a quotation says that nothing was found", () => {
  const empty = assemble({
    question: "Why?",
    answers: [verifiedAnswer({ question: "Why?", agent: "research/0", number: 1 }, undefined, new Ledger())],
    limits: { quotations: 5, words: 300 },
    submitted: undefined,
    ledger: new Ledger(),
    totals: noTotals,
    status: "complete",
    notices: [],
  });
  expect(empty.notices[0]).toMatch(/Nothing was found/);
  expect(empty.notFound).toEqual(["Nothing was found that answers “Why?”."]);
  expect(renderBrief(empty)).toContain("Nothing was found that answers “Why?”.");
});

test("the Markdown quotes with path, lines and confidence, and names sources, removals and totals", () => {
  const text = renderBrief(made());
  expect(text).toMatch(/^# What is the weather\?\n\n\*Partial/);
  expect(text).toContain("## Does it rain?\n\n> It rains.\n>\n> — `a.md`, line 3, confidence 0.90");
  expect(text).toContain("- A (`a.md`): read lines 1–3; 1 quotation");
  expect(text).toContain("## Removed");
  expect(text).toContain("2 sources read");
});

test("a confidence that two digits would call nothing is said to be little", () => {
  const brief = made();
  const [section] = brief.sections;
  const quotation = { ...section!.quotations[0]!, confidence: 0.004 };
  const text = renderBrief({ ...brief, sections: [{ ...section!, quotations: [quotation] }] });
  expect(text).toContain("line 3, confidence under 0.01");
});

test("the JSON is the brief", () => {
  expect(JSON.parse(briefJson(made()))).toEqual(JSON.parse(JSON.stringify(made())));
});

test("words of a document that look like Markdown stay words", () => {
  const hostile = made();
  const [section] = hostile.sections;
  const quotation = {
    ...section!.quotations[0]!,
    text: "# not a heading\n\nand `code`",
    source: "we`ird.md",
  };
  const text = renderBrief({ ...hostile, sections: [{ ...section!, quotations: [quotation] }] });
  expect(text).toContain("> \\# not a heading and `code`");
  expect(text).toContain("`` we`ird.md ``");
});

test("answers of several inquiries keep their findings apart", () => {
  const ids = numbered([asked[0]!, asked[0]!, asked[1]!]).flatMap(({ findings }) =>
    findings.map(({ id }) => id),
  );
  expect(ids).toEqual(["f1.1", "f2.1", "f3.1"]);
});

test("a source that is cited is named, even where the ledger is that of another stage", () => {
  const brief = assemble({
    question: "Does it rain?",
    answers: asked,
    limits: { quotations: 5, words: 300 },
    submitted: undefined,
    ledger: new Ledger(),
    totals: noTotals,
    status: "complete",
    notices: [],
  });
  expect(brief.sources.map(({ source, readBy }) => [source, readBy])).toEqual([
    ["a.md", ["research/0"]],
    ["b.md", ["research/1"]],
  ]);
});

test("a question too long for a heading is shortened where it is shown, and whole in the JSON", () => {
  const question = `Does it rain in ${"Newcastle upon Tyne, ".repeat(2_000)}or not?`;
  const brief = assemble({
    question,
    answers: [
      verifiedAnswer({ question, agent: "research/0", number: 1, trouble: "cut" }, undefined, ledger),
    ],
    limits: { quotations: 5, words: 300 },
    submitted: undefined,
    ledger,
    totals: noTotals,
    status: "complete",
    notices: [],
  });
  const markdown = renderBrief(brief);
  expect(Math.max(...markdown.split("\n").map(({ length }) => length))).toBeLessThan(300);
  expect(markdown).toMatch(/^# Does it rain in Newcastle upon Tyne, .*upon…$/m);
  expect(markdown).not.toMatch(/^## Does/m);
  expect(brief.title.length).toBeLessThanOrEqual(160);
  expect(JSON.parse(briefJson(brief))).toMatchObject({ question, sections: [{ question }] });
});
