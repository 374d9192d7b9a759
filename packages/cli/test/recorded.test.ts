import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@agentpool/journal";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { call } from "./in-process.ts";
import { docs, folderWith, pool, start } from "./pool.ts";

const corpus = { ...docs, "harness.yml": "tools: { corpus: { path: ./docs } }\n" };
const question = "How are retries limited, and what is the scope of a guard?";

/** A harness whose agents send letters that a person has to approve. */
const letters = {
  "harness.yml": "program: ./letters.ts\npolicy: { requireApproval: [send] }\n",
  "letters.ts": `
    import { defineTool, parallel } from "@agentpool/core";
    import { defineHarness } from "@agentpool/harness";
    import { scripted } from "@agentpool/models";
    import { appendFileSync } from "node:fs";
    const send = defineTool({
      name: "send",
      description: "Sends a letter.",
      parameters: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
      execute: ({ to }) => { appendFileSync(new URL("sent.txt", import.meta.url), to + "\\n"); return "sent to " + to; },
    });
    const model = scripted(({ task }) => [{ calls: [{ tool: "send", args: { to: task } }] }, { text: "done with " + task }]);
    export default defineHarness({
      tools: [send],
      *run(question, { pool }) {
        const { agents } = yield* pool({ model, orchestrate: parallel(question.split(" ")) });
        return agents.map(({ result, refusals }) => [result, ...refusals.map(({ message }) => message)].join(": ")).join("; ");
      },
    });`,
};

const approvalsIn = async (cwd: string): Promise<{ id: string; args: { to: string }; state: string }[]> =>
  JSON.parse((await call(["approvals", "--all", "--json"], { cwd })).stdout);

