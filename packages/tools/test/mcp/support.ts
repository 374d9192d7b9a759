import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type AgentPoolOptions,
  type Args,
  agentPool,
  type Outcome,
  type PoolEvent,
  parallel,
  reportTool,
  type Tool,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import type { Operation } from "effection";
import { onTestFinished } from "vitest";
import type { McpServerConfig } from "../../src/index.ts";

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** A folder that is gone when the test ends. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "mcp-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The shop as a program. */
export const shopProgram = (more: Partial<McpServerConfig> = {}): McpServerConfig => ({
  name: "shop",
  command: process.execPath,
  args: [here("shop-program.mjs")],
  ...more,
});

/** A server that misbehaves. */
export const hostile = (
  how: string,
  more: Partial<McpServerConfig> & { readonly says?: string } = {},
): McpServerConfig => {
  const { says, ...rest } = more;
  return {
    name: "hostile",
    command: process.execPath,
    args: [here("hostile-program.mjs"), how, ...(says === undefined ? [] : [says])],
    ...rest,
  };
};

/** What one agent's calls came to, one turn each, with every event. */
export function* callAll(
  tools: readonly Tool[],
  calls: readonly (readonly [tool: string, args?: Args])[],
  more: Partial<AgentPoolOptions> = {},
): Operation<{ readonly outcomes: readonly Outcome[]; readonly events: readonly PoolEvent[] }> {
  const events: PoolEvent[] = [];
  yield* agentPool({
    model: scripted(() => [
      ...calls.map(([tool, args = {}]) => ({ calls: [{ tool, args }] })),
      { calls: [{ tool: "report", args: { result: "done" } }] },
    ]),
    tools,
    terminal: reportTool,
    orchestrate: parallel(["Do it."]),
    onEvent: (event) => void events.push(event),
    ...more,
  });
  const outcomes = events.flatMap((event) =>
    event.type === "call:settled" && event.tool !== "report" ? [event.outcome] : [],
  );
  return { outcomes, events };
}

/** What an operation throws. */
export function* thrownBy(operation: Operation<unknown>): Operation<Error> {
  try {
    yield* operation;
  } catch (error) {
    return error as Error;
  }
  throw new Error("it threw nothing");
}

/** Whether a process is gone; one that has ended and was not yet looked after counts as gone. */
export const goneFrom = (pid: number): boolean => {
  try {
    return /^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
};
