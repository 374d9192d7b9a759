import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@agentpool/journal";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { call } from "./in-process.ts";
import { docs, folderWith } from "./pool.ts";

/** Two agents that search the same, read, and send a letter. */
const files = {
  "harness.yml": "program: ./p.ts\n",
  "p.ts": `
    import { dedup, defineTool, parallel } from "@agentpool/core";
    import { defineHarness } from "@agentpool/harness";
    import { scripted } from "@agentpool/models";
    const tool = (name, more = {}) => ({
      ...defineTool({
        name, description: "Does " + name, parameters: { type: "object", properties: { on: { type: "string" } } },
        hooks: { beforeDispatch: [dedup(name + "_dedup", ({ on }) => on)] },
        execute: ({ on }) => name + " of " + on,
      }),
      ...more,
    });
    const does = (...made) => ({ calls: made.map(([tool, on]) => ({ tool, args: { on } })) });
    const model = scripted(() => [
      does(["search", "a"], ["search", "b"]), does(["read", "a"]), does(["search", "c"]), does(["send", "ada"]), { text: "done" },
    ]);
    export default defineHarness({
      tools: [tool("search"), tool("read"), tool("send", { protected: true })],
      *run(_, { pool }) { return (yield* pool({ model, orchestrate: parallel(["one", "two"]) })).agents.length; },
    });`,
};

async function ran(more: readonly string[] = []): Promise<string> {
  const cwd = folderWith(files);
  expect((await call(["run", ...more, "Go."], { cwd })).code).toBe(0);
  return cwd;
}

const guards = async (cwd: string, ...args: string[]) => {
  const { code, stdout, stderr } = await call(["guards", "latest", "--json", ...args], { cwd });
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
};

const changesIn = ({
  changes,
}: {
  changes: { tool: string; args: { on: string }; now: { type: string; guard?: string; by?: string } }[];
}) =>
  changes.map(({ tool, args, now }) => {
    const by = now.guard ?? now.by;
    return `${tool} ${args.on}: ${now.type}${by ? ` by ${by}` : ""}`;
  });

