import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isEvent, type JournalEntry } from "@agentpool/core";
import { openStore } from "@agentpool/journal";
import { run } from "effection";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordViolations } from "./invariants.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agentpool-kill-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const store = (): string => `sqlite:${join(folder, "runs.db")}`;

/**
 * Runs the job in a process that is killed at a write of its record: `entry 7`, just before the seventh entry is
 * taken; `record:executed 2`, just before the second of that type is; `flush 2`, just after so many writes are durable;
 * `with model:fallback`, just after one of these is. Whether it came to its end before.
 */
function live(deadline: string): boolean {
  const args = ["--conditions=@agentpool/source", "--import", "tsx", join(import.meta.dirname, "victim.ts")];
  const child = spawnSync(process.execPath, [...args, store(), folder, deadline], {
    encoding: "utf8",
    timeout: 60_000,
  });
  if (child.signal !== "SIGKILL" && child.status !== 0) throw new Error(child.stderr || String(child.error));
  return child.status === 0;
}

const record = (): Promise<JournalEntry[]> =>
  run(function* () {
    return (yield* (yield* openStore(store())).record("run")) as JournalEntry[];
  });

/** What must be true of the job, however often its process was killed. */
async function check(): Promise<void> {
  const entries = await record();
  expect(recordViolations(entries)).toEqual([]);

  const done = readFileSync(join(folder, "done.txt"), "utf8").trim().split("\n");
  const times = new Map<string, number>();
  for (const line of done) times.set(line, (times.get(line) ?? 0) + 1);
  // a letter is sent at most once, and none to bob
  const sent = [...times].filter(([line]) => line.startsWith("send "));
  expect(sent.every(([line, count]) => line === "send research/0:2#0" && count === 1)).toBe(true);

  // nothing is published twice; who was told that nobody knows says it in words
  const unsure = entries.flatMap((entry) =>
    entry.type === "record:executed" && entry.unknown ? [entry.agent] : [],
  );
  for (const agent of ["synthesis/0", "synthesis/1"]) {
    const published = [...times].filter(([line]) => line.startsWith(`publish ${agent}:`));
    if (unsure.includes(agent)) expect(published.every(([, count]) => count === 1)).toBe(true);
    else expect(published.map(([, count]) => count)).toEqual([1]);
  }
  const end = (agent: string) => (unsure.includes(agent) ? "text" : "returned");

  // who had moved on in the list of models stays there
  expect([...times.keys()].filter((line) => line.startsWith("asked again"))).toEqual([]);
  const served = entries.flatMap((entry) =>
    entry.type === "turn:completed" && entry.agent === "research/2" ? [entry.result.model] : [],
  );
  expect(served).toEqual(["first", "second", "second"]);

  // a page that was read is not read again by anybody
  const pages = new Map<string, number>();
  const dispatched = new Map(
    entries.flatMap((entry) => (entry.type === "call:dispatched" ? [[entry.call, entry]] : [])),
  );
  for (const entry of entries) {
    if (entry.type !== "call:settled" || entry.tool !== "read" || entry.outcome.type !== "ok") continue;
    const page = String(dispatched.get(entry.call)!.args.page);
    if (entry.agent.startsWith("research")) pages.set(page, (pages.get(page) ?? 0) + 1);
  }
  expect([...pages].filter(([, count]) => count > 1)).toEqual([]);

  const brief = JSON.parse(readFileSync(join(folder, "brief.json"), "utf8"));
  expect(brief.greeting).toBe("Hello.");
  expect(brief.results).toEqual([
    { key: "plan/0", exit: "returned", result: "three questions" },
    { key: "research/0", exit: "returned", result: "zero" },
    { key: "research/1", exit: "returned", result: "one" },
    { key: "research/2", exit: "returned", result: "two" },
    { key: "synthesis/0", exit: end("synthesis/0"), result: "a draft" },
    { key: "synthesis/1", exit: end("synthesis/1"), result: "the brief" },
  ]);
  expect(brief.totals).toMatchObject({ agents: 5, turns: 13 });
  expect(entries.filter(isEvent).filter(({ type }) => type === "pool:closed")).toHaveLength(4);
}

describe("a job whose process is killed", () => {
  it.each([12])(
    "A7: after every %s durable writes of its record comes to its end, and nothing is done twice",
    async (writes) => {
      let lives = 1;
      while (!live(`flush ${writes}`)) if (++lives > 60) throw new Error("it does not come forward");
      expect(lives).toBeGreaterThan(2);
      await check();
    },
    240_000,
  );

  it("in the middle of its record, between two durable writes, does so too", async () => {
    expect(live("entry 60")).toBe(false);
    expect(live("entry 31")).toBe(false);
    expect(live("never")).toBe(true);
    await check();
  }, 120_000);

  // AGENTPOOL_KILLS=1 npm test -- test/resume/kill: at each of them, which takes minutes; 5: at every fifth
  it("at any one entry of its record does so too", async () => {
    const stride = Number(process.env.AGENTPOOL_KILLS ?? 41);
    for (let entry = 1; !live(`entry ${entry}`); entry += stride) {
      expect(live("never")).toBe(true);
      await check();
      rmSync(folder, { recursive: true, force: true });
      folder = mkdtempSync(join(tmpdir(), "agentpool-kill-"));
    }
  }, 3_600_000);

  it("in the middle of the call that ends an agent does not run that again: the agent says in words what it has", async () => {
    expect(live("record:executed 8")).toBe(false);
    const done = () => readFileSync(join(folder, "done.txt"), "utf8").match(/publish .*/g);
    const published = done();
    expect(published).toEqual(["publish synthesis/0:2#0", "publish synthesis/1:1#0"]);
    expect(live("never")).toBe(true);
    await check();
    expect(done()).toEqual(published);
    expect(JSON.parse(readFileSync(join(folder, "brief.json"), "utf8")).results.at(-1)).toEqual({
      key: "synthesis/1",
      exit: "text",
      result: "the brief",
    });
  }, 120_000);

  it("after an agent moved on in its list of models does not ask the model again that it left", async () => {
    expect(live("with model:fallback")).toBe(false);
    const moved = (await record()).filter(({ type }) => type === "model:fallback");
    expect(moved).toMatchObject([{ agent: "research/2", from: "first", to: "second" }]);
    expect(live("never")).toBe(true);
    await check();
  }, 120_000);

  it("before its first write leaves nothing behind that is in the way", async () => {
    expect(live("entry 1")).toBe(false);
    expect(existsSync(join(folder, "done.txt"))).toBe(false);
    expect(live("never")).toBe(true);
    await check();
  }, 120_000);
});
