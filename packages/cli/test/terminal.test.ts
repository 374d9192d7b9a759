import { spawnSync } from "node:child_process";
import { expect, it, vi } from "vitest";
import { call } from "./in-process.ts";
import { docs, folderWith, isRunning, start } from "./pool.ts";

/** `script` of util-linux gives a program a terminal. */
const hasScript = spawnSync("script", ["--version"]).stdout?.includes("util-linux") === true;

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

const HIDE = "\u001b[?25l";
const SHOW = "\u001b[?25h";

it.skipIf(!hasScript)(
  "on a terminal draws a tree of agents, and gives the terminal back as it was",
  async () => {
    const cwd = folderWith(parked);
    // `script` runs a shell: the process that draws is told to end by its own number.
    const running = start([], {
      cwd,
      env: { TERM: "xterm", COLUMNS: "100", LINES: "30" },
      through: [
        "script",
        "-qec",
        'stty cols 100 rows 30; "$NODE" "$POOL" run "What is a guard?" & echo "pid $!"; wait $!',
        "/dev/null",
      ],
    });
    await running.saw("waits for a retry");
    const [, pid] = /pid (\d+)/.exec(running.stdout())!;
    process.kill(Number(pid), "SIGTERM");
    const { code, stdout } = await running.ended;
    expect(stdout).toContain(HIDE);
    expect(stdout.lastIndexOf(SHOW)).toBeGreaterThan(stdout.lastIndexOf(HIDE));
    expect(stdout).toContain("research/0");
    expect(stdout).toMatch(/2 agents: 1 parked, 1 done/);
    expect(stdout).not.toContain("research/0 starts:");
    expect(code).toBe(130);
  },
);

it.skipIf(!hasScript)(
  "a terminal that is closed interrupts the run, which is on record and can be resumed",
  async () => {
    const cwd = folderWith(parked);
    const running = start([], {
      cwd,
      env: { TERM: "xterm", COLUMNS: "100", LINES: "30" },
      through: ["script", "-qec", 'echo "pid $$"; exec "$NODE" "$POOL" run "What is a guard?"', "/dev/null"],
    });
    await running.saw("waits for a retry");
    const [, pid] = /pid (\d+)/.exec(running.stdout())!;
    running.process.kill("SIGKILL"); // with it goes the terminal that it kept
    await running.ended;
    await vi.waitFor(() => expect(isRunning(Number(pid))).toBe(false), { timeout: 20_000 });
    const run = JSON.parse((await call(["show", "latest", "--json"], { cwd })).stdout);
    expect(run).toMatchObject({ status: "interrupted", stopped: "SIGHUP" });
    expect(run.turns).toBeGreaterThan(0);
  },
  60_000,
);
