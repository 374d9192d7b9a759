import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call } from "./in-process.ts";
import { docs, folderWith, isRunning, start } from "./pool.ts";

const question = "What is a guard, and how are retries limited?";

describe("ctrl-c", () => {
  /** A job whose reads are always told to come back in a minute. */
  const parked = {
    ...docs,
    "harness.yml": "program: ./slow.ts\ntools: { corpus: { path: docs } }\n",
    "slow.ts": `
      import { defineHarness } from "@agentpool/harness";
      export default defineHarness({
        hooks: [{ afterExecute: ({ call }) => (call.tool === "read" ? { type: "retry", afterMs: 60_000 } : undefined) }],
        run: (question, { research }) => research(),
      });`,
  };

  it("winds a run down to a partial brief, with exit code 130", async () => {
    const cwd = folderWith(parked);
    const running = start(["run", question], { cwd });
    await running.saw("read waits for a retry");
    running.process.kill("SIGINT");
    const { code, stdout, stderr } = await running.ended;
    expect(stderr).toContain("Winding down");
    expect(stdout).toContain("*Partial:");
    expect(code).toBe(130);
    const json = readdirSync(join(cwd, "reports")).find((name) => name.endsWith(".json"))!;
    expect(JSON.parse(readFileSync(join(cwd, "reports", json), "utf8"))).toMatchObject({ status: "partial" });
  });

  it("counts once where a terminal and npm both send it", async () => {
    const running = start(["run", "--json", "-q", question], { cwd: folderWith(parked) });
    await running.saw('"reason":"retry"');
    running.process.kill("SIGINT");
    running.process.kill("SIGINT");
    const { code, stdout } = await running.ended;
    expect(code).toBe(130);
    expect(JSON.parse(stdout.trimEnd().split("\n").at(-1)!)).toMatchObject({
      status: "cancelled",
      brief: { status: "partial" },
    });
  });

  /** A tool that never ends by itself, with a process of its own. */
  const endless = {
    "harness.yml": "program: ./endless.ts\n",
    "endless.ts": `
      import { spawn } from "node:child_process";
      import { parallel } from "@agentpool/core";
      import { defineHarness } from "@agentpool/harness";
      import { scripted } from "@agentpool/models";
      import { suspend } from "effection";
      const hang = {
        name: "hang", description: "Never ends.", parameters: { type: "object" },
        *execute() {
          const child = spawn("sleep", ["1000"]);
          console.error("child", child.pid);
          try { yield* suspend(); } finally { child.kill(); console.error("stopped the child"); }
        },
      };
      export default defineHarness({
        tools: [hang],
        *run(question, { pool }) {
          const model = scripted(() => [{ calls: [{ tool: "hang" }] }]);
          yield* pool({ model, orchestrate: parallel([question]) });
        },
      });`,
  };

  const runIn = async (cwd: string) => JSON.parse((await call(["show", "latest", "--json"], { cwd })).stdout);

  it.each([
    ["a second one", ["SIGINT", "SIGINT"], "cancelled", "ctrl-c"],
    ["SIGTERM", ["SIGTERM"], "interrupted", "SIGTERM"],
    ["SIGHUP", ["SIGHUP"], "interrupted", "SIGHUP"],
  ] as const)(
    "stops at once at %s, leaves nothing running, and says what is on record",
    async (_, signals, status, by) => {
      const cwd = folderWith(endless);
      const running = start(["run", "--plain", "why?"], { cwd });
      await running.saw("child ");
      for (const [i, signal] of signals.entries()) {
        if (i > 0) {
          await running.saw("Winding down");
          // A key is not pressed twice within the tenth of a second in which npm repeats it.
          await new Promise((resolve) => setTimeout(resolve, 150));
        }
        running.process.kill(signal);
      }
      const { code, stdout, stderr } = await running.ended;
      expect(code).toBe(130);
      expect(stdout).toBe("");
      expect(stderr).toContain("stopped the child");
      expect(stderr).toContain(`on record as ${status}`);
      const pid = Number(/child (\d+)/.exec(stderr)![1]);
      expect(isRunning(pid)).toBe(false);
      const run = await runIn(cwd);
      expect(run).toMatchObject({ status, stopped: by, answer: null });
      expect(stderr).toContain(`pool resume ${run.id}`);
      const shown = (await call(["show", "latest"], { cwd })).stdout;
      expect(shown).toContain(by === "ctrl-c" ? "stopped by its person" : `ended by ${by}`);
      expect(shown).toContain(`pool resume ${run.id}`);
      expect((await call(["trace", "latest", "--type", "run:stopped"], { cwd })).stdout).toContain(by);
    },
  );

  it("twice tells programs that it is cancelled; a crash is interrupted, and no one's doing", async () => {
    const cwd = folderWith(endless);
    const running = start(["run", "--json", "-q", "why?"], { cwd });
    await running.saw("child ");
    running.process.kill("SIGINT");
    await running.saw("Winding down");
    await new Promise((resolve) => setTimeout(resolve, 150));
    running.process.kill("SIGINT");
    const { stdout } = await running.ended;
    expect(JSON.parse(stdout.trimEnd().split("\n").at(-1)!)).toMatchObject({
      type: "result",
      status: "cancelled",
      exitCode: 130,
    });
    const crashing = start(["run", "why?"], { cwd });
    await crashing.saw("child ");
    crashing.process.kill("SIGKILL");
    const { stderr } = await crashing.ended;
    process.kill(Number(/child (\d+)/.exec(stderr)![1]));
    expect(await runIn(cwd)).toMatchObject({ status: "interrupted", stopped: null });
    expect((await call(["show", "latest"], { cwd })).stdout).toContain("crashed, or was killed");
  });

  /** A job whose second step waits for a file. */
  const waitsForFile = {
    "harness.yml": "program: ./p.ts\n",
    "p.ts": `
      import { defineTool, parallel } from "@agentpool/core";
      import { defineHarness } from "@agentpool/harness";
      import { scripted } from "@agentpool/models";
      import { appendFileSync, existsSync } from "node:fs";
      import { suspend } from "effection";
      const here = (name) => new URL(name, import.meta.url);
      const look = defineTool({
        name: "look", description: "Looks.", parameters: { type: "object", properties: { at: { type: "string" } } }, idempotent: true,
        *execute({ at }) {
          if (at === "two" && !existsSync(here("go"))) { console.error("looking at two"); yield* suspend(); }
          appendFileSync(here("looked.txt"), at + " ");
          return "seen " + at;
        },
      });
      const model = scripted(() => [
        { calls: [{ tool: "look", args: { at: "one" } }] },
        { calls: [{ tool: "look", args: { at: "two" } }] },
        { text: "done" },
      ]);
      export default defineHarness({
        tools: [look],
        *run(question, { pool }) { return (yield* pool({ model, orchestrate: parallel([question]) })).agents[0].result; },
      });`,
  };

  it("what was stopped can be resumed, whoever stopped it; a run that wound down to its answer cannot", async () => {
    const cwd = folderWith(waitsForFile);
    const running = start(["run", "why?"], { cwd });
    await running.saw("looking at two");
    running.process.kill("SIGTERM");
    await running.ended;
    writeFileSync(join(cwd, "go"), "");
    const resumed = await call(["resume", "latest"], { cwd });
    expect([resumed.code, resumed.stdout]).toEqual([0, "done\n"]);
    expect(readFileSync(join(cwd, "looked.txt"), "utf8")).toBe("one two ");
    expect(await runIn(cwd)).toMatchObject({ status: "completed", stopped: null });
    rmSync(join(cwd, "go"));
    const again = start(["run", "why?"], { cwd });
    await again.saw("looking at two");
    again.process.kill("SIGINT");
    await again.saw("Winding down");
    await new Promise((resolve) => setTimeout(resolve, 150));
    again.process.kill("SIGINT");
    await again.ended;
    expect((await runIn(cwd)).status).toBe("cancelled");
    writeFileSync(join(cwd, "go"), "");
    const taken = await call(["resume", "latest"], { cwd });
    expect([taken.code, taken.stdout]).toEqual([0, "done\n"]);
    const ended = folderWith(parked);
    const winding = start(["run", question], { cwd: ended });
    await winding.saw("read waits for a retry");
    winding.process.kill("SIGINT");
    await winding.ended;
    expect(await runIn(ended)).toMatchObject({ status: "cancelled", stopped: null });
    const refused = await call(["resume", "latest"], { cwd: ended });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("has come to its end")]);
  });
});
