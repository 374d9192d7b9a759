import { describe, expect, it } from "vitest";
import type { Happening } from "../values/event.ts";
import type { JournalEntry, Noted } from "../values/journal.ts";
import { noUsage, type Usage } from "../values/usage.ts";
import { Recorded } from "./recorded.ts";

/** Entries a millisecond apart. */
const entries = (...all: readonly (Happening | Noted)[]): JournalEntry[] =>
  all.map((entry, at) => ({ ...entry, run: "r", at }) as JournalEntry);

const opened = (pool: string, more: { within?: string; call?: string } = {}): Happening => ({
  ...{ type: "pool:opened", pool, model: "m", tools: [] },
  ...more,
});
const spawned = (agent: string, pool: string): Happening => ({
  ...{ type: "agent:spawned", agent, task: "look", parent: undefined, depth: 0, pool },
});
const dispatched = (agent: string, call: string, attempt = 0): Happening => ({
  ...{
    type: "call:dispatched",
    agent,
    call,
    tool: "find",
    identity: "local:find",
    args: { q: call },
    attempt,
  },
});
const settled = (agent: string, call: string, ok = true): Happening => ({
  ...{ type: "call:settled", agent, call, tool: "find", ms: 1 },
  outcome: ok ? { type: "ok", value: 1 } : { type: "error", message: "no" },
});
const admitted = (agent: string, call: string, attended = true): Happening => ({
  ...{ type: "call:admitted", agent, call, tool: "find", outcome: "ok", attended },
});
const ended = (agent: string): Happening => ({
  type: "agent:ended",
  agent,
  result: {
    ...{ key: agent, task: "look", parent: undefined, result: "x", report: undefined, exit: "returned" },
    ...{
      reason: undefined,
      turns: 1,
      toolCallCount: 0,
      attendedCount: 0,
      refusals: [],
      parks: 0,
      usage: noUsage,
    },
  },
});
const completed = (agent: string, turn: number, output = 10): Happening => ({
  ...{ type: "turn:completed", agent, turn, tokens: 0, cost: 0.5 },
  result: { calls: [], usage: { input: 100, output, cached: 0 }, finish: "stop" },
});

const begun = [opened("p"), spawned("p/0", "p")];
const read = (all: readonly JournalEntry[]) => {
  const recorded = new Recorded(all);
  const tree = recorded.trees.get("p")!;
  return { recorded, tree, agent: recorded.agents.get("p/0")!, open: recorded.open(tree) };
};

describe("calls that a record leaves on their way", () => {
  it("are those that were dispatched and have no outcome, and successes that were not read", () => {
    const { open, tree } = read(
      entries(
        ...begun,
        ...["a", "b", "c", "d"].map((call) => dispatched("p/0", call)),
        settled("p/0", "b"),
        settled("p/0", "c", false),
        settled("p/0", "d"),
        admitted("p/0", "d"),
      ),
    );
    expect(open.map(({ id, succeeded }) => [id, succeeded])).toEqual([
      ["a", false],
      ["b", true],
    ]);
    expect(tree.reads).toEqual([{ identity: "local:find", args: { q: "d" } }]);
  });

  it.each<[string, Happening | Noted]>([
    ["its agent is over", ended("p/0")],
    ["its agent ended with its scope", { type: "record:halted", agent: "p/0" }],
    ["its pool has closed", { type: "pool:closed", pool: "p", result: { agents: [], totals: {} as never } }],
  ])("hold nobody up where %s", (_, last) => {
    expect(read(entries(...begun, dispatched("p/0", "a"), last)).open).toEqual([]);
  });

  it("hold nobody up where the call that they work for is over, at any depth", () => {
    const nested = [
      ...begun,
      dispatched("p/0", "p/0:a"),
      opened("p/0:a~0", { within: "p", call: "p/0:a" }),
      spawned("p/0:a~0/0", "p/0:a~0"),
      dispatched("p/0:a~0/0", "p/0:a~0/0:b"),
      opened("p/0:a~0/0:b~0", { within: "p/0:a~0", call: "p/0:a~0/0:b" }),
      spawned("p/0:a~0/0:b~0/0", "p/0:a~0/0:b~0"),
      dispatched("p/0:a~0/0:b~0/0", "p/0:a~0/0:b~0/0:c"),
    ];
    expect(read(entries(...nested)).open.map(({ id }) => id)).toEqual([
      "p/0:a",
      "p/0:a~0/0:b",
      "p/0:a~0/0:b~0/0:c",
    ]);
    expect(read(entries(...nested, settled("p/0", "p/0:a", false))).open).toEqual([]);
  });

  it("are back where an agent that ended with its scope was started again", () => {
    const again = [{ type: "record:halted", agent: "p/0" } as const, spawned("p/0", "p")];
    expect(read(entries(...begun, dispatched("p/0", "a"), ...again)).open).toHaveLength(1);
  });
});

