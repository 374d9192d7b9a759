import { ConfigurationError, defineTool, type PoolEvent } from "@agentpool/core";
import { extractive, type ScriptedTurn, scripted } from "@agentpool/models";
import { run, suspend, withResolvers } from "effection";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Brief } from "./brief/brief.ts";
import { documentTools } from "./documents.testing.ts";
import { type ResearchOptions, research, useResearch } from "./research.ts";

const documents = {
  "emma.md": "# Emma\n\nEmma was written by Jane Austen.\n\nIt was published in December 1815.",
  "newton.md": "# Newton\n\nNewton was born in 1643.",
};
const tools = documentTools(documents);
const job = (options: Omit<ResearchOptions, "tools"> & Partial<ResearchOptions>): Promise<Brief> =>
  run(() => research({ tools, ...options }));

const call = (tool: string, args: Record<string, unknown>): ScriptedTurn => ({ calls: [{ tool, args }] });
const planned = (...questions: string[]): ScriptedTurn => call("submit_plan", { questions });
const reported = (quote: string, path: string): ScriptedTurn =>
  call("report", { result: quote, findings: [{ quote, path, lines: [1, 1], confidence: 0.8 }] });
const briefed = (sections: unknown[]): ScriptedTurn => call("submit_brief", { sections });

/** Plays a job by its agents' keys. */
const playing = (agents: Record<string, ScriptedTurn[]>) => scripted(({ key }) => agents[key] ?? []);

test("the embedded engine does the whole job: a plan, agents side by side, a brief of verified quotations", async () => {
  const brief = await job({ model: extractive(), question: "Who wrote Emma, and when was Newton born?" });
  expect(brief.status).toBe("complete");
  expect(brief.sections.map(({ question }) => question)).toEqual([
    "Who wrote Emma?",
    "When was Newton born?",
  ]);
  const [emma, newton] = brief.sections.map(({ quotations }) => quotations[0]!);
  expect(emma).toMatchObject({ source: "emma.md", lines: [3, 3], heading: "Emma" });
  expect(emma!.text).toContain("Jane Austen");
  expect(newton!.text).toContain("1643");
  expect(brief.removed).toEqual([]);
  expect(brief.totals.agents).toBe(4);
});

test.each(["min", "low", "medium"] as const)(
  "at effort %s nobody is stopped for turns, also where nothing answers",
  async (effort) => {
    const brief = await job({ model: extractive(), question: "What do cats eat in winter on Mars?", effort });
    expect(brief.status).toBe("complete");
    expect(brief.notFound).toHaveLength(1);
  },
);

const emmaJob = (research: Record<string, ScriptedTurn[]>, sections: unknown[] = []) =>
  playing({
    "plan/0": [planned("Who wrote Emma?", "When was Newton born?")],
    ...research,
    "synthesis/0": [briefed(sections)],
  });
const newtonAgent = [call("read", { path: "newton.md" }), reported("Newton was born in 1643.", "newton.md")];
const emmaAgent = [
  call("read", { path: "emma.md" }),
  reported("Emma was written by Jane Austen.", "emma.md"),
];

test("any model does the job through the same calls, and lines are those of the file", async () => {
  const brief = await job({
    question: "Both?",
    model: emmaJob({ "research/0": emmaAgent, "research/1": newtonAgent }, [
      { question: "Who wrote Emma?", findings: ["f1.1"], answer: "Jane Austen [f1.1]." },
      { question: "When was Newton born?", findings: ["f2.1"] },
    ]),
  });
  expect(brief.sections).toMatchObject([
    {
      question: "Who wrote Emma?",
      answer: "Jane Austen [f1.1].",
      quotations: [{ lines: [3, 3], confidence: 0.8 }],
    },
    { question: "When was Newton born?", quotations: [{ text: "Newton was born in 1643." }] },
  ]);
});

test("a report answers its own agent's task, in whatever order the agents end", async () => {
  const slow = [{ ...call("read", { path: "emma.md" }), wait: 20 }, ...emmaAgent.slice(1)];
  const brief = await job({
    question: "Both?",
    model: emmaJob({ "research/0": slow, "research/1": newtonAgent }, [
      { question: "When was Newton born?", findings: ["f2.1"] },
      { question: "Who wrote Emma?", findings: ["f1.1"] },
    ]),
  });
  expect(brief.sections.map(({ question, quotations }) => [question, quotations[0]?.source])).toEqual([
    ["Who wrote Emma?", "emma.md"],
    ["When was Newton born?", "newton.md"],
  ]);
});

