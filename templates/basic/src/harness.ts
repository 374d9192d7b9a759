import { readdirSync, readFileSync } from "node:fs";
import { defineTool, parallel, reportTool, type ToolGuard, type ToolLifecycleHooks } from "@agentpool/core";
import { defineHarness } from "@agentpool/harness";
import { z } from "zod";

const docs = new URL("../docs/", import.meta.url);
const pages = () => readdirSync(docs).filter((name) => name.endsWith(".md"));
const textOf = (path: string) => readFileSync(new URL(path, docs), "utf8");

// A tool: a name and a description for the model, a schema that its arguments must fit, and what it does.
const search = defineTool({
  name: "search",
  description: "Finds the pages that have the words of a query, best first.",
  parameters: z.object({ query: z.string().min(1) }),
  execute: ({ query }) => {
    const words = query.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
    const found = (path: string) => words.filter((word) => textOf(path).toLowerCase().includes(word)).length;
    const hits = pages().map((path) => ({ path, score: found(path) }));
    return hits.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  },
});

// A guard may refuse a call before it runs. The model reads the message in the result's place, and tries something else.
// Its name is the key that switches it off in harness.yml.
const noDrafts: ToolGuard = {
  name: "no_drafts",
  reject: ({ args }) => String(args.path).startsWith("draft-"),
  message: "This page is a draft and must not be quoted. Read one that is published.",
};

const read = defineTool({
  name: "read",
  description: "Reads a page.",
  parameters: z.object({ path: z.string().describe("As search names it") }),
  hooks: { beforeDispatch: [noDrafts] },
  execute: ({ path }) => {
    // What a tool throws, the model reads.
    if (!pages().includes(path)) throw new Error(`There is no page ${path}. Read one that search names.`);
    return { path, text: textOf(path) };
  },
});

// A hook has an opinion at some moment of a call. This one: no report before something was read. The second one stands.
const evidenceFirst: ToolLifecycleHooks = {
  onReturn: ({ agent }) =>
    agent.attendedCount === 0 ? { type: "reject", message: "Read a page before you report." } : undefined,
};

export default defineHarness({
  tools: [search, read],
  hooks: [evidenceFirst],
  *run(question, { pool }) {
    const { agents } = yield* pool({
      system: "Answer from the pages. Search, read, then report: quote word by word, and name the page.",
      terminal: reportTool, // the call that ends an agent
      orchestrate: parallel([question]), // one agent for each task: here one
    });
    return agents.map(({ result, exit, reason }) => result ?? `No answer: ${reason ?? exit}`).join("\n\n");
  },
});
