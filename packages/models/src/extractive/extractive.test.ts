import { run } from "effection";
import { expect, test } from "vitest";
import { readTurn } from "../read-turn.ts";
import { extractive } from "./extractive.ts";
import {
  answering,
  called,
  list,
  type Play,
  type Played,
  play,
  read,
  report,
  search,
  submitBrief,
  submitPlan,
} from "./tools.testing.ts";

const files = {
  "emma.md":
    "# Emma\n\nEmma is a novel. It was written by Jane Austen and published in December 1815.\n\nThe heroine lives in Highbury.",
  "newton.md":
    "# Isaac Newton\n\nNewton was born in 1643 in Woolsthorpe.\n\nHe described gravity in the Principia.",
  "tea.md": "# Tea\n\nTea is a drink. The leaves are dried.\n\nGreen tea is not fermented.",
};
const researching = { tools: [list, search, read, report], ends: ["report"], answer: answering(files) };
const playing = (one: Play): Promise<Played> => run(() => play(one));
interface Found {
  readonly quote: string;
  readonly path: string;
  readonly lines: readonly [number, number];
  readonly confidence: number;
}
const findings = ({ last }: Played): Found[] => last.findings as Found[];

test("it searches, opens documents and reports what answers, word by word", async () => {
  const played = await playing({ ...researching, task: "Who wrote the novel Emma?" });
  expect(called(played)[0]).toEqual(["search"]);
  expect(called(played)[1]).toContain("read");
  const [best] = findings(played);
  expect(best).toMatchObject({ path: "emma.md", lines: [3, 3] });
  expect(files["emma.md"]).toContain(best!.quote);
  expect(best!.quote).toContain("Jane Austen");
  expect(best!.confidence).toBeGreaterThan(0.3);
  expect(played.last.notFound).toBeUndefined();
});

test("several documents are opened in one turn", async () => {
  const both = {
    "a.md": "# A\n\nThe harbour of Lund was built in 1820.",
    "b.md": "# B\n\nThe harbour of Lund was destroyed by fire.",
  };
  const played = await playing({
    ...researching,
    answer: answering(both),
    task: "When was the harbour of Lund destroyed?",
  });
  expect(called(played)[1]).toEqual(["read", "read"]);
});

test("the same conversation gives the same turns", async () => {
  const once = await playing({ ...researching, task: "When was Newton born?" });
  const again = await playing({ ...researching, task: "When was Newton born?" });
  expect(again.turns).toEqual(once.turns);
});

test("at most the asked number of sentences stands in a quotation", async () => {
  const task = "What did Newton describe?";
  const one = await playing({ ...researching, task, options: { sentences: 1 } });
  for (const { quote } of findings(one)) expect(quote.match(/[.!?](?=\s|$)/g)).toHaveLength(1);
});

test("a refused search is made in other words, and never repeated", async () => {
  const plain = answering(files);
  const queries: string[] = [];
  const played = await playing({
    ...researching,
    task: "When was Isaac Newton born in Woolsthorpe?",
    answer: (tool, args) => {
      if (tool !== "search") return plain(tool, args);
      queries.push(String(args.query));
      return queries.length < 3 ? { error: "This search was made already." } : plain(tool, args);
    },
  });
  expect(queries.length).toBe(3);
  expect(new Set(queries).size).toBe(3);
  expect(findings(played)[0]!.quote).toContain("1643");
});

test("where searching fails altogether it goes by the list of documents", async () => {
  const plain = answering(files);
  const played = await playing({
    ...researching,
    task: "Where was Isaac Newton born?",
    answer: (tool, args) => (tool === "search" ? { error: "search is unavailable" } : plain(tool, args)),
  });
  expect(called(played).flat()).toContain("list");
  expect(findings(played)[0]!.quote).toContain("Woolsthorpe");
});

test("a document that cannot be read is passed over, and not asked for again", async () => {
  const plain = answering(files);
  const asked: string[] = [];
  const played = await playing({
    ...researching,
    task: "Who wrote the novel Emma?",
    answer: (tool, args) => {
      if (tool !== "read") return plain(tool, args);
      asked.push(JSON.stringify(args));
      return { error: "read is unavailable right now" };
    },
  });
  expect(new Set(asked).size).toBe(asked.length);
  expect(findings(played)).toEqual([]);
  expect(played.last.notFound).toMatch(/Nothing was found that answers/);
});

test("a corpus that has nothing on the question is said to have nothing", async () => {
  const played = await playing({ ...researching, task: "Which enzymes repair mitochondrial ribosomes?" });
  expect(played.last.notFound).toMatch(
    /(?:Nothing|nothing).*“Which enzymes repair mitochondrial ribosomes\?”/,
  );
  expect(findings(played)).toEqual([]);
});

