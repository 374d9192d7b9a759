import type { AgentResult, PoolEvent } from "@agentpool/core";
import { noUsage } from "@agentpool/core";
import fc from "fast-check";
import pc from "picocolors";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { arrange } from "./arrange.ts";
import { view } from "./view.ts";
import { fold, nothingYet, type ViewState } from "./view-state.ts";

const palette = pc.createColors(false);
const colourful = pc.createColors(true);
const screen = { columns: 100, rows: 24, palette };

type Plain<T> = T extends unknown ? Omit<T, "run" | "at"> : never;
const events = (...happenings: Plain<PoolEvent>[]): PoolEvent[] =>
  happenings.map((happening, i) => ({ run: "r", at: 1_000 + i, ...happening }) as PoolEvent);

const spawned = (agent: string, parent?: string): Plain<PoolEvent> => ({
  type: "agent:spawned",
  agent,
  task: `find out about ${agent}`,
  parent,
  depth: parent ? 1 : 0,
  pool: "p",
});
const state = (agent: string, state: "ready" | "generating" | "calling"): Plain<PoolEvent> => ({
  type: "agent:state",
  agent,
  state,
});
const dispatched = (
  agent: string,
  call: string,
  args = { query: "how do guards work" },
): Plain<PoolEvent> => ({
  type: "call:dispatched",
  agent,
  call,
  tool: "search",
  identity: "local:search",
  args,
  attempt: 0,
});
const ended = (agent: string, exit: AgentResult["exit"] = "returned", reason?: string): Plain<PoolEvent> => ({
  type: "agent:ended",
  agent,
  result: {
    key: agent,
    task: "t",
    parent: undefined,
    result: "r",
    report: undefined,
    exit,
    reason,
    turns: 3,
    toolCallCount: 2,
    attendedCount: 2,
    refusals: [],
    parks: 0,
    usage: noUsage,
  },
});
const lines = (state: ViewState, now = 2_000) => view(state, screen, now).lines;

describe("an agent's row", () => {
  it("says what the agent does, its turns and calls, and who refused what", () => {
    const folded = fold(
      nothingYet,
      events(
        spawned("research/0"),
        { type: "turn:started", agent: "research/0", turn: 1, forced: false },
        state("research/0", "calling"),
        dispatched("research/0", "c1"),
        {
          type: "call:refused",
          agent: "research/0",
          call: "c2",
          tool: "read",
          guard: "read_dedup",
          message: "no",
        },
        {
          type: "turn:completed",
          agent: "research/0",
          turn: 1,
          tokens: 10,
          result: { calls: [], usage: { input: 1_200, output: 34, cached: 0 }, finish: "calls" },
        },
      ),
    );
    expect(lines(folded)[0]).toMatch(
      /^● research\/0 {2}search "how do guards work" +1 turn · 1 call · refused read_dedup 1 · 1\.2k tokens$/,
    );
  });

  it("says who reviews what of it, and counts what that takes", () => {
    const subject = {
      subject: "step",
      turn: 1,
      attempt: 0,
      asked: [],
      calls: [],
      report: undefined,
    } as const;
    const begun = fold(
      nothingYet,
      events(spawned("a"), state("a", "generating"), {
        type: "review:started",
        agent: "a",
        ...subject,
        model: "judge",
        effort: "medium",
      }),
    );
    expect(lines(begun)[0]).toContain("● a  step under review by judge");
    const over = fold(
      begun,
      events({
        type: "review:passed",
        agent: "a",
        ...subject,
        todo: undefined,
        model: "judge",
        effort: "medium",
        remembered: false,
        usage: { input: 1_000, output: 100, cached: 0 },
        cost: undefined,
        ms: 1,
      }),
    );
    expect(lines(over)[0]).not.toContain("under review");
    expect(lines(over)[0]).toContain("1.1k tokens");
  });

  it("says for how long it is parked", () => {
    const folded = fold(
      nothingYet,
      events(spawned("a"), dispatched("a", "c1"), {
        type: "agent:state",
        agent: "a",
        state: "parked",
        reason: "retry",
        until: 32_000,
      }),
    );
    expect(lines(folded, 2_000)[0]).toContain("◌ a  waits for a retry, 30 s: search");
    const resumed = fold(folded, events(state("a", "calling")));
    expect(lines(resumed)[0]).not.toContain("waits for a retry");
  });

  it.each([
    ["rate_limit", "waits for the model's rate limit, 30 s"],
    ["overloaded", "waits for the model, which is overloaded, 30 s"],
    ["unavailable", "waits for the model, which is unavailable, 30 s"],
  ] as const)("says why its model cannot be asked: %s", (reason, said) => {
    const waits = { type: "agent:state", agent: "a", state: "parked", reason, until: 32_000 } as const;
    expect(lines(fold(nothingYet, events(spawned("a"), waits)), 2_000)[0]).toContain(said);
  });

  it("counts what came to nothing among its tokens", () => {
    const usage = { input: 1_500, output: 500, cached: 0 };
    const about = { agent: "a", message: "no", usage } as const;
    const failed = { ...about, type: "turn:failed", turn: 1, forced: false } as const;
    const limited = { model: "m", reason: "unavailable", afterMs: 1, attempt: 0 } as const;
    const folded = fold(
      nothingYet,
      events(spawned("a"), { ...about, ...limited, type: "model:limited" }, failed),
    );
    expect(lines(folded)[0]).toContain("4k tokens");
  });

  it("shows how it ended, a failure apart from a success", () => {
    const folded = fold(
      nothingYet,
      events(spawned("a"), spawned("b"), ended("a"), ended("b", "model_error", "no such model")),
    );
    expect(lines(folded)).toEqual([
      expect.stringMatching(/^✓ a {2}done +3 turns · 2 calls$/),
      expect.stringMatching(/^✗ b {2}its model failed: no such model +3 turns · 2 calls$/),
      expect.stringMatching(/^2 agents: 2 done · 6 turns · 4 calls/),
    ]);
  });

  it("stands below the agent that started it", () => {
    const folded = fold(
      nothingYet,
      events(spawned("a"), spawned("b"), spawned("a:1#0~0/0", "a"), spawned("a:1#0~0/1", "a")),
    );
    expect(
      lines(folded)
        .slice(0, 4)
        .map((line) => line.slice(2, 13).trim()),
    ).toEqual(["a", "├ 1#0~0/0", "└ 1#0~0/1", "b"]);
  });

  it("stands below the agent whose call it runs under, although it was not forked from it", () => {
    const keys = ["a:x", "b", "a:x:1#0~0/0", "a:x:1#0~0/0:12#3~1/k/1", "a:x:2#0~0/0"];
    const folded = fold(nothingYet, events(...keys.map((key) => spawned(key))));
    expect(
      lines(folded)
        .slice(0, 5)
        .map((line) => line.slice(2, 16).trim()),
    ).toEqual(["a:x", "├ 1#0~0/0", "│ └ 12#3~1/k/1", "└ 2#0~0/0", "b"]);
  });

  it("carries nothing of a tool's arguments that a terminal would obey", () => {
    const folded = fold(
      nothingYet,
      events(spawned("a"), dispatched("a", "c", { query: "\u001b[2J\u0007\u202eevil\n\nrest" })),
    );
    expect(lines(folded)[0]).toContain("evil");
    expect(lines(folded).join("")).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
  });
});

