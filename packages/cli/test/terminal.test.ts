import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { call } from "./in-process.ts";
import { hasTerminals, onScreen } from "./on-screen.ts";
import { docs, folderWith, isRunning, start } from "./pool.ts";

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

it.skipIf(!hasTerminals)(
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

it.skipIf(!hasTerminals)(
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

/** A job whose first agent pays, with approval, while another's tool writes to the terminal. */
const asking = {
  "harness.yml": "program: ./p.ts\npolicy: { requireApproval: [pay] }\n",
  "p.ts": `
    import { defineTool, parallel } from "@agentpool/core";
    import { defineHarness } from "@agentpool/harness";
    import { scripted } from "@agentpool/models";
    import { action } from "effection";
    const tool = (name, execute) => defineTool({ name, description: "x", parameters: { type: "object", properties: { to: { type: "string" } } }, execute });
    const model = scripted(({ key }) => [
      { calls: [key === "agent/0" ? { tool: "pay", args: { to: "Ann" } } : { tool: "wait" }] },
      { text: key },
    ]);
    export default defineHarness({
      tools: [
        tool("pay", () => "paid"),
        tool("wait", function* () {
          yield* action((resolve) => {
            process.once("SIGUSR2", resolve);
            console.log("a tool\\nsays this");
            return () => process.removeListener("SIGUSR2", resolve);
          });
          process.stderr.write("and this, in parts");
          process.stderr.write(" of a line");
          return "ok";
        }),
      ],
      *run(question, { pool }) {
        const { agents } = yield* pool({ model, orchestrate: parallel(["pay", "wait"]) });
        return agents.map(({ exit, refusals }) => exit + " " + refusals.length).join(", ");
      },
    });`,
} as const;

describe.skipIf(!hasTerminals)("the screen", () => {
  const onlyOnce = (lines: readonly string[], text: string) =>
    expect(lines.filter((line) => line.includes(text))).toHaveLength(1);

  it("has a question whole, its answer below it, what tools write above, and every row once", async () => {
    const cwd = folderWith(asking);
    const screen = onScreen("run why", { cwd, columns: 40, rows: 14 });
    await screen.saw("Approve?");
    expect(
      screen
        .lines()
        .map((line) => line.trim())
        .join(" "),
    ).toContain(
      'pay needs a person\'s approval: agent/0 wants to call pay {"to":"Ann"}. Approve? y, or n and why:',
    );
    screen.type("what?\n");
    await screen.saw("Answer y or n.");
    screen.type("n too dear\n");
    await screen.saw('Denied: pay {"to":"Ann"}');
    process.kill(screen.pid(), "SIGUSR2");
    expect(await screen.ended).toMatchObject({ code: 0 });
    const lines = screen.lines();
    for (const text of [
      "agent/0",
      "agent/1",
      "2 agents: 2 done",
      "a tool",
      "says this",
      "and this, in parts of a line",
    ])
      onlyOnce(lines, text);
    expect(lines).toContain("text 1, text 0");
    expect(lines.join("\n")).not.toContain("Approve?");
    expect(screen.wraps()).toBe(true);
  });

  it("does not ask any more what was decided elsewhere", async () => {
    const cwd = folderWith(asking);
    const screen = onScreen("run why", { cwd, columns: 80, rows: 14 });
    await screen.saw("Approve?");
    const [{ id }] = JSON.parse((await call(["approvals", "--json"], { cwd })).stdout);
    await call(["approve", id], { cwd });
    await screen.saw("✓ agent/0");
    expect(screen.lines().join("\n")).not.toContain("Approve?");
    process.kill(screen.pid(), "SIGUSR2");
    expect(await screen.ended).toMatchObject({ code: 0 });
    expect(screen.lines()).toContain("text 0, text 0");
  });

  it("tells where to decide once nobody can type any more", async () => {
    const cwd = folderWith(asking);
    const screen = onScreen("run why", { cwd, columns: 100, rows: 14 });
    await screen.saw("Approve?");
    screen.type("\u0004");
    await screen.saw('pay {"to":"Ann"} waits for a person: pool approve ');
    process.kill(screen.pid(), "SIGTERM");
    await screen.ended;
  });

  it("is left to the shell by ctrl-z, and drawn anew below what that wrote", async () => {
    const cwd = folderWith(asking);
    const screen = onScreen("run why", { cwd, columns: 80, rows: 24 });
    await screen.saw("Approve?");
    const pid = screen.pid();
    const state = () => /^State:\s*(.)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1];
    process.kill(pid, "SIGTSTP");
    await vi.waitFor(() => expect(state()).toBe("T"));
    const before = screen.lines().findLastIndex((line) => line !== "");
    process.kill(pid, "SIGCONT");
    screen.type("y\n");
    await screen.saw("✓ agent/0");
    process.kill(screen.pid(), "SIGUSR2");
    expect(await screen.ended).toMatchObject({ code: 0 });
    expect(screen.lines()[before]).toBe("y, or n and why:");
    for (const text of ["agent/0", "2 agents: 2 done"]) onlyOnce(screen.lines().slice(before + 1), text);
  });

  it("is that of a log in continuous integration", async () => {
    const cwd = folderWith({ ...docs });
    const screen = onScreen('run --corpus docs "What is a guard?"', {
      cwd,
      columns: 80,
      rows: 24,
      env: { CI: "true" },
    });
    await screen.ended;
    expect(screen.lines().join("\n")).toContain("research/0 starts:");
  });
});