test("a report before anything was read is sent back once", async () => {
  const model = emmaJob({
    "research/0": [reported("Emma was written by Jane Austen.", "emma.md"), ...emmaAgent],
    "research/1": newtonAgent,
  });
  const brief = await job({ question: "Both?", model });
  expect(brief.removed).toEqual([]);
  const shown = model.requests.filter(({ key, turn }) => key === "research/0" && turn === 2)[0]!;
  expect(JSON.stringify(shown.messages)).toContain("Nothing was read yet");
});

test("a misquotation is sent back once; one that stands is taken out of the brief and reported", async () => {
  const misquoting = reported("Emma was written by a committee.", "emma.md");
  const brief = await job({
    question: "Both?",
    model: emmaJob({
      "research/0": [call("read", { path: "emma.md" }), misquoting, misquoting],
      "research/1": newtonAgent,
    }),
  });
  expect(brief.sections[0]).toMatchObject({ quotations: [] });
  expect(brief.removed).toMatchObject([{ text: "Emma was written by a committee.", agent: "research/0" }]);
});

test("an agent that fails keeps its siblings' answers, and its own section says why", async () => {
  const brief = await job({
    question: "Both?",
    model: emmaJob({ "research/0": [{ error: new Error("out of order") }], "research/1": newtonAgent }, [
      { question: "When was Newton born?", findings: ["f2.1"] },
    ]),
  });
  expect(brief.status).toBe("partial");
  expect(brief.sections[1]!.quotations).toHaveLength(1);
  expect(brief.notices.join("\n")).toContain("out of order");
});

test("where planning fails the question is researched as one", async () => {
  const brief = await job({
    question: "Who wrote Emma?",
    model: playing({
      "plan/0": [{ error: new Error("no plan") }],
      "research/0": emmaAgent,
      "synthesis/0": [briefed([{ question: "Who wrote Emma?", findings: ["f1.1"] }])],
    }),
  });
  expect(brief.sections[0]!.quotations[0]!.text).toContain("Jane Austen");
  expect(brief.notices.join("\n")).toContain("no plan");
});

test("a synthesis that is cut off is noticed: the brief is made from the reports and marked partial", async () => {
  const brief = await job({
    question: "Both?",
    model: playing({
      "plan/0": [planned("Who wrote Emma?")],
      "research/0": emmaAgent,
      "synthesis/0": [{ text: "The brief begins", finish: "length" }, { error: new Error("down") }],
    }),
  });
  expect(brief.status).toBe("partial");
  expect(brief.sections[0]!.quotations[0]!.text).toContain("Jane Austen");
  expect(brief.notices.join("\n")).toContain("The synthesis did not come to its end");
});

test("a run that found nothing says so, and needs no synthesis", async () => {
  const nothing = [call("search", { query: "zebra" }), call("report", { result: "nothing", findings: [] })];
  const brief = await job({
    question: "Who bred the zebra?",
    model: playing({ "plan/0": [planned("Who bred the zebra?")], "research/0": nothing }),
  });
  expect(brief.sections[0]!.notFound).toContain("Nothing was found");
  expect(brief.notices[0]).toMatch(/Nothing was found/);
  expect(brief.totals).toMatchObject({ searches: 1, emptySearches: 1, sourcesRead: 0 });
});

test("each stage may run on its own model", async () => {
  const plan = playing({ "plan/0": [planned("Who wrote Emma?")] });
  const brief = await job({ question: "Both?", model: extractive(), models: { plan } });
  expect(plan.requests).toHaveLength(1);
  expect(brief.sections[0]!.quotations[0]!.text).toContain("Jane Austen");
});

test("winding down gives a partial brief of what was reported", async () => {
  const reading = withResolvers<void>();
  const slow = defineTool({
    name: "read",
    description: "Never comes back by itself.",
    parameters: z.object({ path: z.string() }),
    *execute({ path }) {
      if (path === "newton.md") {
        reading.resolve();
        yield* suspend();
      }
      return { path, title: path, lines: [1, 5], text: documents["emma.md"] };
    },
  });
  const ended = withResolvers<void>();
  const brief = await run(function* () {
    const handle = yield* useResearch({
      question: "Both?",
      tools: [tools[0]!, { ...slow, timeoutMs: 50 }],
      model: emmaJob({ "research/0": emmaAgent, "research/1": newtonAgent }),
      onEvent: (event: PoolEvent) => {
        if (event.type === "agent:ended" && event.agent === "research/0") ended.resolve();
      },
    });
    yield* reading.operation;
    yield* ended.operation;
    handle.windDown();
    return yield* handle.result;
  });
  expect(brief.status).toBe("partial");
  expect(brief.sections[0]!.quotations[0]!.text).toContain("Jane Austen");
  expect(brief.notices.join("\n")).toContain("brought to an end");
});

test("an empty question is an error that says so", async () => {
  await expect(job({ question: "  ", model: extractive() })).rejects.toThrow(ConfigurationError);
});