describe("a narrow screen", () => {
  const busy = fold(
    nothingYet,
    events(
      spawned("research/0"),
      { type: "turn:started", agent: "research/0", turn: 3, forced: false },
      state("research/0", "calling"),
      dispatched("research/0", "c1"),
      ...["c2", "c3"].map(
        (call): Plain<PoolEvent> => ({
          type: "call:refused",
          agent: "research/0",
          call,
          tool: "read",
          guard: "read_dedup",
          message: "no",
        }),
      ),
      {
        type: "turn:completed",
        agent: "research/0",
        turn: 3,
        tokens: 10,
        result: { calls: [], usage: { input: 1_200, output: 34, cached: 0 }, finish: "calls" },
      },
    ),
  );
  const at = (columns: number) => view(busy, { columns, rows: 24, palette }, 2_000).lines;

  it.each([
    [100, '● research/0  search "how do guards work"  3 turns · 1 call · refused read_dedup 2 · 1.2k tokens'],
    [80, '● research/0  search "how do guards w…  3 turns · 1 call · refused read_dedup 2'],
    [70, '● research/0  search "how do guards wo…  3 turns · 1 call · 2 refused'],
    [55, '● research/0  search "how do guards work"  2 refused'],
    [40, '● research/0  search "how do guards wo…'],
  ])("of %d columns says what an agent does, and counts as much as there is room for", (columns, line) => {
    expect(at(columns)[0]!.replace(/ {2,}/g, "  ")).toBe(line);
  });

  it("drops sums before it cuts the time", () => {
    for (const columns of [100, 80, 60, 40, 30])
      expect(at(columns).at(-1)).toMatch(/^1 agent: 1 running.* · 1 s$/);
  });
});

it("says of the run what no agent's row says", () => {
  const limit = { type: "budget:exhausted", limit: 100 } as const;
  const ofAgent = fold(nothingYet, events(spawned("a"), { ...limit, budget: "maxTurns", agent: "a" }));
  expect(lines(ofAgent).at(-1)).not.toContain("maxTurns");
  const ofRun = fold(ofAgent, events({ ...limit, budget: "maxTokens" }));
  expect(lines(ofRun).at(-1)).toContain(" · the run has used its maxTokens (100)");
});

