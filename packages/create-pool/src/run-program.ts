import { spawn } from "node:child_process";

export interface Ended {
  /** Its exit code; undefined where it could not be started, or a signal ended it. */
  readonly code: number | undefined;
}

/** Runs a program to its end. `show`: its output is the user's to see. */
export function runProgram(
  command: string,
  args: readonly string[],
  { cwd, show = false }: { readonly cwd: string; readonly show?: boolean },
): Promise<Ended> {
  return new Promise((resolve) => {
    // Package managers are scripts on Windows, which only a shell starts. No argument comes from a user.
    const shell = process.platform === "win32";
    const child = spawn(command, args, { cwd, shell, stdio: show ? "inherit" : "ignore" });
    child.on("error", () => resolve({ code: undefined }));
    child.on("close", (code) => resolve({ code: code ?? undefined }));
  });
}
