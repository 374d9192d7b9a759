import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const cli = fileURLToPath(new URL("..", import.meta.url));

/** A folder with these files, in which programs find this workspace's packages; gone when the test ends. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "pool-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(cli, "node_modules"), join(folder, "node_modules"));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it has printed so far. */
  stdout(): string;
  /** Settles once stdout or stderr has had this text. */
  saw(text: string): Promise<void>;
}

export interface Call {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Its stdin is not ended: more is to be typed. */
  readonly staysOpen?: boolean;
  /** Another program to run in place of `pool`; `$NODE "$POOL"` runs it there. */
  readonly through?: readonly string[];
}

/** The environment of a run: nothing of the caller's that `pool` would read. */
const bare = { PATH: process.env.PATH, HOME: process.env.HOME } as const;

/** Starts the real `pool`, from source. */
export function start(args: readonly string[], { cwd, env = {}, stdin, staysOpen, through }: Call): Running {
  const bin = join(cli, "bin/pool.js");
  const [command, ...rest] = through ?? [process.execPath, bin, ...args];
  const child = spawn(command!, rest, {
    cwd,
    env: { ...bare, NODE: process.execPath, POOL: bin, ...env },
    stdio: "pipe",
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  child.stdin.on("error", () => {});
  if (!staysOpen) child.stdin.end(stdin ?? "");
  let stdout = "";
  let stderr = "";
  const waiting = new Set<() => void>();
  const look = () => {
    for (const check of waiting) check();
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    look();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    look();
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    process: child,
    ended,
    stdout: () => stdout,
    saw: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!stdout.includes(text) && !stderr.includes(text)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
        ended.then(() => reject(new Error(`ended without ${text}\n${stdout}\n${stderr}`)));
      }),
  };
}

export const pool = (args: readonly string[], call: Call): Promise<Ended> => start(args, call).ended;

/** Whether a process runs; one that has ended and waits for its parent to notice does not. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** A small corpus about this project's own words. */
export const docs = {
  "docs/guards.md": [
    "# Guards",
    "",
    "A guard is a named predicate that may refuse a call before it runs.",
    "The name of a guard is published: it is the key by which harness.yml switches it off.",
    "",
    "## Scope",
    "",
    "A guard looks at the lineage of its agent unless its scope is widened to the cohort.",
  ].join("\n"),
  "docs/retries.md": [
    "# Retries",
    "",
    "A transient failure parks the agent, and the same call runs again after the delay.",
    "Retries are limited by maxToolRetries, which is one by default.",
  ].join("\n"),
} as const;
