import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run, until } from "effection";
import { describe, expect, it } from "vitest";
import { call } from "../../packages/cli/test/in-process.ts";
import { folderWith, pool } from "../../packages/cli/test/pool.ts";
import {
  chatEvents,
  type Received,
  responseEvents,
  streamed,
  useWire,
} from "../../packages/models/src/providers/wire.testing.ts";

const say = (value: object) => streamed(chatEvents({ text: JSON.stringify(value), finish: "stop" }));
const calls = (tool: string, args: object, id = tool) =>
  streamed(chatEvents({ calls: [{ id, tool, input: JSON.stringify(args) }], finish: "tool_calls" }));

/** A server that is agent and judge: it tells who asks by the system text, and gives each the next of its replies. */
const serving = (replies: { readonly [who: string]: readonly ReturnType<typeof say>[] }) => {
  const next = new Map<string, number>();
  return ({ body }: Received) => {
    const who = body.includes("You review the work")
      ? body.includes("wants to end with a report")
        ? "messages"
        : "review"
      : body.includes("You decide which rules apply")
        ? "rules"
        : "agent";
    const at = next.get(who) ?? 0;
    next.set(who, at + 1);
    const own = replies[who] ?? [];
    return own[Math.min(at, own.length - 1)] ?? say({ unexpected: who });
  };
};

const program = `
  import { parallel, reportTool } from "@agentpool/core";
  import { defineHarness } from "@agentpool/harness";
  const cancel_order = {
    name: "cancel_order", description: "Cancels an order.",
    parameters: { type: "object", properties: { order: { type: "number" } }, required: ["order"] },
    execute: ({ order }) => { console.error("CANCELLED " + order); return "done"; },
  };
  export default defineHarness({
    tools: [cancel_order],
    *run(question, { pool }) {
      const { agents } = yield* pool({ system: "You work for a shop.", terminal: reportTool, orchestrate: parallel([question]) });
      return agents[0].result;
    },
  });`;

const files = (url: string, policy: string, more = "") => ({
  "harness.yml": `program: ./p.ts
model: openai-compatible/served
providers: { openai-compatible: { baseURL: "${url}/v1" } }
store: none
${more}
policy:
  review:
${policy}`,
  "p.ts": program,
});

