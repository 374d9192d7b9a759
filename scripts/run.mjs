import { spawn } from "node:child_process";
import { constants } from "node:os";

/**
 * Runs a program to its end and gives its exit code: its own, or 128 + the signal that ended it.
 *
 * A terminal sends ctrl-c to every process in front of it, so there the child has it already; without a terminal
 * the signal is passed on, once.
 */
export function run(command, args, { cwd, env, stdio = "inherit" } = {}) {
  return new Promise((resolve, reject) => {
    const windows = process.platform === "win32" && command !== process.execPath;
    const child = spawn(command, args, { cwd, stdio, env: { ...process.env, ...env }, shell: windows });
    const passOn = (signal) => {
      if (signal === "SIGINT" && process.stdin.isTTY) return;
      child.kill(signal);
    };
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, passOn);
    const done = () => {
      for (const signal of signals) process.removeListener(signal, passOn);
    };
    child.on("error", (error) => {
      done();
      reject(error);
    });
    child.on("close", (code, signal) => {
      done();
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

/** Ends this process with the child's code. */
export async function exitWith(running) {
  process.exitCode = await running;
}