test("only lines that were read are quoted, never a snippet", async () => {
  const plain = answering(files);
  const played = await playing({
    ...researching,
    task: "Who wrote the novel Emma?",
    answer: (tool, args) => {
      if (tool !== "search") return plain(tool, args);
      return {
        value: {
          hits: [
            {
              path: "emma.md",
              title: "Emma",
              lines: [3, 3],
              snippet: "The novel Emma was written by nobody.",
              score: 1,
            },
          ],
        },
      };
    },
  });
  for (const { quote, path } of findings(played)) expect(files[path as keyof typeof files]).toContain(quote);
});

test("lines that a tool leaves blank since they were read before are taken from that reading", async () => {
  const lines = [
    "# Long",
    "",
    "The old mill of Ostby was built in 1702.",
    "",
    "The mill of Ostby grinds rye.",
  ];
  let reads = 0;
  const played = await playing({
    ...researching,
    task: "When was the old mill of Ostby built?",
    answer: (tool) => {
      if (tool === "search") {
        const at = reads === 0 ? 3 : 5;
        return {
          value: {
            hits: [{ path: "long.md", title: "Long", lines: [at, at], snippet: "mill of Ostby", score: 1 }],
          },
        };
      }
      reads++;
      const text = reads === 1 ? lines.join("\n") : ["", "", "", "", lines[4]].join("\n");
      return { value: { path: "long.md", title: "Long", lines: [1, 5], text, total: 5 } };
    },
  });
  expect(findings(played)[0]!.quote).toContain("1702");
});

test("a forced report says what there is now, with no word that was not read", () =>
  run(function* () {
    const session = yield* extractive().open({ system: "", tools: [search, read, report] });
    yield* session.append([{ role: "user", content: [{ type: "text", text: "Who wrote Emma?" }] }]);
    const first = yield* readTurn(session.generate({ tools: ["search", "read", "report"] }));
    expect(first.turn.calls.map(({ tool }) => tool)).toEqual(["search"]);
    yield* session.append([
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: first.turn.calls[0]!.id,
            toolName: "search",
            output: { type: "json", value: answerOf("search", { query: "Emma" }) },
          },
        ],
      },
      {
        role: "user",
        content: [{ type: "text", text: "You have used all your turns. Stop here and call report once." }],
      },
    ]);
    const { turn } = yield* readTurn(session.generate({ tools: ["report"], toolChoice: { tool: "report" } }));
    expect(turn.calls).toHaveLength(1);
    expect(JSON.parse(turn.calls[0]!.input)).toMatchObject({
      findings: [],
      notFound: expect.stringContaining("“Who wrote Emma?”"),
    });
  }));

const answerOf = (tool: string, args: Record<string, unknown>): never => {
  const given = answering(files)(tool, args);
  return ("value" in given ? given.value : undefined) as never;
};

test("a terminal tool of another shape is filled as well", async () => {
  const plain = {
    ...report,
    parameters: {
      type: "object",
      properties: { result: { type: "string" }, sources: { type: "array", items: { type: "string" } } },
      required: ["result"],
    },
  };
  const played = await playing({
    ...researching,
    tools: [search, read, plain],
    task: "Who wrote the novel Emma?",
  });
  expect(played.last.result).toContain("Jane Austen");
  expect(played.last.sources).toContain("emma.md");
});

test("without a tool to report with it ends in text; without any tool it says what it is", async () => {
  const spoken = await playing({ ...researching, tools: [search, read], task: "Who wrote the novel Emma?" });
  expect(spoken.turns.at(-1)).toMatchObject({ calls: [], finish: "stop" });
  expect(spoken.turns.at(-1)!.text).toContain("Jane Austen");
  const bare = await playing({ ...researching, tools: [], task: "Who wrote the novel Emma?" });
  expect(bare.turns.at(-1)!.text).toContain("not a language model");
});

test("it plans the questions that a question is made of, and drops none that do not fit", async () => {
  const planning = { tools: [list, search, submitPlan], ends: ["submit_plan"], answer: answering(files) };
  const two = await playing({ ...planning, task: "Who wrote Emma, and when was Newton born?" });
  expect(two.last.questions).toEqual(["Who wrote Emma?", "When was Newton born?"]);
  const five = await playing({
    ...planning,
    task: "What is A? What is B here? What is C here? What is D here? What is E here?",
  });
  expect(five.last.questions).toHaveLength(3);
  expect((five.last.questions as string[]).join(" ")).toContain("What is E here?");
});