describe("harness.yml", () => {
  it("asks for reviews of a tool, under a rule: `pool run` sends the step back and says so", () =>
    run(function* () {
      const wire = yield* useWire(
        serving({
          agent: [
            calls("cancel_order", { order: 7 }),
            calls("report", { result: "Order 7 has shipped; it stays." }),
          ],
          review: [say({ passed: false, todo: null, adjustedReasoning: "It has shipped. I say so." })],
        }),
      );
      const cwd = folderWith(
        files(
          wire.url,
          `    tools: [cancel_order]
    rules: [{ title: Shipped orders, content: Only orders that have not shipped may be cancelled. }]`,
        ),
      );
      const { code, stdout, stderr } = yield* until(pool(["run", "Cancel order 7."], { cwd }));
      expect(stderr).not.toContain("CANCELLED");
      expect(stderr).toMatch(/sent back.*It has shipped\. I say so\./);
      expect(stdout).toBe("Order 7 has shipped; it stays.\n");
      expect(code).toBe(0);
      expect(wire.received).toHaveLength(3);
      expect(wire.received[1]!.body).toContain("Only orders that have not shipped may be cancelled.");
      expect(wire.received[2]!.body).not.toContain('\\"order\\":7');
    }));

  it("has rules that are matched turn by turn, reports that are reviewed, and restarts of its own choosing", () =>
    run(function* () {
      const wire = yield* useWire(
        serving({
          agent: [calls("report", { result: "a" }, "r1"), calls("report", { result: "b" }, "r2")],
          rules: [say({ applies: ["r1"] })],
          messages: [
            say({ passed: false, todo: null, adjustedReasoning: "Say b." }),
            say({ passed: true, todo: null, adjustedReasoning: null }),
          ],
        }),
      );
      const cwd = folderWith(
        files(
          wire.url,
          `    rules: [{ title: Care, content: Take care., when: somebody asks, review: messages, weight: high }]
    reportRestarts: { medium: 1 }`,
        ),
      );
      const { code, stdout } = yield* until(pool(["run", "--json", "Say it."], { cwd }));
      expect(code).toBe(0);
      const events = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(events.filter(({ type }) => /^review:/.test(type)).map(({ type }) => type)).toEqual([
        "review:matched",
        "review:started",
        "review:restarted",
        "review:started",
        "review:passed",
      ]);
      expect(events.find(({ type }) => type === "review:restarted")).toMatchObject({
        subject: "report",
        limit: 1,
        adjustedReasoning: "Say b.",
        asked: [{ by: "rule", title: "Care" }],
      });
      expect(events.at(-1)).toMatchObject({ type: "result" });
    }));

  it("gives the reviewer a route of its own, by effort, with the depth that the route does not set", () =>
    run(function* () {
      const wire = yield* useWire(
        serving({
          agent: [calls("cancel_order", { order: 7 }), calls("report", { result: "done" })],
          review: [say({ passed: true, todo: null, adjustedReasoning: null })],
        }),
      );
      const cwd = folderWith(
        files(
          wire.url,
          "    agent: true",
          `models: { "review.*": openai-compatible/cheap, "review.tools[effort>=high]": openai-compatible/strict }
defaults: { effort: high }`,
        ),
      );
      const { code, stderr } = yield* until(pool(["run", "Cancel order 7."], { cwd }));
      expect(code).toBe(0);
      expect(stderr).toContain("CANCELLED 7");
      const judged = wire.received.find(({ body }) => body.includes("You review the work"))!;
      expect(JSON.parse(judged.body).model).toBe("strict");
      expect(judged.body).toContain("one by one");
    }));

  for (const [route, weight, effort] of [
    ["openai/gpt-5-mini", "high", "high"],
    ["{ model: openai/gpt-5-mini, reasoning: minimal }", "high", "minimal"],
    ["openai/gpt-4.1-mini", "high", undefined],
  ] as const)
    it(`lets a reviewer that can reason do so as deeply as effort and rules ask, unless its route says how much: ${route}`, () =>
      run(function* () {
        const agent = yield* useWire(
          serving({ agent: [calls("cancel_order", { order: 7 }), calls("report", { result: "done" })] }),
        );
        const judge = yield* useWire(
          streamed(
            responseEvents({
              text: JSON.stringify({ passed: true, todo: null, adjustedReasoning: null }),
              finish: "completed",
            }),
          ),
        );
        const cwd = folderWith({
          ...files(
            agent.url,
            `    tools: [cancel_order]
    rules: [{ title: Care, content: Take care., weight: ${weight} }]`,
            `models: { "review.*": ${route} }`,
          ),
        });
        const env = { OPENAI_API_KEY: "test-key" };
        const yml = join(cwd, "harness.yml");
        writeFileSync(
          yml,
          readFileSync(yml, "utf8").replace(
            "providers: {",
            `providers: { openai: { baseURL: "${judge.url}/v1" },`,
          ),
        );
        const { code } = yield* until(pool(["run", "Cancel order 7."], { cwd, env }));
        expect(code).toBe(0);
        expect(judge.received).toHaveLength(1);
        expect(JSON.parse(judge.received[0]!.body).reasoning?.effort).toBe(effort);
      }));

  it("that asks for reviews which no model can give is a configuration error that names the missing route", async () => {
    const docs = { "docs/a.md": "# A\n\nIt is blue.\n" };
    for (const [policy, route] of [
      ["{ agent: true }", "review.tools"],
      ["{ agent: messages }", "review.messages"],
      ["{ tools: [search] }", "review.tools"],
      ["{ rules: [{ title: Care, content: Care., when: always }] }", "review.rules"],
    ]) {
      const cwd = folderWith({
        ...docs,
        "harness.yml": `policy: { review: ${policy} }\ntools: { corpus: { path: docs } }\nstore: none\n`,
      });
      const { code, stderr, stdout } = await call(["run", "What colour is it?"], { cwd });
      expect(stderr).toContain(`no model is there for the route ${route}`);
      expect(stderr).not.toMatch(/^\s+at /m);
      expect([code, stdout]).toEqual([2, ""]);
    }
  });

  it("finds a list of models that may come to one which cannot judge, before anything runs", () =>
    run(function* () {
      const wire = yield* useWire(serving({}));
      const cwd = folderWith(
        files(
          wire.url,
          "    tools: [cancel_order]",
          'models: { "review.tools": [openai-compatible/judge, extractive] }',
        ),
      );
      const { code, stderr } = yield* until(pool(["run", "Cancel order 7."], { cwd }));
      expect(stderr).toMatch(/the route review\.tools can come to the embedded engine "extractive"/);
      expect([code, wire.received.length]).toEqual([2, 0]);
    }));

  it("is reviewed as hard as it says: a pool of the program can be tried at less hard, and its reviews are not", () =>
    run(function* () {
      const wire = yield* useWire(
        serving({
          agent: [calls("cancel_order", { order: 7 }), calls("report", { result: "It stays." })],
          review: [say({ passed: false, todo: null, adjustedReasoning: "It has shipped. I say so." })],
        }),
      );
      const cwd = folderWith({
        ...files(wire.url, "    tools: [cancel_order]", "defaults: { effort: low }"),
        "p.ts": program.replace("yield* pool({", 'yield* pool({ effort: "min",'),
      });
      const { code, stdout, stderr } = yield* until(pool(["run", "--json", "Cancel order 7."], { cwd }));
      expect(code).toBe(0);
      expect(stderr).not.toContain("CANCELLED");
      const reviews = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
        .filter(({ type }) => /^review:/.test(type));
      expect(reviews.map(({ type, effort }) => [type, effort])).toEqual([
        ["review:started", "low"],
        ["review:restarted", "low"],
      ]);
    }));

  it("has a research job reviewed that its program tries at less hard", () =>
    run(function* () {
      const wire = yield* useWire(
        serving({ review: [say({ passed: true, todo: null, adjustedReasoning: null })] }),
      );
      const cwd = folderWith({
        "docs/emma.md": "# Emma\n\nEmma is a novel. It was written by Jane Austen and published in 1815.\n",
        "p.ts": `
          import { defineHarness } from "@agentpool/harness";
          export default defineHarness({ *run(_, { research }) { return yield* research({ effort: "low" }); } });`,
        "harness.yml": `program: ./p.ts
defaults: { effort: high }
models: { "review.*": openai-compatible/judge }
providers: { openai-compatible: { baseURL: "${wire.url}/v1" } }
policy: { review: { tools: [read] } }
tools: { corpus: { path: docs } }
store: none
`,
      });
      const { code, stdout } = yield* until(pool(["run", "--json", "Who wrote Emma?"], { cwd }));
      expect(code).toBe(0);
      const efforts = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
        .flatMap(({ type, effort }) => (type === "review:passed" ? [effort] : []));
      expect(efforts.length).toBeGreaterThan(0);
      expect(new Set(efforts)).toEqual(new Set(["high"]));
    }));

  it("has the built-in research job reviewed, whatever model does the work", () =>
    run(function* () {
      const wire = yield* useWire(
        serving({ review: [say({ passed: true, todo: null, adjustedReasoning: null })] }),
      );
      const cwd = folderWith({
        "docs/emma.md": "# Emma\n\nEmma is a novel. It was written by Jane Austen and published in 1815.\n",
        "harness.yml": `model: extractive
models: { "review.*": openai-compatible/judge }
providers: { openai-compatible: { baseURL: "${wire.url}/v1" } }
policy: { review: { tools: [read] } }
tools: { corpus: { path: docs } }
store: none
`,
      });
      const { code, stdout } = yield* until(call(["run", "Who wrote Emma?"], { cwd }));
      expect(code).toBe(0);
      expect(stdout).toContain("Jane Austen");
      expect(wire.received.length).toBeGreaterThan(0);
      expect(wire.received.every(({ body }) => body.includes("You review the work"))).toBe(true);
    }));

  it("is told where a key of its reviews is wrong", async () => {
    for (const [policy, message] of [
      ["{ agent: sometimes }", 'policy.review.agent got "sometimes"; it takes true, false, messages or all'],
      ["{ rules: [{ content: x }] }", "policy.review.rules[0].title"],
      ["{ rules: [{ title: a, content: x, kind: law }] }", "policy or observation"],
      ["{ restarts: { min: 3 } }", "policy.review.restarts.min"],
    ]) {
      const cwd = folderWith({ "harness.yml": `policy: { review: ${policy} }\n` });
      const { code, stderr } = await call(["run", "why?"], { cwd });
      expect(stderr).toContain(message);
      expect(stderr).toContain("harness.yml:1:");
      expect(code).toBe(2);
    }
  });

  it("adds up over its files: a local one cannot take rules and tools back", async () => {
    const cwd = folderWith({
      "harness.yml": "policy: { review: { tools: [wire], rules: [{ title: a, content: x }] } }\n",
      "harness.local.yml": "policy: { review: { tools: [pay], rules: [{ title: b, content: y }] } }\n",
    });
    const { stdout } = await call(["config"], { cwd });
    expect(stdout).toMatch(/policy\.review\.tools: \["pay","wire"\]/);
    expect(stdout).toMatch(/policy\.review\.rules: .*"b".*"a"/);
  });
});
