import assert from "node:assert/strict";
import { test } from "node:test";
import { extractive, type ScriptedTurn, scripted } from "@agentpool/models";
import { play, refusals } from "./scenario.ts";

const call = (tool: string, args: Record<string, unknown>): ScriptedTurn => ({ calls: [{ tool, args }] });
const search = (query: string) => call("search", { query });
const read = (page: string) => call("read", { path: `docs/${page}` });
const report = (quote: string, page: string) =>
  call("report", { result: `Found: ${quote}`, findings: [{ quote, path: `docs/${page}`, confidence: 0.9 }] });
const section = (question: string, ...findings: string[]) =>
  call("submit_brief", { sections: [{ question, findings }] });

const guard = "A guard is a named predicate that may refuse a call before it runs.";
const fork = "A fork starts with its parent's context as it stood at that moment.";

test("scout, plan, inquiries and sections end in a brief with its sources", async (t) => {
  const model = scripted(({ key, task }) => {
    if (key.startsWith("scout")) return [search("guard"), call("report", { result: "guards.md has it." })];
    if (key.startsWith("plan")) return [call("submit_plan", { questions: ["What is a guard?"] })];
    if (key.startsWith("inquiry")) return [search(task), read("guards.md"), report(guard, "guards.md")];
    return [section("What is a guard?", "f1.1")];
  });
  const { brief } = await play(t, { model, question: "Guards?" });
  assert.match(JSON.stringify(model.requestsOf("plan/0")[0]?.messages), /guards\.md has it/);
  assert.equal(brief.status, "complete");
  const [quotation] = brief.sections[0]?.quotations ?? [];
  assert.deepEqual([quotation?.text, quotation?.source, quotation?.lines], [guard, "docs/guards.md", [3, 3]]);
});

test("a plan that was edited is the plan that is researched", async (t) => {
  const model = scripted(({ key }) =>
    key.startsWith("inquiry") ? [read("forks.md"), report(fork, "forks.md")] : [section("Mine?", "f1.1")],
  );
  const { brief } = await play(t, { model, plan: { order: "parallel", inquiries: ["Mine?"] } });
  assert.deepEqual(
    brief.sections.map(({ question }) => question),
    ["Mine?"],
  );
  assert.equal(model.requestsOf("plan/0").length, 0);
});

for (const [scope, expected] of [
  ["lineage", []],
  ["cohort", ["inquiry/1 search query_dedup", "inquiry/1 read read_dedup"]],
] as const)
  test(`side by side, two inquiries want the same: with guards by ${scope} ${expected.length} calls are refused`, async (t) => {
    const model = scripted(({ key, task }) =>
      key.startsWith("inquiry")
        ? [search("guard"), search(`${task} guard`), read("guards.md"), report(guard, "guards.md")]
        : [({ messages }) => section("?", /f\d\.\d/.exec(JSON.stringify(messages))?.[0] ?? "")],
    );
    const guards = { query_dedup: { scope }, read_dedup: { scope } };
    const plan = { order: "parallel", inquiries: ["Guards?", "Predicates?"] } as const;
    assert.deepEqual(refusals(await play(t, { model, plan, guards })), expected);
  });

test("one after another, an inquiry starts with the reports before it", async (t) => {
  const model = scripted(({ key }) => {
    if (key === "inquiry/0") return [read("guards.md"), report(guard, "guards.md")];
    if (key === "inquiry/1") return [read("forks.md"), report(fork, "forks.md")];
    return [section("?", key === "section/0" ? "f1.1" : "f2.1")];
  });
  await play(t, { model, plan: { order: "chain", inquiries: ["Guards?", "Forks?"] } });
  assert.ok(
    JSON.stringify(model.requestsOf("inquiry/1")[0]?.messages).includes(`“${guard}” (docs/guards.md:3-3)`),
  );
});

test("a quotation that stands nowhere is sent back once, then taken out", async (t) => {
  const invented = "A guard is a friendly dog.";
  const model = scripted(() => [
    read("guards.md"),
    report(invented, "guards.md"),
    report(invented, "guards.md"),
  ]);
  const { brief } = await play(t, { model, plan: { order: "parallel", inquiries: ["Guards?"] } });
  assert.match(JSON.stringify(model.requests.at(-1)?.messages), /do not stand in what was read/);
  assert.deepEqual(
    brief.removed.map(({ text }) => text),
    [invented],
  );
  assert.deepEqual(
    brief.sections.flatMap(({ quotations }) => quotations),
    [],
  );
});

test("what does not fit into a section is left out, the least sure first", async (t) => {
  const quotes = ["## What the model reads", guard, "## Names", "## When a guard breaks"];
  const findings = quotes.map((quote, at) => ({
    quote,
    path: "docs/guards.md",
    confidence: at === 1 ? 0.9 : 0.1,
  }));
  const model = scripted(({ key }) =>
    key.startsWith("inquiry")
      ? [read("guards.md"), call("report", { result: "Much.", findings })]
      : [section("Guards?", "f1.1", "f1.2")],
  );
  const { brief } = await play(t, {
    model,
    plan: { order: "parallel", inquiries: ["Guards?"] },
    numbers: { tokens: 240 },
  });
  const sent = JSON.stringify(model.requestsOf("section/0")[0]?.messages);
  assert.ok(sent.includes(guard) && !sent.includes("When a guard breaks"));
  assert.match(brief.notices.join(" "), /did not fit and were left out/);
});

test("it runs on the embedded engine", async (t) => {
  const question =
    "What does the model read when a guard refuses a call, what does a fork start with, and how often is a failed call run again?";
  const { brief } = await play(t, { model: extractive(), question });
  assert.equal(brief.status, "complete");
  const quoted = brief.sections.flatMap(({ quotations }) => quotations.map(({ text }) => text)).join(" ");
  for (const text of ["the model reads the guard's message", fork, "run again once"])
    assert.ok(quoted.includes(text), text);
});
