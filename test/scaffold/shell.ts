import { spawn } from "node:child_process";

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Call {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end. */
export function shell(command: string, args: readonly string[], { cwd, env }: Call): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // npm tells its scripts how it was called; the programs here are called by nobody.
    const bare = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|VITEST)/i.test(name));
    const child = spawn(command, args, {
      cwd,
      env: { ...Object.fromEntries(bare), ...env },
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32" && command !== process.execPath,
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** The same for what has to succeed: else an error with all that was said. */
export async function succeed(command: string, args: readonly string[], call: Call): Promise<Ended> {
  const ended = await shell(command, args, call);
  if (ended.code === 0) return ended;
  throw new Error(`${command} ${args.join(" ")} ended with ${ended.code}:\n${ended.stdout}\n${ended.stderr}`);
}
