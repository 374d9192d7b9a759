import {
  type AgentPoolOptions,
  agentPool,
  defineTool,
  delegate,
  type GuardReplay,
  type JournalEntry,
  type Model,
  manualClock,
  parallel,
  type ReplayedRun,
  replayGuards,
  reportTool,
  type Tool,
  useClock,
} from "@agentpool/core";
import { type ScriptedTurn, scripted } from "@agentpool/models";
import { action, type Operation, run, sleep, spawn } from "effection";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const read: Tool = defineTool({
  name: "read",
  description: "Reads a page.",
  parameters: z.object({ page: z.string() }),
  execute: ({ page }) => `the text of ${page}`,
});

const reads = (page: string, more: Partial<ScriptedTurn> = {}): ScriptedTurn => ({
  calls: [{ tool: "read", args: { page } }],
  ...more,
});
const report: ScriptedTurn = { calls: [{ tool: "report", args: { result: "done" } }] };

function* recorded(
  options: Partial<AgentPoolOptions> & Pick<AgentPoolOptions, "model">,
): Operation<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  yield* agentPool({
    run: "r",
    tools: [read],
    terminal: reportTool,
    orchestrate: parallel(["one"]),
    journal: {
      recorded: [],
      append: (entry) => void entries.push(JSON.parse(JSON.stringify(entry))),
      flush: () => undefined,
    },
    ...options,
  });
  return entries;
}

/** Calls of `read`, and turns, each with what became of it. */
function told({ calls, turns }: ReplayedRun): { calls: string[]; turns: string[] } {
  const by = (fate: object): string => ("by" in fate ? ` (${fate.by})` : "");
  return {
    calls: calls
      .filter(({ tool }) => tool === "read")
      .map(({ args, replayed }) => `${args?.page}: ${replayed.type}${by(replayed)}`),
    turns: turns.map(({ agent, turn, replayed }) => `${agent}:${turn} ${replayed.type}${by(replayed)}`),
  };
}

function* replay(entries: readonly JournalEntry[], settings: Partial<GuardReplay> = {}) {
  return told(yield* replayGuards(entries, { tools: [read], ...settings }));
}

describe("a replay with fewer turns", () => {
  const model = scripted(() => [reads("a"), reads("b"), reads("c"), report]);

  it("lets an agent report in place of the turn that it has no more, and leaves out what came after", () =>
    run(function* () {
      const entries = yield* recorded({ model });
      expect(yield* replay(entries, { maxTurns: 2 })).toEqual({
        calls: ["a: ran", "b: ran", "c: unmade (maxTurns)"],
        turns: [
          "agent/0:1 taken",
          "agent/0:2 taken",
          "agent/0:3 reports (maxTurns)",
          "agent/0:4 missed (maxTurns)",
        ],
      });
    }));

  it("changes nothing with as many as were taken, the report that a limit asked for included", () =>
    run(function* () {
      const entries = yield* recorded({ model, budget: { maxTurns: 3 } });
      const { turns, calls } = yield* replay(entries, { maxTurns: 3 });
      expect(turns).toEqual(["agent/0:1 taken", "agent/0:2 taken", "agent/0:3 taken", "agent/0:4 taken"]);
      expect(calls).toEqual(["a: ran", "b: ran", "c: ran"]);
    }));

  it("counts a turn that was sent back once", () =>
    run(function* () {
      let restarts = 0;
      const again = {
        name: "again",
        onPropose: () =>
          restarts++ === 0 ? ({ type: "restart", reasoning: "Think again." } as const) : undefined,
      };
      const entries = yield* recorded({
        model: scripted(() => [reads("x"), reads("a"), reads("b"), report]),
        hooks: [again],
      });
      const settings = { hooks: [again], maxTurns: 2 };
      const { turns } = yield* replay(entries, settings);
      expect(turns).toEqual([
        "agent/0:1 taken",
        "agent/0:1 taken",
        "agent/0:2 taken",
        "agent/0:3 reports (maxTurns)",
      ]);
    }));

  it("leaves pools alone whose turns their program limits itself, and pools inside them", () =>
    run(function* () {
      const ask = delegate({ name: "ask", tools: [read], system: "Look.", terminal: reportTool });
      const nested = scripted(({ key }) =>
        key.includes("~")
          ? [reads("x"), reads("y"), report]
          : [{ calls: [{ tool: "ask", args: { tasks: ["look"] } }] }, reads("a"), report],
      );
      const entries = yield* recorded({ model: nested, tools: [ask, read] });
      const limited = yield* replay(entries, { maxTurns: 1 });
      expect(limited.calls).toEqual(["x: ran", "y: unmade (maxTurns)", "a: unmade (maxTurns)"]);
      const own = yield* replay(entries, { maxTurns: 1, ownTurns: ["agent"] });
      expect(own.calls).toEqual(["x: ran", "y: ran", "a: ran"]);
    }));

  it("has no agents that a call had started which would not have been made, nor their turns", () =>
    run(function* () {
      const ask = delegate({ name: "ask", tools: [read], system: "Look.", terminal: reportTool });
      const nested = scripted(({ key }) =>
        key.includes("~")
          ? [reads("x"), report]
          : [reads("a"), { calls: [{ tool: "ask", args: { tasks: ["look"] } }] }, report],
      );
      const entries = yield* recorded({ model: nested, tools: [ask, read] });
      const { calls, turns } = yield* replay(entries, { maxTurns: 1 });
      expect(calls).toEqual(["a: ran", "x: unmade (start)"]);
      expect(
        turns.filter((turn) => turn.includes("~")).map((turn) => turn.split(" ").slice(1).join(" ")),
      ).toEqual(["missed (start)", "missed (start)"]);
    }));
});