describe("a run", () => {
  it("is recorded by default: listed, shown, traced, exported", async () => {
    const cwd = folderWith(corpus);
    const ran = await call(["run", question], { cwd });
    expect(ran.code).toBe(0);
    const [, id] = /^Run (\S+)$/m.exec(ran.stderr)!;
    const listed = await call(["runs", "--json"], { cwd });
    expect(JSON.parse(listed.stdout)).toEqual([
      {
        id,
        question,
        status: "completed",
        startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        endedAt: expect.any(String),
        agents: expect.any(Number),
        turns: expect.any(Number),
        calls: expect.any(Number),
        refusals: expect.any(Number),
        tokens: expect.any(Number),
        cost: 0, // the embedded engine
      },
    ]);
    const shown = (await call(["show", "latest"], { cwd })).stdout;
    expect(shown).toContain(`${id}  completed`);
    expect(shown).toContain("research/0");
    expect(shown).toContain("docs/retries.md");
    // the brief stands below, as it was printed
    expect(shown).toContain(ran.stdout.trim());
    const one = (await call(["show", id!.slice(0, 10), "--agent", "research/0"], { cwd })).stdout;
    expect(one).toMatch(/^research\/0/);
    expect(one).toContain("Retries are limited by maxToolRetries");
    const parts = await call(["show", "latest", "--json", "--agent", "research/0", "--no-brief"], { cwd });
    const part = JSON.parse(parts.stdout);
    expect(part.agentViews.map(({ agent }: { agent: string }) => agent)).toEqual(["research/0"]);
    expect([part.id, "answer" in part]).toEqual([id, false]);
    const traced = (await call(["trace", id!, "--type", "call:dispatched", "--json"], { cwd })).stdout;
    const lines = traced
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.every(({ type }) => type === "call:dispatched")).toBe(true);
    const exported = JSON.parse((await call(["export", "latest"], { cwd })).stdout);
    expect(exported).toMatchObject({ format: "agentpool-run", run: { id, question } });
    expect(exported.entries[0]).toMatchObject({ type: "run:started" });
  });

  it("is not recorded where store is none", async () => {
    const cwd = folderWith(corpus);
    const { code, stderr } = await call(["run", "--store", "none", question], { cwd });
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/^Run /m);
    expect(existsSync(join(cwd, ".pool/runs.db"))).toBe(false);
    expect((await call(["runs", "--json"], { cwd })).stdout).toBe("[]\n");
    const none = await call(["runs", "--store", "none"], { cwd });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("store is none")]);
  });

  it("that was killed is interrupted, shows what it had, and is carried on to the same brief", async () => {
    const cwd = folderWith(corpus);
    const whole = await call(["run", question], { cwd });
    const running = start(["run", "--json", question], { cwd });
    await running.saw('"type":"call:settled"');
    running.process.kill("SIGKILL");
    await running.ended;
    const [newest] = JSON.parse((await call(["runs", "--json"], { cwd })).stdout);
    expect(newest.status).toBe("interrupted");
    expect((await call(["show", "latest"], { cwd })).stdout).toContain(`pool resume ${newest.id}`);
    const resumed = await call(["resume", "latest"], { cwd });
    expect(resumed.code).toBe(0);
    expect(resumed.stdout).toBe(whole.stdout);
    expect((await call(["runs", "--json"], { cwd })).stdout).toContain('"completed"');
    const again = await call(["resume", "latest"], { cwd });
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("has come to its end")]);
  });

  it("shows agents of a call below the agent that made it, and what goes on while it does", async () => {
    const cwd = folderWith({
      "harness.yml": "program: ./p.ts\n",
      "p.ts": `
        import { delegate, parallel } from "@agentpool/core";
        import { defineHarness } from "@agentpool/harness";
        import { scripted } from "@agentpool/models";
        import { suspend } from "effection";
        const wait = { name: "wait", description: "Waits.", parameters: { type: "object" }, execute: function* () { yield* suspend(); } };
        const ask = delegate({ name: "ask", tools: [wait], system: "Look." });
        const model = scripted(({ key }) => key.includes("~")
          ? [{ text: "looked" }]
          : [{ calls: [{ tool: "ask", args: { tasks: ["look"] } }] }, { calls: [{ tool: "wait" }] }]);
        export default defineHarness({
          tools: [ask, wait],
          *run(_, { pool }) { yield* pool({ model, orchestrate: parallel(["one", "two"]) }); },
        });`,
    });
    const running = start(["run", "Wait."], { cwd });
    await running.saw("agent/0 wait");
    await running.saw("agent/1 wait");
    const shown = async () => (await call(["show", "latest"], { cwd })).stdout;
    const live = await shown();
    expect(
      live.split("\n").flatMap((line) => /^( *)(agent\/\S+)/.exec(line)?.slice(1, 3).join("|") ?? []),
    ).toEqual(["|agent/0", "  |agent/0:1#0~0/0", "|agent/1", "  |agent/1:1#0~0/0"]);
    expect(live).toMatch(/ {3}2 {2}wait {2}runs\n/);
    const replayed = await call(["guards", "latest", "--set", "maxTurns=1"], { cwd });
    expect(replayed.stdout).toContain("the run had not come to its end");
    running.process.kill("SIGKILL");
    await running.ended;
    expect(await shown()).toMatch(/ {3}2 {2}wait {2}outcome not known\n/);
  });

  it("that fails is on record as failed, with the reason", async () => {
    const cwd = folderWith({
      "harness.yml": "program: ./p.ts\n",
      "p.ts": `export default { *run() { throw new Error("the roof is on fire"); } };`,
    });
    expect((await call(["run", "Why?"], { cwd })).code).toBe(1);
    const [run] = JSON.parse((await call(["runs", "--json"], { cwd })).stdout);
    expect(run.status).toBe("failed");
    expect((await call(["show", "latest"], { cwd })).stdout).toContain("the roof is on fire");
    const asked = await call(["ask", "latest", "And then?"], { cwd });
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("has come to its end (failed)")]);
  });
});

