import {
  type AgentPoolOptions,
  ApprovalDesk,
  agentPool,
  dedup,
  defineTool,
  type GuardReplay,
  type JournalEntry,
  parallel,
  type ReplayedCall,
  replayGuards,
  reportTool,
  type Tool,
} from "@agentpool/core";
import { type ScriptedTurn, scripted } from "@agentpool/models";
import { type Operation, run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  ...defineTool({
    name,
    description: `Does ${name}.`,
    parameters: z.object({ page: z.string() }),
    hooks: { beforeDispatch: [dedup(`${name}_dedup`, (args) => args.page)] },
    execute: ({ page }) => `${name} of ${page}`,
  }),
  ...more,
});
const read = tool("read");
const wire = tool("wire", { protected: true });

const calls = (...made: readonly [tool: string, page: string][]): ScriptedTurn => ({
  calls: made.map(([name, page]) => ({ tool: name, args: { page } })),
});
const done: ScriptedTurn = { text: "done" };

interface Recorded extends Partial<AgentPoolOptions> {
  readonly turns: readonly ScriptedTurn[];
  readonly says?: "approve" | "deny";
}

/** The record of one agent's run; who is asked says the same every time. */
function* recorded({ turns, says = "approve", ...options }: Recorded): Operation<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  const approvals = new ApprovalDesk();
  yield* agentPool({
    run: "r",
    model: scripted(() => turns),
    tools: [read],
    orchestrate: parallel(["one"]),
    approvals,
    journal: {
      recorded: [],
      append: (entry) => void entries.push(JSON.parse(JSON.stringify(entry))),
      flush: () => undefined,
    },
    onEvent: (event) => {
      if (event.type === "approval:requested") approvals[says](event.approval.id);
    },
    ...options,
  });
  return entries;
}

const told = (replayed: readonly ReplayedCall[]): string[] =>
  replayed.map(({ tool, args, replayed: fate }) => {
    const by = "guard" in fate ? ` by ${fate.guard}` : "";
    return `${tool} ${args?.page ?? "?"}: ${fate.type}${by}`;
  });

function* replay(entries: readonly JournalEntry[], settings: Partial<GuardReplay> = {}): Operation<string[]> {
  return told((yield* replayGuards(entries, { tools: [read], ...settings })).calls);
}

describe("a replay with other denies", () => {
  const turns = [calls(["read", "a"]), calls(["read", "a"]), done];

  it("refuses by deny, before any guard is asked, and what was denied was not read", () =>
    run(function* () {
      const entries = yield* recorded({ turns });
      expect(yield* replay(entries)).toEqual(["read a: ran", "read a: refused by read_dedup"]);
      expect(yield* replay(entries, { deny: ["read"] })).toEqual([
        "read a: refused by deny",
        "read a: refused by deny",
      ]);
      expect(yield* replay(entries, { deny: ["local:re*"] })).toEqual([
        "read a: refused by deny",
        "read a: refused by deny",
      ]);
    }));

  it("lets through what was denied then, to the guards that nobody had asked", () =>
    run(function* () {
      const entries = yield* recorded({ turns, deny: ["read"] });
      expect(yield* replay(entries)).toEqual(["read a: refused by deny", "read a: refused by deny"]);
      expect(yield* replay(entries, { deny: [] })).toEqual(["read a: ran", "read a: refused by read_dedup"]);
    }));

  it("leaves what a program of its own denied, or asked a person about", () =>
    run(function* () {
      const had = { deny: [], requireApproval: [] };
      const denied = yield* recorded({ turns, deny: ["read"] });
      expect(yield* replay(denied, { deny: ["write"], had })).toEqual([
        "read a: refused by deny",
        "read a: refused by deny",
      ]);
      const asked = yield* recorded({ turns: [calls(["read", "a"]), done], requireApproval: ["read"] });
      const {
        calls: [call],
      } = yield* replayGuards(asked, { tools: [read], requireApproval: ["write"], had });
      expect(call?.asked).toEqual({ recorded: true, replayed: true });
    }));

  it("is asked about tools that are not there any more, by name and identity", () =>
    run(function* () {
      const entries = yield* recorded({ turns: [calls(["read", "a"]), done] });
      const {
        calls: [call],
      } = yield* replayGuards(entries, { tools: [], deny: ["local:read"] });
      expect(call).toMatchObject({ unknownTool: true, replayed: { type: "refused", guard: "deny" } });
      const {
        calls: [stands],
      } = yield* replayGuards(entries, { tools: [] });
      expect(stands).toMatchObject({ unknownTool: true, replayed: { type: "ran" } });
    }));
});

describe("a replay with other grants", () => {
  const base = { tools: [wire], turns: [calls(["wire", "a"]), done] };

  it("refuses by auth_reject what holds no grant, and lets through what does", () =>
    run(function* () {
      const granted = yield* recorded({ ...base, grants: ["wire"] });
      expect(yield* replay(granted, { tools: [wire] })).toEqual(["wire a: ran"]);
      expect(yield* replay(granted, { tools: [wire], grants: [] })).toEqual([
        "wire a: refused by auth_reject",
      ]);
      const rejected = yield* recorded(base);
      expect(yield* replay(rejected, { tools: [wire] })).toEqual(["wire a: refused by auth_reject"]);
      expect(yield* replay(rejected, { tools: [wire], grants: ["wire"] })).toEqual(["wire a: ran"]);
    }));
});