describe("a replay with fewer tokens or dollars", () => {
  const usage = { input: 1_000, output: 100, cached: 0 };
  const model = scripted(() => [
    reads("a", { usage }),
    reads("b", { usage }),
    reads("c", { usage }),
    { ...report, usage },
  ]);

  it("stops an agent where its turn, and the report after it, would not fit any more", () =>
    run(function* () {
      const entries = yield* recorded({ model });
      // two turns are 2,200; a third and a report are another 2,200
      expect((yield* replay(entries, { maxTokens: 4_400 })).calls).toEqual(["a: ran", "b: ran", "c: ran"]);
      expect(yield* replay(entries, { maxTokens: 4_399 })).toEqual({
        calls: ["a: ran", "b: ran", "c: unmade (maxTokens)"],
        turns: [
          "agent/0:1 taken",
          "agent/0:2 taken",
          "agent/0:3 reports (maxTokens)",
          "agent/0:4 missed (maxTokens)",
        ],
      });
      // there is not even enough to report
      expect((yield* replay(entries, { maxTokens: 1 })).turns).toEqual(
        [1, 2, 3, 4].map((turn) => `agent/0:${turn} missed (maxTokens)`),
      );
    }));

  it("counts what attempts used that came to nothing", () =>
    run(function* () {
      const entries = yield* recorded({ model });
      const at = entries.findIndex((entry) => entry.type === "turn:completed" && entry.turn === 2);
      const lost: JournalEntry = {
        ...{ type: "model:limited", run: "r", at: entries[at]!.at, agent: "agent/0", model: "m" },
        ...{
          reason: "rate_limit",
          message: "later",
          afterMs: 1,
          attempt: 0,
          usage: { input: 900, output: 0, cached: 0 },
        },
      };
      const { turns } = yield* replayGuards([...entries.slice(0, at), lost, ...entries.slice(at)], {
        tools: [read],
        maxTokens: 5_000,
      });
      expect(turns.map(({ tokens, replayed: { type } }) => [tokens, type])).toEqual([
        [1_100, "taken"],
        [2_000, "taken"],
        [1_100, "reports"],
        [1_100, "missed"],
      ]);
    }));

  it("counts dollars as they are on record", () =>
    run(function* () {
      const priced: Model = { ...model, price: { input: 10, output: 100 } };
      const entries = yield* recorded({ model: priced });
      const { turns } = yield* replayGuards(entries, { tools: [read], maxCost: 0.079 });
      expect(turns.map(({ cost, replayed: { type } }) => [cost.toFixed(3), type])).toEqual([
        ["0.020", "taken"],
        ["0.020", "taken"],
        ["0.020", "reports"],
        ["0.020", "missed"],
      ]);
      const unpriced = yield* recorded({ model });
      const free = yield* replayGuards(unpriced, { tools: [read], maxCost: 0.001 });
      expect(free.turns.every(({ unpriced, replayed }) => unpriced && replayed.type === "taken")).toBe(true);
    }));

  it("counts for the agents of all pools of a tree together, and for each tree by itself", () =>
    run(function* () {
      const entries = yield* recorded({
        model,
        orchestrate: function* (pool) {
          for (const task of ["one", "two"]) yield* pool.waitFor(yield* pool.spawn(task));
        },
      });
      const { turns } = yield* replay(entries, { maxTokens: 5_000 });
      expect(turns).toEqual([
        "agent/0:1 taken",
        "agent/0:2 taken",
        "agent/0:3 taken",
        "agent/0:4 reports (maxTokens)",
        ...[1, 2, 3, 4].map((turn) => `agent/1:${turn} missed (maxTokens)`),
      ]);
      const apart = [...entries, ...(yield* recorded({ model, key: "later" }))];
      const all = yield* replay(apart, { maxTokens: 6_600 });
      expect(
        all.turns.filter((turn) => turn.startsWith("later")).every((turn) => turn.endsWith("taken")),
      ).toBe(true);
    }));

  it("lets one agent do exactly what a run with that limit does", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ output: fc.nat(400), words: fc.nat(300) }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 12_000 }),
        fc.integer({ min: 1, max: 9 }),
        (usages, maxTokens, maxTurns) =>
          run(function* () {
            const script = usages.map(({ output, words }, at) =>
              reads(String(at), { usage: { output }, text: "word ".repeat(words) }),
            );
            const long = scripted(() => [...script, report]);
            const free = yield* recorded({ model: long, budget: { maxTurns: 50 } });
            const limited = yield* recorded({ model: long, budget: { maxTokens, maxTurns } });
            const replayed = yield* replayGuards(free, { tools: [read], maxTokens, maxTurns });
            const made = (entries: readonly JournalEntry[]): string[] =>
              entries.flatMap((entry) => (entry.type === "call:dispatched" ? [entry.call] : []));
            expect(
              replayed.calls.filter(({ replayed }) => replayed.type === "ran").map(({ call }) => call),
            ).toEqual(made(limited));
          }),
      ),
      { numRuns: 200 },
    ));
});