describe("a run in which everybody waits for people", () => {
  it("ends with code 3 and says how to go on; decisions from anywhere stand, and resume carries on", async () => {
    const cwd = folderWith(letters);
    const waiting = await call(["run", "ada grace"], { cwd });
    expect(waiting.code).toBe(3);
    expect(waiting.stderr).toContain("2 calls of run");
    expect(waiting.stderr).toMatch(/pool resume \S+/);
    const still = await call(["resume", "latest"], { cwd });
    expect(still.code).toBe(3);
    const open = await approvalsIn(cwd);
    const waits = (await call(["show", "latest"], { cwd })).stdout;
    expect(waits).toContain(`1  send ada  waits for a person: ${open[0]!.id}`);
    expect(waits).not.toContain("nothing came of it");
    expect(open.map(({ args, state }) => [args.to, state])).toEqual([
      ["ada", "open"],
      ["grace", "open"],
    ]);
    const [ada, grace] = open;
    const approved = await pool(["approve", ada!.id.slice(0, 6)], { cwd });
    expect([approved.code, approved.stdout]).toEqual([0, expect.stringContaining("approved: send")]);
    await call(["deny", grace!.id, "--reason", "She moved."], { cwd });
    const late = await call(["deny", ada!.id], { cwd });
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining("the first decision stands")]);
    const resumed = await call(["resume", "latest"], { cwd });
    expect(resumed.code).toBe(0);
    expect(resumed.stdout).toContain("done with ada");
    expect(resumed.stdout).toContain("She moved.");
    expect(readFileSync(join(cwd, "sent.txt"), "utf8")).toBe("ada\n");
    const shown = (await call(["show", "latest"], { cwd })).stdout;
    expect(shown).toMatch(/approved by \S+ +\S+ +send/);
    expect(shown).toContain("She moved.");
  });

  it("asks nobody again who decided meanwhile, and keeps when they did", async () => {
    const cwd = folderWith(letters);
    expect((await call(["run", "ada bob"], { cwd })).code).toBe(3);
    const [ada] = await approvalsIn(cwd);
    const decided = JSON.parse((await call(["approve", ada!.id, "--json"], { cwd })).stdout);
    const resumed = await call(["resume", "latest"], { cwd });
    expect(resumed.code).toBe(3);
    expect(resumed.stderr).not.toContain(`pool approve ${ada!.id}`);
    expect(resumed.stderr).toContain("waits for a person: pool approve");
    const after = (await approvalsIn(cwd)).find(({ id }) => id === ada!.id);
    expect(after).toEqual(decided);
  });

  it("is decided on by an id: one that is none, or nothing at all, is bad usage", async () => {
    const cwd = folderWith(letters);
    await call(["run", "ada"], { cwd });
    for (const [id, message] of [
      ["nobody", "There is no approval nobody"],
      ["", "Name an approval"],
    ] as const)
      for (const command of ["approve", "deny"]) {
        const { code, stderr } = await call([command, id], { cwd });
        expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
      }
    expect((await approvalsIn(cwd)).map(({ state }) => state)).toEqual(["open"]);
  });

  it("stays where it is told to wait, and goes on by itself once somebody decides in another process", async () => {
    const cwd = folderWith(letters);
    const running = start(["run", "--wait", "ada"], { cwd });
    await running.saw("waits for a person: pool approve");
    const [ada] = await approvalsIn(cwd);
    const approved = await pool(["approve", ada!.id], { cwd });
    expect(approved.code).toBe(0);
    const { code, stdout } = await running.ended;
    expect([code, stdout]).toEqual([0, "done with ada\n"]);
  });

  it("is taken by one process at a time", async () => {
    const cwd = folderWith(letters);
    const running = start(["run", "--wait", "ada"], { cwd });
    await running.saw("waits for a person: pool approve");
    const second = await call(["resume", "latest"], { cwd });
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining("is running")]);
    running.process.kill("SIGKILL");
    await running.ended;
    expect((await call(["resume", "latest"], { cwd })).code).toBe(3);
  });
});