it("shows times in whole seconds while they pass, and the last to a tenth", () => {
  const folded = fold(nothingYet, events(spawned("a")));
  expect(view(folded, screen, 1_000 + 4_321).lines.at(-1)).toMatch(/ · 5 s$/);
  expect(view(folded, { ...screen, over: true }, 1_000 + 4_321).lines.at(-1)).toMatch(/ · 4\.3 s$/);
});

it("puts counts into their column whatever width a terminal gives what stands before them", () => {
  const folded = fold(nothingYet, events(spawned("a"), dispatched("a", "c", { query: "क्षि 👩‍👩‍👧‍👦" })));
  const counts = "0 turns · 1 call";
  expect(lines(folded)[0]!.endsWith(`\u001b[${99 - 1 - counts.length}G  ${counts}`)).toBe(true);
});

describe("a frame", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 60 });
  it("never scrolls or wraps, whatever agents do and however small the screen is", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ task: text, query: text, done: fc.boolean(), parent: fc.nat(20) }), {
          maxLength: 120,
        }),
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 60 }),
        (agents, columns, rows) => {
          const folded = fold(
            nothingYet,
            agents.flatMap(({ task, query, done, parent }, i) =>
              events(
                {
                  ...(spawned(`k/${i}`, parent < i ? `k/${parent}` : undefined) as object),
                  task,
                } as Plain<PoolEvent>,
                dispatched(`k/${i}`, "c", { query }),
                ...(done ? [ended(`k/${i}`)] : []),
              ),
            ),
          );
          for (const colours of [palette, colourful]) {
            const frame = view(folded, { columns, rows, palette: colours }, 5_000);
            expect(frame.lines.length).toBeLessThan(Math.max(rows, 4));
            for (const line of frame.lines)
              expect(stringWidth(line)).toBeLessThanOrEqual(Math.max(columns - 1, 1));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("collapses a hundred agents to the screen and counts the rest", () => {
    const keys = Array.from({ length: 100 }, (_, i) => `research/${i}`);
    const folded = fold(
      nothingYet,
      events(...keys.map((key) => spawned(key)), ...keys.slice(0, 40).map((key) => ended(key))),
    );
    const frame = view(folded, screen, 2_000);
    expect(frame.lines).toHaveLength(23);
    expect(frame.lines.at(-2)).toBe("… 79 more: 39 waiting, 40 done");
    expect(frame.lines.at(-1)).toMatch(/^100 agents: 60 waiting, 40 done/);
    expect(frame.shown).toEqual(keys.slice(40, 61));
  });
});

describe("rows of a crowded screen", () => {
  it("stay an agent's own while it runs; only ended agents give theirs up", () => {
    const keys = Array.from({ length: 60 }, (_, i) => `k${i}`);
    fc.assert(
      fc.property(
        fc.shuffledSubarray(keys, { minLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        (endings, rows) => {
          const done = new Set<string>();
          let shown = arrange([], keys, (key) => done.has(key), rows);
          for (const key of endings) {
            done.add(key);
            const next = arrange(shown, keys, (name) => done.has(name), rows);
            expect(next).toHaveLength(rows);
            expect(new Set(next).size).toBe(rows);
            for (const [i, name] of shown.entries()) if (!done.has(name)) expect(next[i]).toBe(name);
            const running = keys.filter((name) => !done.has(name));
            const visible = next.filter((name) => !done.has(name));
            expect(visible.length).toBe(Math.min(running.length, rows));
            shown = next;
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});

it("folds the same from many events at once as from one at a time", () => {
  const all = events(
    spawned("a"),
    state("a", "calling"),
    dispatched("a", "c1"),
    {
      type: "call:settled",
      agent: "a",
      call: "c1",
      tool: "search",
      outcome: { type: "ok", value: 1 },
      ms: 1,
    },
    ended("a"),
    { type: "notice", message: "hello" },
  );
  expect(all.reduce((state, event) => fold(state, [event]), nothingYet)).toEqual(fold(nothingYet, all));
  expect(fold(nothingYet, [])).toBe(nothingYet);
});

it("counts no time between the process that had the run before and this one", () => {
  const past = events(spawned("a"), spawned("b")).map((event) => ({ ...event, past: true as const }));
  const now = events(state("a", "calling"), state("b", "calling")).map((event) => ({
    ...event,
    at: event.at + 3_600_000,
  }));
  const resumed = fold(fold(nothingYet, past), now);
  expect(now[1]!.at - resumed.startedAt!).toBe(past[1]!.at - past[0]!.at + now[1]!.at - now[0]!.at);
  expect(fold(nothingYet, [...past, ...now])).toEqual(resumed);
});
