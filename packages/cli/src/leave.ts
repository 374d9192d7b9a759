import { isatty } from "node:tty";
import type { ExitCode } from "./exit-code.ts";

/**
 * Ends the process. Where its terminal was closed meanwhile it goes as others do then, by SIGHUP: an ordinary end sets
 * the terminal back first, and Node aborts where there is none any more.
 */
export function leave(code: ExitCode): never {
  const { stdin, stdout, stderr } = process;
  if ([stdin, stdout, stderr].some(({ isTTY, fd }) => isTTY && !isatty(fd))) {
    process.removeAllListeners("SIGHUP"); // of libraries that a program brought along
    process.kill(process.pid, "SIGHUP");
  }
  process.exit(code);
}