describe("a run that goes on from another", () => {
  const counting = {
    "harness.yml": "program: ./p.ts\n",
    "p.ts": `
      import { defineTool, parallel } from "@agentpool/core";
      import { defineHarness } from "@agentpool/harness";
      import { scripted } from "@agentpool/models";
      import { appendFileSync } from "node:fs";
      const look = defineTool({
        name: "look", description: "Looks.", parameters: { type: "object", properties: { at: { type: "string" } } },
        execute: ({ at }) => { appendFileSync(new URL("looked.txt", import.meta.url), at + "\\n"); return "seen " + at; },
      });
      const said = (messages) => messages.filter(({ role }) => role === "user" || role === "assistant")
        .flatMap(({ content }) => content).filter(({ type }) => type === "text").map(({ text }) => text).join(" | ");
      const model = scripted(() => [
        { calls: [{ tool: "look", args: { at: "one" } }] },
        { calls: [{ tool: "look", args: { at: "two" } }] },
        ({ messages }) => ({ text: said(messages) }),
      ]);
      export default defineHarness({
        tools: [look],
        *run(question, { pool }) {
          return (yield* pool({ model, orchestrate: parallel([question]) })).agents[0].result;
        },
      });`,
  };
  const looked = (cwd: string) => readFileSync(join(cwd, "looked.txt"), "utf8").trim().split("\n");

  it("keeps what was done up to a turn, hears a message, and leaves the other as it is", async () => {
    const cwd = folderWith(counting);
    await call(["run", "Look around."], { cwd });
    const [first] = JSON.parse((await call(["runs", "--json"], { cwd })).stdout);
    const forked = await call(["fork", "latest", "--at", "agent/0:1", "--message", "Look up."], { cwd });
    expect([forked.code, forked.stdout]).toEqual([0, "Look around. | Look up.\n"]);
    expect(looked(cwd)).toEqual(["one", "two", "two"]);
    const shown = JSON.parse((await call(["show", "latest", "--json"], { cwd })).stdout);
    expect(shown.origin).toEqual({ run: first.id, kind: "fork", agent: "agent/0", turn: 1 });
    expect(shown.agentViews[0].turns).toHaveLength(3);
    expect((await call(["show", first.id], { cwd })).stdout).not.toContain("Look up.");
    const nowhere = await call(["fork", first.id, "--at", "agent/0:7"], { cwd });
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining("it has 1 to 3")]);
    const bad = await call(["fork", first.id, "--at", "agent"], { cwd });
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining("accepted is AGENT:TURN")]);
  });

  it("has the guards that a flag or another harness.yml gives it, wherever the command is called", async () => {
    const cwd = folderWith({
      "harness.yml": "program: ./p.ts\n",
      "sub/other.yml":
        "program: ../p.ts\nstore: sqlite:../.pool/runs.db\ndefaults: { guards: { url_dedup: false } }\n",
      "p.ts": `
        import { dedup, defineTool, parallel } from "@agentpool/core";
        import { defineHarness } from "@agentpool/harness";
        import { scripted } from "@agentpool/models";
        const fetch = defineTool({
          name: "fetch", description: "Fetches.", parameters: { type: "object", properties: { url: { type: "string" } } },
          hooks: { beforeDispatch: [dedup("url_dedup", ({ url }) => url)] },
          execute: ({ url }) => "the page at " + url,
        });
        const again = { calls: [{ tool: "fetch", args: { url: "https://a.example/" } }] };
        const model = scripted(() => [again, again, { text: "read" }]);
        export default defineHarness({
          tools: [fetch],
          *run(_, { pool }) { return (yield* pool({ model, orchestrate: parallel(["one"]) })).agents[0].refusals.length; },
        });`,
    });
    expect((await call(["run", "Read."], { cwd })).stdout).toBe("1\n");
    const [first] = JSON.parse((await call(["runs", "--json"], { cwd })).stdout);
    const at = ["fork", first.id, "--at", "agent/0:1"];
    expect((await call(at, { cwd })).stdout).toBe("1\n");
    expect((await call([...at, "--guard", "url_dedup=false"], { cwd })).stdout).toBe("0\n");
    expect((await call([...at, "-f", "sub/other.yml"], { cwd })).stdout).toBe("0\n");
    expect((await call([...at, "-f", "other.yml"], { cwd: join(cwd, "sub") })).stdout).toBe("0\n");
    const replayed = await call(["guards", first.id, "-f", "other.yml", "--harness", "other.yml", "--json"], {
      cwd: join(cwd, "sub"),
    });
    expect(JSON.parse(replayed.stdout)).toMatchObject({ allowed: 1, refused: 0 });
    const wrong = await call([...at, "--guard", "url_dedpu=false"], { cwd });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("did you mean url_dedup?")]);
  });

  it("follows up on a finished one: its agents know the earlier question and answer", async () => {
    const cwd = folderWith(counting);
    await call(["run", "Look around."], { cwd });
    const asked = await call(["ask", "latest", "And then?"], { cwd });
    expect([asked.code, asked.stdout]).toEqual([0, "Look around. | Look around. | And then?\n"]);
    expect((await call(["show", "latest"], { cwd })).stdout).toMatch(/follows up on \S+/);
  });
});

describe("a follow-up that the embedded engine answers", () => {
  it("says by itself what it is about, is searched for again and quoted, and names its origin on record", async () => {
    const cwd = folderWith({
      ...corpus,
      "docs/hooks.md": "# Hooks\n\nA hook is switched off by taking it out of the program.\n",
    });
    await call(["run", "What is a guard?"], { cwd });
    const [first] = JSON.parse((await call(["runs", "--json"], { cwd })).stdout);
    const asked = await call(["ask", "latest", "And what is its name?"], { cwd });
    expect(asked.code).toBe(0);
    expect(asked.stdout).toContain("# And what is its name?");
    expect(asked.stdout).toContain("And what is its name? (guard)");
    expect(asked.stdout).toContain("The name of a guard is published");
    const shown = JSON.parse((await call(["show", "latest", "--json"], { cwd })).stdout);
    expect(shown.origin).toEqual({ run: first.id, kind: "ask" });
    expect(shown.sources.map(({ source }: { source: string }) => source)).toContain("docs/guards.md");
    const [started] = JSON.parse((await call(["export", "latest"], { cwd })).stdout).entries;
    expect(started).toMatchObject({ type: "run:started", origin: { run: first.id, kind: "ask" } });
  });
});

