import { readFileSync } from "node:fs";
import { type AgentResult, noUsage, type PoolEvent } from "@agentpool/core";
import pc from "picocolors";
import { expect, it } from "vitest";
import { view } from "./view.ts";
import { fold, nothingYet } from "./view-state.ts";

type Plain<T> = T extends unknown ? Omit<T, "run" | "at"> : never;

const spawned = (agent: string): Plain<PoolEvent> => ({
  type: "agent:spawned",
  agent,
  task: "t",
  parent: undefined,
  depth: 0,
  pool: "p",
});

const turns = (agent: string, count: number, tokens: number): Plain<PoolEvent>[] => [
  { type: "turn:started", agent, turn: count, forced: false },
  {
    type: "turn:completed",
    agent,
    turn: count,
    tokens,
    result: { calls: [], usage: { input: tokens, output: 0, cached: 0 }, finish: "calls" },
  },
];

const calls = (
  agent: string,
  count: number,
  tool: string,
  args: Record<string, string>,
): Plain<PoolEvent>[] =>
  Array.from({ length: count }, (_, i): Plain<PoolEvent>[] => {
    const call = `${agent}#${i}`;
    const over: Plain<PoolEvent> = {
      type: "call:settled",
      agent,
      call,
      tool,
      outcome: { type: "ok", value: 1 },
      ms: 1,
    };
    return [
      { type: "call:dispatched", agent, call, tool, identity: `local:${tool}`, args, attempt: 0 },
      ...(i < count - 1 ? [over] : []),
    ];
  }).flat();

const working = (agent: string): Plain<PoolEvent> => ({ type: "agent:state", agent, state: "calling" });

const done = (key: string, turns: number, toolCallCount: number): Plain<PoolEvent> => {
  const rest = {
    attendedCount: 0,
    refusals: [],
    parks: 0,
    usage: noUsage,
    report: undefined,
    reason: undefined,
  };
  const result: AgentResult = {
    key,
    task: "t",
    parent: undefined,
    result: "r",
    exit: "returned",
    turns,
    toolCallCount,
    ...rest,
  };
  return { type: "agent:ended", agent: key, result };
};

it("the page on watching a run shows the rows as they are drawn", () => {
  const nested = "research/1:1#0~0/0";
  const happenings = [
    ...["research/0", "research/1", nested, "research/2"].map(spawned),
    ...turns("research/0", 2, 4_200),
    ...calls("research/0", 3, "search", { query: "how are retries limited" }),
    working("research/0"),
    {
      type: "call:refused",
      agent: "research/0",
      call: "x",
      tool: "search",
      guard: "query_dedup",
      message: "no",
    },
    ...turns("research/1", 1, 1_100),
    ...calls("research/1", 1, "delegate", { task: "compare the two pages" }),
    working("research/1"),
    ...turns(nested, 1, 640),
    ...calls(nested, 1, "fetch_page", { url: "https://example.com/a" }),
    { type: "agent:state", agent: nested, state: "parked", reason: "retry", until: 20_000 },
    ...turns("research/2", 3, 3_800),
    done("research/2", 3, 5),
  ] satisfies Plain<PoolEvent>[];
  const events = happenings.map((event) => ({ run: "r", at: 0, ...event }) as PoolEvent);
  const { lines } = view(
    fold(nothingYet, events),
    { columns: 108, rows: 30, palette: pc.createColors(false) },
    8_000,
  );
  const page = readFileSync(new URL("../../../../docs/watch-and-steer.md", import.meta.url), "utf8");
  expect(page).toContain(`\`\`\`text\n${lines.join("\n")}\n\`\`\`\n`);
});