describe("what a run has used, as its record has it", () => {
  it("is counted once, whatever was sent back or dispatched again", () => {
    const { tree, agent } = read(
      entries(
        ...begun,
        completed("p/0", 1),
        ...[
          {
            type: "turn:restarted",
            agent: "p/0",
            turn: 1,
            attempt: 0,
            reasoning: "",
            by: "",
            moment: "onPropose",
          } as const,
        ],
        completed("p/0", 1, 30),
        dispatched("p/0", "a"),
        dispatched("p/0", "a"),
        settled("p/0", "a"),
        admitted("p/0", "a"),
      ),
    );
    expect(tree.totals).toMatchObject({ agents: 1, turns: 1, toolCalls: 1, attended: 1 });
    expect(tree.totals.usage).toEqual({ input: 200, output: 40, cached: 0 });
    expect(tree).toMatchObject({ spent: { tokens: 240, cost: 1 }, longestTurn: 30 });
    expect([...agent.turns.keys()]).toEqual(["1.0", "1.1"]);
  });

  it("is its own: another top pool's is another's", () => {
    const { recorded } = read(
      entries(...begun, completed("p/0", 1), opened("q"), spawned("q/0", "q"), completed("q/0", 1)),
    );
    expect([...recorded.trees.values()].map(({ totals }) => totals.turns)).toEqual([1, 1]);
  });

  it("has a park once, in however many processes it goes on", () => {
    const park = {
      type: "call:parked",
      agent: "p/0",
      call: "a",
      tool: "find",
      reason: "retry",
      until: 50,
    } as const;
    const { agent, tree } = read(
      entries(...begun, dispatched("p/0", "a"), park, { type: "record:begun" }, park),
    );
    expect([agent.parks, tree.retries, agent.calls.get("a")!.retry]).toEqual([
      1,
      1,
      { attempt: 1, until: 50 },
    ]);
  });

  it("has the time of processes that worked on it, and none between them", () => {
    const first = entries(...begun, completed("p/0", 1));
    const second = entries({ type: "record:begun" }, completed("p/0", 2), completed("p/0", 3)).map(
      (entry) => ({
        ...entry,
        at: entry.at + 86_400_000,
      }),
    );
    expect(read([...first, ...second]).tree.elapsed).toBe(4);
  });
});

describe("what an agent was told", () => {
  it("is heard once: a steer is open until a turn has it", () => {
    const steer = (message: string): Happening => ({ type: "agent:steered", agent: "p/0", message });
    const heard = {
      type: "record:heard",
      agent: "p/0",
      turn: 1,
      attempt: 0,
      messages: ["one"],
      steers: 1,
      context: false,
    } as const;
    const { agent } = read(entries(...begun, steer("one"), heard, steer("two")));
    expect(agent.steers).toEqual(["two"]);
    expect(agent.turns.get("1.0")!.heard).toEqual([{ messages: ["one"], context: false }]);
  });
});

describe("a decision on an approval", () => {
  it("is the first, and of none that is void", () => {
    const approval = {
      id: "x",
      agent: "p/0",
      call: "a",
      tool: "find",
      identity: "local:find",
      args: {},
      digest: "",
      reason: "",
    };
    const about = { agent: "p/0", call: "a", approval: "x" };
    const { recorded, agent } = read(
      entries(
        ...begun,
        { type: "approval:requested", agent: "p/0", call: "a", approval },
        { ...about, type: "approval:decided", decision: { type: "denied" } },
        { ...about, type: "approval:decided", decision: { type: "approved" } },
        { type: "approval:requested", agent: "p/0", call: "a", approval: { ...approval, id: "y" } },
        { ...about, approval: "y", type: "approval:void" },
      ),
    );
    expect(recorded.decisions.get("x")).toEqual({ type: "denied" });
    expect([...agent.calls.get("a")!.approvals]).toEqual(["x"]);
  });
});