describe("pool guards", () => {
  it("knows denies, limits, approvals and grants of another harness.yml, under the names that are published", async () => {
    const cwd = await ran(["--grant", "send"]);
    writeFileSync(
      join(cwd, "other.yml"),
      "program: ./p.ts\npolicy: { deny: [read], requireApproval: [send] }\ndefaults: { budget: { maxCallsPerTool: { search: 2 } } }\n",
    );
    const told = await guards(cwd, "--harness", "other.yml");
    expect(changesIn(told)).toEqual(
      ["read a: refused by deny", "search c: refused by limit", "send ada: asked"].flatMap((one) => [
        one,
        one,
      ]),
    );
    expect(told).toMatchObject({ refused: 4, asked: 2, allowed: 0 });
    expect(told.notKnown.join()).toContain("What a person would have said");
    expect(told.notKnown.join()).toContain("at that time");
    const { stdout } = await call(["guards", "latest", "--harness", "other.yml"], { cwd });
    expect(stdout).toContain("ran → refused by deny");
    expect(stdout).toContain("ran → refused by limit");
    expect(stdout).toContain("ran → asked, waits for a person");
    expect(stdout).toContain("4 more refused, 2 more would wait for a person");
    const yaml = /\n(defaults:\n[\s\S]*)$/.exec(stdout)![1];
    expect(yaml).toBe(
      "defaults:\n  budget:\n    maxCallsPerTool: { search: 2 }\npolicy:\n  deny: [read]\n  requireApproval: [send]\n",
    );
  });

  it("takes the same as changes, wherever harness.yml has them, and what it prints is taken by harness.yml", async () => {
    const cwd = await ran(["--grant", "send"]);
    const set = (...changes: string[]) => guards(cwd, ...changes.flatMap((change) => ["--set", change]));
    expect(changesIn(await set("deny=read"))).toEqual(Array(2).fill("read a: refused by deny"));
    expect(changesIn(await set("policy.deny=read,search_*", "deny="))).toEqual([]);
    expect(changesIn(await set("grants="))).toEqual(Array(2).fill("send ada: refused by auth_reject"));
    expect(changesIn(await set("policy.requireApproval=send"))).toEqual(Array(2).fill("send ada: asked"));
    expect(changesIn(await set("maxCallsPerTool.search=2"))).toEqual(
      Array(2).fill("search c: refused by limit"),
    );
    const limited = await set("defaults.budget.maxToolCalls=3");
    expect(changesIn(limited)).toEqual(
      ["search c: refused by limit", "send ada: unmade by maxToolCalls"].flatMap((one) => [one, one]),
    );
    expect(limited).toMatchObject({ refused: 2, unmade: 2 });
    const { stdout } = await call(
      [
        "guards",
        "latest",
        "--set",
        "deny=read",
        "--set",
        "maxToolCalls=3",
        "--set",
        "guards.search_dedup.scope=cohort",
      ],
      { cwd },
    );
    const yaml = /\n(defaults:\n[\s\S]*)$/.exec(stdout)![1]!;
    writeFileSync(join(cwd, "pasted.yml"), `program: ./p.ts\n${yaml}`);
    expect((await call(["config", "-f", "pasted.yml"], { cwd })).code).toBe(0);
    expect(readFileSync(join(cwd, "pasted.yml"), "utf8")).toContain("maxToolCalls: 3");
  });

  it("knows limits of turns, tokens and time, alike as changes and from another harness.yml", async () => {
    const cwd = await ran(["--grant", "send"]);
    const limits = [
      ["maxTurns: 2", "maxTurns=2"],
      ["maxTokens: 300", "maxTokens=300"],
      ["wallClock: { hard: 1 }", "defaults.budget.wallClock.hard=1"],
    ] as const;
    for (const [yaml, change] of limits) {
      const set = await guards(cwd, "--set", change);
      writeFileSync(join(cwd, "other.yml"), `program: ./p.ts\ndefaults: { budget: { ${yaml} } }\n`);
      const other = await guards(cwd, "--harness", "other.yml");
      expect(set.stops.length).toBeGreaterThan(0);
      expect(other).toEqual(set);
      const { stdout } = await call(["guards", "latest", "--set", change], { cwd });
      expect(stdout).toContain(`    ${yaml}\n`);
    }
    expect(changesIn(await guards(cwd, "--set", "maxTurns=2")).sort()).toEqual(
      ["search c", "send ada"].flatMap((one) => Array(2).fill(`${one}: unmade by maxTurns`)),
    );
  });

  it("counts turns left out with what they used, in the table, the totals and the JSON alike", async () => {
    const cwd = await ran(["--grant", "send"]);
    const told = await guards(cwd, "--set", "maxTurns=2");
    const view = JSON.parse((await call(["show", "latest", "--json"], { cwd })).stdout);
    // of five turns two are taken, the third is the report's
    const left = view.agentViews.flatMap(
      (agent: { turns: { turn: number; usage: Record<string, number> }[] }) =>
        agent.turns.filter(({ turn }) => turn > 3),
    );
    expect(told.turnsSaved).toBe(left.length);
    expect(told.tokensSaved).toBe(
      left.reduce(
        (sum: number, { usage }: { usage: { input: number; output: number } }) =>
          sum + usage.input + usage.output,
        0,
      ),
    );
    expect(told.stops).toEqual(
      ["agent/0", "agent/1"].map((agent) => ({ agent, turn: 3, by: "maxTurns", reports: true, turns: 2 })),
    );
    const { stdout } = await call(["guards", "latest", "--set", "maxTurns=2"], { cwd });
    expect(stdout).toContain("ran → not made, maxTurns");
    expect(stdout).toContain("agent/0 would have reported in place of turn 3 (maxTurns): 2 turns left out\n");
    expect(stdout).toContain("4 never made, 4 turns left out");
    expect(stdout).toContain("defaults:\n  budget:\n    maxTurns: 2\n");
  });

  it.each(["maxTurns=1", "maxTurns=2", "maxTokens=3000"])(
    "says of the research job what it does with %s: its planner and its writer have turns of their own",
    async (limit) => {
      const cwd = folderWith({ ...docs, "harness.yml": "tools: { corpus: { path: ./docs } }\n" });
      const question = "How are retries limited, and what is the scope of a guard?";
      await call(["run", question], { cwd });
      const told = await guards(cwd, "--set", limit);
      await call(["run", "--budget", limit, question], { cwd });
      const shown = async (id: string) => JSON.parse((await call(["show", id, "--json"], { cwd })).stdout);
      const [limited, free] = [await shown("latest"), await shown(told.run)];
      expect(told.stops.map(({ agent }: { agent: string }) => agent.split("/")[0])).toContain("research");
      expect(told.stops.map(({ agent }: { agent: string }) => agent)).not.toContain("plan/0");
      expect(free.calls - told.unmade).toBe(limited.calls);
      const ends = ({ agentViews }: typeof limited): string[] =>
        agentViews.flatMap(({ agent, exit }: { agent: string; exit: string }) =>
          exit === "max_turns" || exit === "budget" ? [agent] : [],
        );
      // whom a limit stops before there is anything to write does not come to be there at all
      const stopped = told.stops.map(({ agent }: { agent: string }) => agent);
      expect(ends(limited).filter((agent) => !stopped.includes(agent))).toEqual([]);
    },
  );

  it("says of a call that was under way when time was up that it would have been cut short", async () => {
    const cwd = folderWith({
      ...files,
      "p.ts": files["p.ts"].replace(
        'execute: ({ on }) => name + " of " + on',
        'execute: ({ on }) => new Promise((done) => setTimeout(done, on === "a" && name === "read" ? 500 : 0)).then(() => name + " of " + on)',
      ),
    });
    await call(["run", "--grant", "send", "Go."], { cwd });
    const events: { type: string; at: number; tool?: string }[] = (
      await call(["trace", "latest", "--json"], { cwd })
    ).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const opened = events.find(({ type }) => type === "pool:opened")!.at;
    const reads = events.filter(({ tool }) => tool === "read");
    const since = Math.max(...reads.filter(({ type }) => type === "call:dispatched").map(({ at }) => at));
    const until = Math.min(...reads.filter(({ type }) => type === "call:settled").map(({ at }) => at));
    const change = `wallClock.hard=${Math.round((since + until) / 2 - opened)}`;
    const told = await guards(cwd, "--set", change);
    expect(told).toMatchObject({ withdrawn: 2, unmade: 4, refused: 0 });
    expect(changesIn(told).filter((one) => one.startsWith("read"))).toEqual(
      Array(2).fill("read a: withdrawn by wallClock"),
    );
    const { stdout } = await call(["guards", "latest", "--set", change], { cwd });
    expect(stdout).toContain("ran → withdrawn, wallClock");
    expect(stdout).toContain("2 cut short, 4 never made");
    expect(stdout).toContain("agent/0 would not have come to turn 3 (wallClock): 3 turns left out");
  });

  it("suggests what a replay with that change comes to", async () => {
    const cwd = await ran(["--grant", "send"]);
    const { stdout } = await call(["guards", "--suggest", "--json"], { cwd });
    const suggestions: { guard: string; setting: { scope: string } }[] = JSON.parse(stdout);
    expect(suggestions.map(({ guard }) => guard).sort()).toEqual([
      "read_dedup",
      "search_dedup",
      "send_dedup",
    ]);
    for (const { guard, setting, ...sums } of suggestions) {
      const told = await guards(cwd, "--set", `${guard}.scope=${setting.scope}`);
      const { refused, unmade, turnsSaved, tokensSaved, msSaved, notKnown } = told;
      expect(sums).toEqual({
        runs: 1,
        refused: refused + unmade,
        turnsSaved,
        tokensSaved,
        msSaved,
        notKnown,
      });
    }
  });

  it("says what no replay of limits can know, as far as it matters", async () => {
    const cwd = await ran(["--grant", "send", "--budget", "maxTurns=3"]);
    const unknown = async (...args: string[]) => (await guards(cwd, ...args)).notKnown.join("\n");
    expect(await unknown("--set", "maxTurns=9")).toContain("What 2 agents would have done with more");
    expect(await unknown("--set", "maxTurns=2")).toContain("it reports in place of its next turn");
    expect(await unknown("--set", "maxTokens=100")).toContain("Whose turn it would have been");
    expect(await unknown("--set", "wallClock.soft=1000")).toContain("How time would have passed");
    expect(await unknown("--set", "maxCost=1")).toMatch(/What \d+ turns cost: the price is not on record/);
    expect(await unknown("--set", "maxTurns=2")).toContain("Which limits ./p.ts sets by itself");
    writeFileSync(
      join(cwd, "other.yml"),
      "program: ./p.ts\ndefaults: { effort: low, budget: { maxAgents: 3, context: { soft: 0.5 } } }\n",
    );
    expect(await unknown("--harness", "other.yml")).toContain(
      "What defaults.effort, defaults.budget.context, defaults.budget.maxAgents would have changed",
    );
    expect(await unknown()).not.toContain("would have changed");
  });

  it.each([
    ["maxTurns=0", "accepted is a whole number, 1 or more"],
    ["maxTokens=1.5", "accepted is a whole number, 1 or more"],
    ["maxCost=0", "accepted are US dollars, above 0"],
    ["wallClock=5", "wallClock.soft=MS"],
    ["wallClock.firm=5", "wallClock.soft=MS"],
    ["maxTurn=5", "did you mean maxTurns?"],
    ["deny=raed", "did you mean read?"],
    ["maxCallsPerTool.serach=2", "did you mean search?"],
    ["maxToolCalls=few", "accepted is a whole number"],
    ["maxToolCalls=0", "accepted is a whole number, 1 or more"],
    ["maxToolCals=2", "did you mean maxToolCalls?"],
    ["search_dedup.scope=all", "accepted are NAME.scope=cohort"],
    ["nonsense", "accepted are NAME.scope=cohort"],
  ])("says of --set %s what is taken", async (change, message) => {
    const cwd = await ran(["--deny", "send"]);
    const { code, stderr } = await call(["guards", "latest", "--set", change], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it("lets through what was denied, limited or without a grant then", async () => {
    const cwd = await ran(["--deny", "read"]);
    const told = await guards(cwd, "--set", "deny=", "--set", "grants=send");
    expect(changesIn(told)).toEqual(["read a: ran", "send ada: ran"].flatMap((one) => [one, one]));
    expect(told).toMatchObject({ refused: 0, allowed: 4, uncertain: 0 });
    expect(told.notKnown.join()).toContain("it is taken to succeed");
  });

  it("suggests from the runs that pool run began, and leaves those that programs recorded", async () => {
    const cwd = await ran(["--grant", "send"]);
    await run(function* () {
      const store = yield* openStore("sqlite:.pool/runs.db", { cwd });
      const journal = yield* store.journal("own-1");
      journal.note({
        type: "run:started",
        run: "own-1",
        at: Date.now() + 1_000,
        question: "Mine?",
        settings: {},
      });
    });
    const { code, stdout } = await call(["guards", "--suggest"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("search_dedup.scope=cohort");
    expect(stdout).toContain("Over 1 run:");
    expect(stdout).toContain("Not known:\n- What the model would have done next");
  });

  it("says what it cannot know in its help", async () => {
    const { stdout } = await call(["guards", "--help"], { cwd: folderWith({}) });
    for (const text of [
      "what the model would have done next",
      "a person would have said, or a reviewer",
      "notKnown",
    ])
      expect(stdout).toContain(text);
  });
});
