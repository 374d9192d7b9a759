import type { PoolEvent } from "@agentpool/core";
import { expect, it } from "vitest";
import { progressLine } from "./progress-line.ts";

const at = { run: "r", at: 1_000 };
const call = { ...at, agent: "research/2", call: "research/2:1#0", tool: "read" };
const limited = {
  ...at,
  type: "model:limited",
  agent: "a",
  model: "m/x",
  afterMs: 90_000,
  attempt: 1,
} as const;

it.each<[PoolEvent, string | undefined]>([
  [
    {
      ...call,
      type: "call:dispatched",
      identity: "local:read",
      args: { path: "a b.md", from: 1 },
      attempt: 1,
    },
    'research/2 read "a b.md" 1 (attempt 2)',
  ],
  [
    { ...call, type: "call:refused", guard: "read_dedup", message: "Was read;\nread on." },
    "research/2 read refused by read_dedup: Was read; read on.",
  ],
  [
    { ...call, type: "call:parked", reason: "retry", until: 31_000 },
    "research/2 read waits for a retry, 30 s",
  ],
  [{ ...call, type: "call:parked", reason: "equal_call" }, "research/2 read waits for an equal call"],
  [
    { ...call, type: "call:settled", outcome: { type: "error", message: "\u001b[31mgone" }, ms: 3 },
    "research/2 read failed: gone",
  ],
  [{ ...call, type: "call:settled", outcome: { type: "ok", value: 1 }, ms: 3 }, undefined],
  [
    { ...limited, reason: "rate_limit", message: "m/x: 429 slow\ndown" },
    "a waits for m/x's rate limit, 1:30: 429 slow down",
  ],
  [
    { ...limited, reason: "overloaded", message: "m/x: 529" },
    "a waits for m/x, which is overloaded, 1:30: 529",
  ],
  [
    { ...limited, reason: "unavailable", message: "it is away" },
    "a waits for m/x, which is unavailable, 1:30: it is away",
  ],
  // as it was put on record before reasons were
  [limited as unknown as PoolEvent, "a waits for m/x's rate limit, 1:30"],
  [{ ...at, type: "turn:failed", agent: "a", turn: 2, forced: false, message: "m/x: no JSON" }, undefined],
  [
    { ...at, type: "budget:threshold", budget: "maxTokens", share: 0.8, used: 80, limit: 100 },
    "the run has used 80 % of its maxTokens (100)",
  ],
  [{ ...at, type: "notice", message: "x".repeat(400) }, `${"x".repeat(299)}…`],
])("an event is one line, or none: %j", (event, line) => {
  expect(progressLine(event)).toBe(line);
});