describe("a replay with other limits", () => {
  const turns = [calls(["read", "a"], ["read", "b"]), calls(["read", "c"]), calls(["read", "b"]), done];

  it("refuses by limit what is beyond a tool's, in the order of the calls; what is refused was not read", () =>
    run(function* () {
      const entries = yield* recorded({ turns });
      expect(yield* replay(entries)).toEqual([
        "read a: ran",
        "read b: ran",
        "read c: ran",
        "read b: refused by read_dedup",
      ]);
      expect(yield* replay(entries, { maxCallsPerTool: { read: 1 } })).toEqual([
        "read a: ran",
        "read b: refused by limit",
        "read c: refused by limit",
        "read b: refused by limit",
      ]);
    }));

  it("counts no call that a guard keeps", () =>
    run(function* () {
      const entries = yield* recorded({
        turns: [calls(["read", "a"]), calls(["read", "a"]), calls(["read", "b"]), done],
      });
      expect(yield* replay(entries, { maxCallsPerTool: { read: 2 } })).toEqual([
        "read a: ran",
        "read a: refused by read_dedup",
        "read b: ran",
      ]);
    }));

  it("has no later turns of an agent whose calls are used up: it would have reported", () =>
    run(function* () {
      const entries = yield* recorded({ turns });
      expect(yield* replay(entries, { maxToolCalls: 1 })).toEqual([
        "read a: ran",
        "read b: refused by limit",
        "read c: unmade",
        "read b: unmade",
      ]);
    }));

  it("lets through what was beyond the run's own, as far as its own go", () =>
    run(function* () {
      const entries = yield* recorded({ turns, budget: { maxCallsPerTool: { read: 1 } } });
      const limited = [
        "read a: ran",
        "read b: refused by limit",
        "read c: refused by limit",
        "read b: refused by limit",
      ];
      expect(yield* replay(entries)).toEqual(limited);
      expect(yield* replay(entries, { maxToolCalls: 10 })).toEqual(limited);
      expect(yield* replay(entries, { maxCallsPerTool: { read: 3 } })).toEqual([
        "read a: ran",
        "read b: ran",
        "read c: ran",
        "read b: refused by read_dedup",
      ]);
    }));
});

describe("a replay with other approvals", () => {
  const turns = [calls(["read", "a"]), calls(["read", "a"]), done];

  it("says of what a person would be asked about neither that it is refused nor that it runs", () =>
    run(function* () {
      const entries = yield* recorded({ turns });
      expect(yield* replay(entries, { requireApproval: ["read"] })).toEqual([
        "read a: asked",
        "read a: refused by read_dedup",
      ]);
    }));

  it("keeps what a person said about that very call, and lets it through where nobody is asked", () =>
    run(function* () {
      const approved = yield* recorded({ turns, requireApproval: ["read"] });
      const { calls: same } = yield* replayGuards(approved, { tools: [read], requireApproval: ["read"] });
      expect(told(same)).toEqual(["read a: ran", "read a: refused by read_dedup"]);
      expect(same[0]!.asked).toEqual({ recorded: true, replayed: true });
      const {
        calls: [free],
      } = yield* replayGuards(approved, { tools: [read], requireApproval: [] });
      expect(free).toMatchObject({ replayed: { type: "ran" }, asked: { recorded: true, replayed: false } });
      const denied = yield* recorded({
        turns: [calls(["read", "a"]), done],
        says: "deny",
        requireApproval: ["read"],
      });
      expect(yield* replay(denied)).toEqual(["read a: refused by approval"]);
      expect(yield* replay(denied, { requireApproval: ["read"] })).toEqual(["read a: refused by approval"]);
      expect(yield* replay(denied, { requireApproval: [] })).toEqual(["read a: ran"]);
    }));
});

describe("a replay", () => {
  it("leaves what a judge of steps refused: nobody asks it again", () =>
    run(function* () {
      const judge = { name: "prudence", onPropose: () => ({ type: "refuse", message: "Not now." }) as const };
      const entries = yield* recorded({ turns: [calls(["read", "a"]), done], hooks: [judge] });
      expect(yield* replay(entries, { hooks: [judge] })).toEqual(["read a: refused by prudence"]);
    }));

  it("leaves a report that its agent was not let stop with", () =>
    run(function* () {
      let asked = 0;
      const strict = {
        name: "strict",
        onReturn: () => (asked++ === 0 ? ({ type: "reject", message: "Read first." } as const) : undefined),
      };
      const report: ScriptedTurn = { calls: [{ tool: "report", args: { result: "done" } }] };
      const entries = yield* recorded({
        turns: [report, calls(["read", "a"]), report],
        hooks: [strict],
        terminal: reportTool,
      });
      const { calls: replayed } = yield* replayGuards(entries, {
        tools: [read],
        hooks: [strict],
        deny: ["nothing*"],
      });
      expect(replayed.map(({ replayed }) => replayed)).toEqual(replayed.map(({ recorded }) => recorded));
      expect(replayed.filter(({ tool }) => tool === "read").map(({ replayed: { type } }) => type)).toEqual([
        "ran",
      ]);
    }));

  it("says which guards broke when they were asked", () =>
    run(function* () {
      const entries = yield* recorded({ turns: [calls(["read", "a"]), done] });
      const broken = {
        beforeDispatch: [
          {
            name: "clock",
            message: "no",
            reject: (): boolean => {
              throw new Error("no clock here");
            },
          },
        ],
      };
      const {
        calls: [call],
      } = yield* replayGuards(entries, { tools: [read], hooks: [broken] });
      expect(call).toMatchObject({ replayed: { type: "refused", guard: "hook_error" }, broken: ["clock"] });
    }));
});
