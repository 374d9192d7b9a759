import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { Watchdog } from "./watchdog.ts";

it("programs that were watched over when a pool was killed are ended, and no others", async () => {
  const [left, forgotten, never] = [sleeper(), sleeper(), sleeper()];
  const watchdog = new Watchdog();
  watchdog.watch(left.pid!);
  watchdog.watch(forgotten.pid!);
  watchdog.forget(forgotten.pid!);
  const ended = once(left, "exit");
  watchdog.end(); // what it sees of a pool that was killed: the end of its input
  await ended;
  expect([left, forgotten, never].map(({ signalCode }) => signalCode)).toEqual(["SIGTERM", null, null]);
});

/** A program in a group of its own, that does nothing. */
function sleeper(): ChildProcess {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], {
    detached: true,
    stdio: "ignore",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}