test("a bare topic is planned by the outline of what there is on it", async () => {
  const outlined = {
    "guards.md": "# Guards\n\n## Scopes\n\nA.\n\n## Messages\n\nB.",
    "tea.md": "# Tea\n\n## Green\n\nC.",
  };
  const played = await playing({
    tools: [list, submitPlan],
    ends: ["submit_plan"],
    answer: answering(outlined),
    task: "guards",
  });
  expect(called(played)).toEqual([["list"], ["submit_plan"]]);
  expect(played.last.questions).toEqual(["guards", "guards: Scopes", "guards: Messages"]);
});

const finding = (id: string, quote: string, confidence: number) => ({
  id,
  quote,
  source: "a.md",
  lines: [1, 1],
  confidence,
});
const merging = (material: unknown): Promise<Played> =>
  playing({
    tools: [submitBrief],
    ends: ["submit_brief"],
    answer: answering({}),
    task: `Question: all of it\n\n\`\`\`json\n${JSON.stringify(material)}\n\`\`\``,
  });

test("it merges reports by question, best first, without what is told already", async () => {
  const { last } = await merging({
    question: "all of it",
    reports: [
      {
        question: "one?",
        findings: [finding("f1.1", "It rains.", 0.4), finding("f1.2", "It rains. It pours.", 0.7)],
      },
      {
        question: "two?",
        findings: [finding("f2.1", "The sun shines.", 0.9), finding("f2.2", "It pours.", 0.2)],
      },
      { question: "three?", findings: [] },
    ],
  });
  expect(last.sections).toEqual([
    { question: "one?", findings: ["f1.2"] },
    { question: "two?", findings: ["f2.1"] },
    { question: "three?", findings: [], notFound: "Nothing was found that answers “three?”." },
  ]);
  expect(last.note).toContain("not a language model");
});

test("a brief keeps to its limits, and each question's best finding comes before another's second", async () => {
  const { last } = await merging({
    question: "all of it",
    limits: { quotations: 3, words: 12 },
    reports: [
      {
        question: "one?",
        findings: [
          finding("a", "one two three", 0.9),
          finding("b", "four five six", 0.8),
          finding("c", "seven eight nine", 0.7),
        ],
      },
      {
        question: "two?",
        findings: [finding("d", "ten eleven twelve", 0.4), finding("e", "thirteen fourteen fifteen", 0.3)],
      },
    ],
  });
  expect((last.sections as { findings: string[] }[]).map((section) => section.findings)).toEqual([
    ["a", "b"],
    ["d"],
  ]);
});

test("material that is malformed is left out, not an error", async () => {
  const { last } = await merging({
    reports: [null, { question: 7, findings: "none" }, { question: "one?", findings: [{ quote: 3 }] }],
  });
  expect(Array.isArray(last.sections)).toBe(true);
});

test("hostile results are no evidence and crash nothing", async () => {
  const values: unknown[] = [
    null,
    7,
    "",
    [],
    {},
    { hits: null },
    { hits: [null, 3, { path: 4 }] },
    { hits: [{ path: "x", lines: ["a"] }] },
    { text: 5 },
  ];
  for (const value of values) {
    const played = await playing({
      ...researching,
      task: "Who wrote the novel Emma?",
      answer: () => ({ value }),
    });
    expect(findings(played)).toEqual([]);
  }
});

test("code is quoted only where the question asks for code", async () => {
  const mixed = {
    "pool.md":
      "# Pools\n\nA pool owns a cohort of agents.\n\n```ts\nconst pool = agentPool({ agents: 3, cohort: true });\n```\n\n" +
      "[Pool agents](agents.md) [Cohort](cohort.md)\n\npool: { cohort: agents, owns: true }",
  };
  const asked = (task: string) => playing({ ...researching, answer: answering(mixed), task });
  const plain = findings(await asked("What does a pool of agents own, a cohort?"));
  expect(plain.map(({ quote }) => quote)).toEqual(["A pool owns a cohort of agents."]);
  const code = findings(await asked("Show the code with const pool = agentPool, agents 3, cohort true."));
  expect(code.map(({ quote }) => quote).join()).toContain("agentPool({ agents: 3");
});

test("a question that seems to be in another language is said to be, where nothing answers it", async () => {
  const german = await playing({ ...researching, task: "Wer hat diesen Roman geschrieben?" });
  expect(german.last.notFound).toMatch(/knows English only/);
  const english = await playing({ ...researching, task: "Which enzymes repair mitochondrial ribosomes?" });
  expect(english.last.notFound).not.toMatch(/English/);
});