describe("the model that an agent had moved on to", () => {
  const started: Happening = { type: "turn:started", agent: "p/0", turn: 1, forced: false };
  const moved = (to: string): Happening => ({
    ...{ type: "model:fallback", agent: "p/0", from: "a", to, reason: "gone" },
  });
  const movedTo = (...all: readonly (Happening | Noted)[]) =>
    read(entries(...begun, ...all)).recorded.agents.get("p/0")!.movedTo;

  it("is the last one of the turn that it is in; one that is complete says itself who generated it", () => {
    expect(movedTo(started, moved("b"), moved("c"))).toBe("c");
    expect(movedTo(started, moved("b"), completed("p/0", 1))).toBeUndefined();
  });

  it("is none of a reviewer's, whose list moved while no turn was under way", () => {
    expect(movedTo(moved("b"))).toBeUndefined();
    expect(movedTo(started, completed("p/0", 1), moved("b"))).toBeUndefined();
    expect(movedTo(started, { type: "record:begun" }, moved("b"))).toBeUndefined();
    expect(movedTo(started, moved("b"), { type: "record:begun" })).toBe("b");
  });
});

describe("a model that could not be asked", () => {
  const started: Happening = { type: "turn:started", agent: "p/0", turn: 1, forced: false };
  const limited = (reason: "overloaded" | "rate_limit", usage?: Usage): Happening => ({
    ...{ type: "model:limited", agent: "p/0", model: "m", reason, message: "no", afterMs: 50, attempt: 1 },
    ...(usage ? { usage, cost: 2 } : {}),
  });
  const agentOf = (...all: readonly (Happening | Noted)[]) =>
    read(entries(...begun, ...all)).recorded.agents.get("p/0")!;

  it("is waited for by the agent whose turn it is, for the same reason", () => {
    expect(agentOf(started, limited("overloaded")).limited).toMatchObject({
      attempt: 1,
      reason: "overloaded",
    });
    expect(agentOf(started, limited("overloaded"), completed("p/0", 1)).limited).toBeUndefined();
  });

  it("while no turn was under way is a reviewer's: the agent's own is not waited for", () => {
    const { limited: own, parks } = agentOf(started, completed("p/0", 1), limited("rate_limit"));
    expect(own).toBeUndefined();
    expect(parks).toBe(1);
    expect(agentOf(limited("rate_limit")).limited).toBeUndefined();
  });

  it("or gave nothing has its agent's usage and the run's counted", () => {
    const usage = { input: 10, output: 1, cached: 0 };
    const failed: Happening = {
      ...{ type: "turn:failed", agent: "p/0", turn: 1, forced: false, message: "no", usage, cost: 3 },
    };
    const { tree } = read(entries(...begun, started, limited("overloaded", usage), started, failed));
    expect(tree.totals).toMatchObject({ turns: 0, usage: { input: 20, output: 2 } });
    expect(tree.spent).toEqual({ tokens: 22, cost: 5 });
    expect(agentOf(started, limited("overloaded", usage), started, failed)).toMatchObject({
      usage: { input: 20, output: 2 },
      limited: undefined,
    });
  });
});

describe("a terminal call", () => {
  const call = "p/0:1#0";
  const executing = (attempt: number): Noted => ({
    ...{ type: "record:executing", agent: "p/0", call, identity: "local:publish", args: {}, attempt },
  });
  const callIn = (...all: readonly (Happening | Noted)[]) =>
    read(entries(...begun, ...all))
      .recorded.agents.get("p/0")!
      .calls.get(call)!;

  it("has its intent on record, is on its way, and counts nowhere", () => {
    const { recorded, tree } = read(entries(...begun, executing(0)));
    expect(recorded.agents.get("p/0")!.calls.get(call)).toMatchObject({
      dispatched: { attempt: 0, identity: "local:publish" },
      executed: undefined,
    });
    expect(tree.totals.toolCalls).toBe(0);
    expect(recorded.open(tree)).toEqual([]);
  });

  it("has used its attempts, waits for the next, and what it came to is known apart from its return", () => {
    const busy = {
      ...{ type: "call:parked", agent: "p/0", call, tool: "publish", reason: "retry" },
      until: 9,
    };
    expect(callIn(executing(0), busy as Happening).retry).toEqual({ attempt: 1, until: 9 });
    const outcome = { type: "error", message: "no" } as const;
    const executed: Noted = { type: "record:executed", agent: "p/0", call, outcome, unknown: true };
    expect(callIn(executing(0), executed)).toMatchObject({
      executed: { outcome, unknown: true },
      outcome: undefined,
    });
  });
});
