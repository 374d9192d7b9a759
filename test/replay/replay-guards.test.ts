import {
  ApprovalDesk,
  agentPool,
  dedup,
  defineTool,
  delegate,
  type GuardOverrides,
  type JournalEntry,
  type Model,
  parallel,
  type ReplayedCall,
  replayGuards,
  type Tool,
  type ToolGuard,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run } from "effection";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";

const byKey = dedup("page_dedup", (args) => args.page);
const byLooking: ToolGuard = {
  name: "page_dedup",
  message: "read already",
  reject: ({ args, attended }) => attended().some(({ page }) => page === args.page),
};

/** Reads a page after a few ticks, so that calls overlap. */
const reading = (guard: ToolGuard, ticks: (page: string) => number): Tool =>
  defineTool({
    name: "read",
    description: "Reads a page.",
    parameters: z.object({ page: z.string() }),
    hooks: { beforeDispatch: [guard] },
    async execute({ page }) {
      for (let tick = ticks(page); tick > 0; tick--) await Promise.resolve();
      if (page === "broken") throw new Error("broken");
      return `the text of ${page}`;
    },
  });

/** Reads these pages, one step after another, and is done. */
const reads = (steps: readonly (readonly string[])[]) => [
  ...steps.map((pages) => ({ calls: pages.map((page) => ({ tool: "read", args: { page } })) })),
  { text: "done" },
];

interface Recorded {
  readonly tools: readonly Tool[];
  readonly model: Model;
  readonly agents: number;
  readonly guards?: GuardOverrides;
  /** Calls of `read` that an agent has. */
  readonly most?: number;
  /** Whether people are asked about `read`, and which pages they let be read. */
  readonly approves?: (page: string) => boolean;
}

function* recorded({ tools, model, agents, guards, most, approves }: Recorded) {
  const entries: JournalEntry[] = [];
  const approvals = new ApprovalDesk();
  const journal = {
    recorded: [],
    append: (entry: JournalEntry) => void entries.push(JSON.parse(JSON.stringify(entry))),
    flush: () => undefined,
  };
  const tasks = Array.from({ length: agents }, (_, at) => `task ${at}`);
  yield* agentPool({
    run: "r",
    model,
    tools,
    journal,
    orchestrate: parallel(tasks),
    approvals,
    onEvent: (event) => {
      if (event.type !== "approval:requested") return;
      const { id, args } = event.approval;
      if (approves?.(String(args.page))) approvals.approve(id);
      else approvals.deny(id);
    },
    ...(approves ? { requireApproval: ["read"] } : {}),
    ...(guards ? { guards } : {}),
    ...(most === undefined ? {} : { budget: { maxCallsPerTool: { read: most } } }),
  });
  return entries;
}

const fates = (calls: readonly ReplayedCall[]) =>
  calls.map(({ call, replayed }) => `${call} ${replayed.type === "ran" ? "ran" : replayed.type}`);

test("a guard that was per agent refuses, at cohort scope, what any agent had read", () =>
  run(function* () {
    const tools = [reading(byKey, () => 3)];
    const model = scripted(() => reads([["a"], ["b"]]));
    const entries = yield* recorded({ tools, model, agents: 2 });
    const { calls } = yield* replayGuards(entries, { tools, guards: { page_dedup: { scope: "cohort" } } });
    expect(calls.every(({ recorded }) => recorded.type === "ran")).toBe(true);
    expect(fates(calls).sort()).toEqual([
      "agent/0:1#0 ran",
      "agent/0:2#0 ran",
      "agent/1:1#0 refused",
      "agent/1:2#0 refused",
    ]);
    expect(calls[0]).toMatchObject({ turnsAfter: 2, tokens: expect.any(Number), ms: expect.any(Number) });
  }));

test("a guard that is off lets through what it had refused, and what follows from that", () =>
  run(function* () {
    const tools = [reading(byKey, () => 0)];
    const model = scripted(() => reads([["a"], ["a"], ["a"]]));
    const entries = yield* recorded({ tools, model, agents: 1 });
    const { calls: before } = yield* replayGuards(entries, { tools });
    expect(fates(before)).toEqual(["agent/0:1#0 ran", "agent/0:2#0 refused", "agent/0:3#0 refused"]);
    const { calls: after } = yield* replayGuards(entries, { tools, guards: { page_dedup: false } });
    expect(fates(after)).toEqual(["agent/0:1#0 ran", "agent/0:2#0 ran", "agent/0:3#0 ran"]);
  }));

test("agents that a refused call had started would not have been", () =>
  run(function* () {
    const inner = reading(byKey, () => 0);
    const ask = delegate({ name: "ask", tools: [inner], system: "Look." });
    const guarded: Tool = {
      ...ask,
      hooks: { beforeDispatch: [dedup("ask_dedup", () => "once")] },
    };
    const asks = { calls: [{ tool: "ask", args: { tasks: ["look"] } }] };
    const model = scripted(({ key }) =>
      key.includes("~") ? reads([["x"]]) : [asks, asks, { text: "done" }],
    );
    const tools = [guarded, inner];
    const entries = yield* recorded({ tools, model, agents: 1, guards: { ask_dedup: false } });
    const { calls } = yield* replayGuards(entries, { tools });
    const nested = calls.filter(({ agent }) => agent.includes("~"));
    expect(nested.map(({ replayed }) => replayed.type)).toEqual(["ran", "unmade"]);
  }));

test("the settings that a run had give what is on record, however its calls overlapped", () =>
  fc.assert(
    fc.asyncProperty(
      fc.record({
        script: fc.array(
          fc.array(fc.array(fc.constantFrom("a", "b", "c", "broken"), { minLength: 1, maxLength: 3 }), {
            minLength: 1,
            maxLength: 4,
          }),
          { minLength: 1, maxLength: 4 },
        ),
        ticks: fc.record({ a: fc.nat(9), b: fc.nat(9), c: fc.nat(9), broken: fc.nat(9) }),
        cohort: fc.boolean(),
        keyed: fc.boolean(),
        refused: fc.option(fc.subarray(["a", "b", "c", "broken"]), { nil: undefined }),
        most: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      }),
      ({ script, ticks, cohort, keyed, most, refused }) =>
        run(function* () {
          const tools = [reading(keyed ? byKey : byLooking, (page) => ticks[page as "a"])];
          const model = scripted(({ key }) => reads(script[Number(key.split("/")[1])]!));
          const guards: GuardOverrides = { page_dedup: { scope: cohort ? "cohort" : "lineage" } };
          const entries = yield* recorded({
            tools,
            model,
            agents: script.length,
            guards,
            most,
            ...(refused ? { approves: (page) => !refused.includes(page) } : {}),
          });
          const maxCallsPerTool: Record<string, number> = most === undefined ? {} : { read: most };
          const { calls } = yield* replayGuards(entries, {
            tools,
            guards,
            maxCallsPerTool,
            requireApproval: refused ? ["read"] : [],
          });
          for (const { call, recorded, replayed } of calls)
            expect({ call, ...replayed }).toEqual({ call, ...recorded });
        }),
    ),
    { numRuns: 200 },
  ));
