import type { JsonSchema, Prompt, ToolSchema, Turn } from "@agentpool/core";
import type { Operation } from "effection";
import { readTurn } from "../read-turn.ts";
import { type ExtractiveOptions, extractive } from "./extractive.ts";
import { words } from "./text/words.ts";

/** Documents in memory: what the tools of these tests look into. */
export type Files = { readonly [path: string]: string };

const object = (properties: Record<string, JsonSchema>, required: readonly string[]): JsonSchema => ({
  type: "object",
  properties,
  required,
});
const text: JsonSchema = { type: "string" };
const whole: JsonSchema = { type: "integer" };

export const search: ToolSchema = {
  name: "search",
  description: "",
  parameters: object({ query: text, limit: { type: "integer", maximum: 20 } }, ["query"]),
};
export const read: ToolSchema = {
  name: "read",
  description: "",
  parameters: object({ path: text, from: whole, to: whole }, ["path"]),
};
export const list: ToolSchema = { name: "list", description: "", parameters: object({ glob: text }, []) };
export const report: ToolSchema = {
  name: "report",
  description: "",
  parameters: object(
    {
      result: text,
      findings: {
        type: "array",
        items: object(
          {
            quote: text,
            path: text,
            lines: { type: "array", items: whole },
            heading: text,
            confidence: { type: "number" },
          },
          ["quote", "path"],
        ),
      },
      notFound: text,
    },
    ["result", "findings"],
  ),
};
export const submitPlan: ToolSchema = {
  name: "submit_plan",
  description: "",
  parameters: object({ questions: { type: "array", items: text, maxItems: 3 } }, ["questions"]),
};
export const submitBrief: ToolSchema = {
  name: "submit_brief",
  description: "",
  parameters: object(
    {
      sections: {
        type: "array",
        items: object({ question: text, findings: { type: "array", items: text }, notFound: text }, [
          "question",
          "findings",
        ]),
      },
      note: text,
    },
    ["sections"],
  ),
};

/** What a tool answers, as a pool would put it into the conversation. */
export type Answer = { readonly value: unknown } | { readonly error: string };

/** Lists, searches and reads files: passages are lines, found by the words they share with the query. */
export function answering(files: Files) {
  return (tool: string, args: Record<string, unknown>): Answer => {
    if (tool === "list") {
      return {
        value: {
          documents: Object.entries(files).map(([path, body]) => ({
            path,
            title: titleOf(path, body),
            headings: headingsOf(body),
          })),
        },
      };
    }
    if (tool === "search") return { value: found(files, String(args.query)) };
    const path = String(args.path);
    const lines = files[path]?.split("\n");
    if (lines === undefined) return { error: `no document "${path}"` };
    const from = typeof args.from === "number" ? args.from : 1;
    const to = Math.min(lines.length, typeof args.to === "number" ? args.to : lines.length);
    return {
      value: {
        path,
        title: titleOf(path, files[path]!),
        heading: "",
        lines: [from, to],
        text: lines.slice(from - 1, to).join("\n"),
        total: lines.length,
      },
    };
  };
}

const titleOf = (path: string, body: string): string => /^# (.+)$/m.exec(body)?.[1] ?? path;
const headingsOf = (body: string): string[] =>
  [...body.matchAll(/^##+ (.+)$/gm)].map(([, heading]) => heading!);

function found(files: Files, query: string): unknown {
  const wanted = new Set(words(query).map(({ stem }) => stem));
  const hits = Object.entries(files).flatMap(([path, body]) =>
    body.split("\n").flatMap((line, at) => {
      const score = words(line).filter(({ stem }) => wanted.has(stem)).length;
      return score === 0 || line.startsWith("#")
        ? []
        : [
            {
              path,
              title: titleOf(path, body),
              heading: "",
              lines: [at + 1, at + 1],
              snippet: line.slice(0, 200),
              score,
            },
          ];
    }),
  );
  hits.sort((a, b) => b.score - a.score);
  return { query, hits: hits.slice(0, 20), total: hits.length, documents: Object.keys(files).length };
}

export interface Played {
  readonly turns: readonly Turn[];
  /** The arguments of the last call. */
  readonly last: Record<string, unknown>;
  readonly messages: Prompt;
}

export interface Play {
  readonly tools: readonly ToolSchema[];
  readonly task: string;
  readonly answer: (tool: string, args: Record<string, unknown>, call: number) => Answer;
  /** Names of the calls that end it. */
  readonly ends: readonly string[];
  readonly options?: ExtractiveOptions;
}

const mostTurns = 15;

/** Plays an agent by hand: each call gets its answer, until one ends it or it speaks. */
export function* play({ tools, task, answer, ends, options }: Play): Operation<Played> {
  const session = yield* extractive(options).open({ system: "You research.", tools });
  const messages: Prompt = [{ role: "user", content: [{ type: "text", text: task }] }];
  yield* session.append(messages);
  const turns: Turn[] = [];
  let calls = 0;
  while (turns.length < mostTurns) {
    const { turn } = yield* readTurn(session.generate({ tools: tools.map(({ name }) => name) }));
    turns.push(turn);
    const last = turn.calls.at(-1);
    if (last === undefined || ends.includes(last.tool)) {
      return { turns, last: last === undefined ? {} : JSON.parse(last.input), messages };
    }
    for (const { id, tool, input } of turn.calls) {
      const given = answer(tool, JSON.parse(input), calls++);
      const output =
        "error" in given
          ? ({ type: "error-text", value: given.error } as const)
          : ({ type: "json", value: given.value as never } as const);
      yield* session.append([
        { role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName: tool, output }] },
      ]);
    }
  }
  throw new Error(`no end after ${mostTurns} turns`);
}

/** Names of the tools that were called, turn by turn. */
export const called = ({ turns }: Played): string[][] =>
  turns.map(({ calls }) => calls.map(({ tool }) => tool));