describe("pool guards", () => {
  it("shows what a wider guard would have refused, and the yaml to paste; a guard that is not there is named", async () => {
    const cwd = folderWith({
      "harness.yml": "program: ./p.ts\n",
      "p.ts": `
        import { dedup, defineTool, parallel } from "@agentpool/core";
        import { defineHarness } from "@agentpool/harness";
        import { scripted } from "@agentpool/models";
        const fetch = defineTool({
          name: "fetch", description: "Fetches.", parameters: { type: "object", properties: { url: { type: "string" } } },
          hooks: { beforeDispatch: [dedup("url_dedup", ({ url }) => url)] },
          execute: ({ url }) => "the page at " + url,
        });
        const model = scripted(() => [{ calls: [{ tool: "fetch", args: { url: "https://a.example/" } }] }, { text: "read" }]);
        export default defineHarness({
          tools: [fetch],
          *run(_, { pool }) { return (yield* pool({ model, orchestrate: parallel(["one", "two", "three"]) })).agents.length; },
        });`,
    });
    await call(["run", "Read."], { cwd });
    const { code, stdout } = await call(["guards", "latest", "--set", "url_dedup.scope=cohort"], { cwd });
    expect(code).toBe(0);
    expect(stdout.match(/ran → refused by url_dedup/g)).toHaveLength(2);
    expect(stdout).toContain("Of 3 calls: 2 more refused");
    expect(stdout).toContain("Not known:\n- What the model would have done next");
    const yaml = /\n(defaults:\n[\s\S]*)$/.exec(stdout)![1]!;
    expect(yaml).toBe("defaults:\n  guards:\n    url_dedup: { scope: cohort }\n");
    writeFileSync(join(cwd, "other.yml"), `program: ./p.ts\n${yaml}`);
    const other = await call(["guards", "latest", "--harness", "other.yml", "--json"], { cwd });
    expect(JSON.parse(other.stdout)).toMatchObject({ refused: 2, allowed: 0, calls: 3 });
    const same = await call(["guards", "latest"], { cwd });
    expect(same.stdout).toContain("nothing of run");
    const wrong = await call(["guards", "latest", "--set", "url_dedpu=false"], { cwd });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("did you mean url_dedup?")]);
    const suggested = await call(["guards", "--suggest", "--json"], { cwd });
    expect(JSON.parse(suggested.stdout)).toMatchObject([
      {
        guard: "url_dedup",
        setting: { scope: "cohort" },
        runs: 1,
        refused: 2,
        notKnown: expect.arrayContaining([expect.stringContaining("What the model would have done next")]),
      },
    ]);
  });
});

describe("pool prune", () => {
  it("says what would go, takes it, and wants to be told what", async () => {
    const cwd = folderWith(corpus);
    for (const asked of ["What is a guard?", "What is a retry?"]) await call(["run", asked], { cwd });
    expect((await call(["prune"], { cwd })).code).toBe(2);
    expect((await call(["prune", "--older-than", "soon"], { cwd })).code).toBe(2);
    const dry = await call(["prune", "--keep", "1", "--dry-run"], { cwd });
    expect([dry.stdout, dry.stderr]).toEqual([
      expect.stringMatching(/What is a guard\?\n$/),
      "1 run would go.\n",
    ]);
    expect((await call(["prune", "--keep", "1"], { cwd })).stderr).toBe("1 run removed.\n");
    expect(JSON.parse((await call(["runs", "--json"], { cwd })).stdout)).toHaveLength(1);
  });
});