describe("a replay with less time", () => {
  const START = 1_000_000;

  /** Reads a page in as many milliseconds as it is called. */
  const slow: Tool = {
    ...read,
    *execute({ page }: { page: string }) {
      const clock = yield* useClock();
      yield* action<void>((resolve) => clock.at(clock.now() + Number(page), resolve));
      return `the text of ${page}`;
    },
  };

  function* timed(
    script: readonly ScriptedTurn[],
    options: Partial<AgentPoolOptions> = {},
  ): Operation<JournalEntry[]> {
    const clock = manualClock(START);
    // one thing at a time, once everything that follows from the last has happened
    const driver = yield* spawn(function* () {
      for (;;) {
        for (let tick = 0; tick < 3; tick++) yield* sleep(0);
        clock.step();
      }
    });
    const entries = yield* recorded({ model: scripted(() => script), tools: [slow], clock, ...options });
    yield* driver.halt();
    return entries;
  }

  const succeeded = (entries: readonly JournalEntry[]): string[] =>
    entries.flatMap((entry) =>
      entry.type === "call:settled" && entry.outcome.type === "ok" && entry.tool === "read"
        ? [entry.call]
        : [],
    );

  it("lets what runs come to its end when it is up, and leaves out what came after", () =>
    run(function* () {
      const entries = yield* timed([reads("1000"), reads("4000"), reads("1001"), report]);
      expect(yield* replay(entries, { wallClock: { soft: 3_000 } })).toEqual({
        calls: ["1000: ran", "4000: ran", "1001: unmade (wallClock)"],
        turns: [
          "agent/0:1 taken",
          "agent/0:2 taken",
          "agent/0:3 reports (wallClock)",
          "agent/0:4 missed (wallClock)",
        ],
      });
      // past hard nothing runs and nobody reports
      const ended = yield* replay(entries, { wallClock: { hard: 3_000 } });
      expect(ended.calls).toEqual(["1000: ran", "4000: withdrawn (wallClock)", "1001: unmade (wallClock)"]);
      expect(ended.turns.slice(2)).toEqual(["agent/0:3 missed (wallClock)", "agent/0:4 missed (wallClock)"]);
      expect((yield* replay(entries, { wallClock: { soft: 60_000 } })).calls).toEqual([
        "1000: ran",
        "4000: ran",
        "1001: ran",
      ]);
    }));

  it("counts no time between two processes", () =>
    run(function* () {
      const entries = yield* timed([reads("1000"), reads("1001"), report]);
      const at = entries.findIndex(({ type }) => type === "call:admitted") + 1;
      const gap = 3_600_000;
      const begun: JournalEntry = { type: "record:begun", run: "r", at: entries[at]!.at + gap };
      const later = entries.slice(at).map((entry) => ({ ...entry, at: entry.at + gap }));
      const { calls } = yield* replay([...entries.slice(0, at), begun, ...later], {
        wallClock: { soft: 10_000 },
      });
      expect(calls).toEqual(["1000: ran", "1001: ran"]);
    }));

  it("counts none of it in what a turn took that was begun again", () =>
    run(function* () {
      const entries = yield* timed([{ ...reads("1000"), wait: 2_000 }, report]);
      const at = entries.findIndex(({ type }) => type === "turn:completed");
      const began = entries.slice(0, at).findLast(({ type }) => type === "turn:started")!;
      const gap = 3_600_000;
      const begun: JournalEntry = { type: "record:begun", run: "r", at: began.at + gap };
      const again = { ...began, at: began.at + gap };
      const later = entries.slice(at).map((entry) => ({ ...entry, at: entry.at + gap }));
      const { turns } = yield* replayGuards([...entries.slice(0, at), begun, again, ...later], {
        tools: [slow],
      });
      expect(turns.map(({ turn, ms }) => [turn, ms])).toEqual([
        [1, 2_000],
        [2, 0],
      ]);
    }));

  it("starts nobody once it is up", () =>
    run(function* () {
      const entries = yield* timed([reads("2000"), { ...report, wait: 1_000 }], {
        orchestrate: function* (pool) {
          for (const task of ["one", "two"]) yield* pool.waitFor(yield* pool.spawn(task));
        },
      });
      const { calls } = yield* replay(entries, { wallClock: { soft: 2_250 } });
      expect(calls).toEqual(["2000: ran", "2000: unmade (wallClock)"]);
    }));

  it("lets one agent do exactly what a run with that limit does", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ wait: fc.nat(4), calls: fc.array(fc.nat(6), { minLength: 1, maxLength: 3 }) }), {
          minLength: 1,
          maxLength: 4,
        }),
        // between two beats of the clock, so that nothing happens at the very moment
        fc.nat(12).map((beats) => beats * 1_000 + 250),
        fc.boolean(),
        (turns, limit, isHard) =>
          run(function* () {
            const script = turns.map(
              ({ wait, calls }): ScriptedTurn => ({
                wait: wait * 1_000,
                calls: calls.map((seconds) => ({ tool: "read", args: { page: String(seconds * 1_000) } })),
              }),
            );
            const wallClock = isHard ? { hard: limit } : { soft: limit };
            const free = yield* timed([...script, report]);
            const limited = yield* timed([...script, report], { budget: { wallClock } });
            const { calls } = yield* replayGuards(free, { tools: [slow], wallClock });
            const ran = calls.filter(({ tool, replayed }) => tool === "read" && replayed.type === "ran");
            expect(ran.map(({ call }) => call).sort()).toEqual(succeeded(limited).sort());
          }),
      ),
      { numRuns: 60 },
    ));
});
