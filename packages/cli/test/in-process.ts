import { PassThrough, Readable, Writable } from "node:stream";
import { main } from "../src/index.ts";

/** `pool` called as a function: what it printed, and its exit code. */
export async function call(
  args: readonly string[],
  { cwd, env = {}, stdin = "" }: { cwd: string; env?: Readonly<Record<string, string>>; stdin?: string },
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const collected = { stdout: "", stderr: "" };
  const into = (name: "stdout" | "stderr") =>
    new Writable({
      write(chunk, _, done) {
        collected[name] += String(chunk);
        done();
      },
    });
  const code = await main(args, {
    cwd,
    env,
    stdin: stdin === "" ? new PassThrough().end() : Readable.from([Buffer.from(stdin)]),
    stdout: into("stdout"),
    stderr: into("stderr"),
  });
  return { code, ...collected };
}
