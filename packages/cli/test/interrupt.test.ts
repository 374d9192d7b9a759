import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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

  it.each([
    ["a second one", ["SIGINT", "SIGINT"]],
    ["SIGTERM", ["SIGTERM"]],
    ["SIGHUP", ["SIGHUP"]],
  ] as const)("stops at once at %s, and leaves nothing running", async (_, signals) => {
    const running = start(["run", "--plain", "why?"], { cwd: folderWith(endless) });
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
    expect(stderr).toContain("Stopped.");
    const pid = Number(/child (\d+)/.exec(stderr)![1]);
    expect(isRunning(pid)).toBe(false);
  });
});