/** What a page says under a heading. */
const section = (page: string, heading: string): string =>
  readFileSync(join(import.meta.dirname, "../../../docs", page), "utf8")
    .split(/^## /m)
    .find((part) => part.startsWith(heading))!;

describe("what is printed as JSON", () => {
  /** Keys of objects, also of those in them; not of values that tools and harnesses make up. */
  const OWN = new Set([
    "args",
    "settings",
    "answer",
    "result",
    "guards",
    "setting",
    "usage",
    "lines",
    "asked",
  ]);
  const keysIn = (value: unknown): string[] => {
    if (Array.isArray(value)) return value.flatMap(keysIn);
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([key, inner]) => [key, ...(OWN.has(key) ? [] : keysIn(inner))]);
  };

  const names = (text: string, key: string): boolean => new RegExp(`[{,\`] ?${key}[ ,:\`]`).test(text);

  it("has the keys that the pages name, and no others", async () => {
    const cwd = folderWith(letters);
    await call(["run", "ada bob"], { cwd });
    const [ada] = await approvalsIn(cwd);
    await call(["deny", ada!.id], { cwd });
    await call(["resume", "latest"], { cwd });
    const json = async (...args: string[]) => JSON.parse((await call([...args, "--json"], { cwd })).stdout);
    const recorded = section("recorded-runs.md", "As JSON");
    const exported = await json("export", "latest");
    const printed = [
      await json("runs"),
      await json("show", "latest"),
      await json("approvals", "--all"),
      await json("prune", "--keep", "0", "--dry-run"),
      { ...exported, run: {}, entries: [] },
    ];
    expect(keysIn(printed).filter((key) => !names(recorded, key))).toEqual([]);
    const told = section("tune-guards.md", "As JSON");
    const replayed = await json("guards", "latest", "--set", "maxTurns=1", "--set", "deny=send");
    expect(replayed.changes.length).toBeGreaterThan(0);
    expect(keysIn(replayed).filter((key) => !names(told, key))).toEqual([]);
  });
});

describe("a run that a program of one's own has recorded", () => {
  it("is read like others; what only pool run could take up is left to that program", async () => {
    const cwd = folderWith({});
    await run(function* () {
      const store = yield* openStore("sqlite:.pool/runs.db", { cwd });
      const journal = yield* store.journal("own-1");
      journal.note({ type: "run:started", run: "own-1", at: 1_000, question: "What is read?", settings: {} });
    });
    expect((await call(["show", "own"], { cwd })).stdout).toContain("What is read?");
    expect((await call(["trace", "own"], { cwd })).code).toBe(0);
    for (const args of [
      ["resume", "own"],
      ["guards", "own"],
      ["guards", "--suggest"],
      ["fork", "own", "--at", "a:1"],
    ]) {
      const told = await call(args, { cwd });
      expect([told.code, told.stderr]).toEqual([2, expect.stringContaining("was not begun by pool run")]);
    }
  });
});

describe("what is not there is named", () => {
  it("an agent, a type of event, a folder to write to, a limit of none", async () => {
    const cwd = folderWith(corpus);
    await call(["run", question], { cwd });
    for (const command of ["show", "trace"]) {
      const told = await call([command, "latest", "--agent", "nobody"], { cwd });
      expect([told.code, told.stdout]).toEqual([2, ""]);
      expect(told.stderr).toMatch(/There is no agent nobody in run \S+; it has plan\/0, research\/0/);
    }
    const types = await call(["trace", "latest", "--type", "call:refuse", "--json"], { cwd });
    expect([types.code, types.stdout]).toEqual([0, ""]);
    expect(types.stderr).toContain("There is agent:ended, ");
    expect(types.stderr).not.toContain("record:");
    const exported = await call(["export", "latest", "-o", "nowhere/run.json"], { cwd });
    expect([exported.code, exported.stderr]).toEqual([
      1,
      expect.stringMatching(/^nowhere\/run\.json cannot be written: .*\n$/),
    ]);
    expect((await call(["runs", "--limit", "0"], { cwd })).stderr).toContain("It takes 1 or more.");
    for (const command of [["show"], ["resume"], ["export"], ["ask"], ["guards"]]) {
      const args = [...command, "", ...(command[0] === "ask" ? ["Why?"] : [])];
      expect((await call(args, { cwd })).stderr).toContain("Name a run");
    }
    const unknown = await call(["approve", "zzz"], { cwd });
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.not.stringContaining("POOL_DEBUG")]);
  });
});

describe("what cannot be read back is said in words", () => {
  it.each([
    [["show", "latest"], 2, "No run is on record here yet"],
    [["resume", "x"], 2, "No run is on record here yet"],
    [["approve", "x"], 2, "no call waits"],
    [["runs", "--store", "mysql://x"], 2, "takes none, sqlite:PATH or postgres://…"],
    [["runs", "--store", "sqlite:broken.db"], 1, "is damaged, or is no database"],
    [["run", "--store", "sqlite:/proc/nowhere/runs.db", "Why?"], 1, "cannot be made"],
  ])("%j", async (args, code, message) => {
    const cwd = folderWith({ ...corpus, "broken.db": "not a database".repeat(200) });
    const told = await call(args, { cwd });
    expect([told.code, told.stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(told.stdout).toBe("");
  });
});
