import type { ChildProcess } from "node:child_process";
import { Watchdog } from "./watchdog.ts";

/** Signals a program that was started in a group of its own, and all that it started. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // it is gone
  }
}

/** Programs that run. Where this process is ended in the middle of its work, they are killed. */
class Running {
  readonly #children = new Set<ChildProcess>();
  readonly #watchdog = new Watchdog();
  readonly #killAll = () => {
    for (const child of this.#children) signalGroup(child, "SIGKILL");
  };

  add(child: ChildProcess): void {
    if (this.#children.size === 0) process.on("exit", this.#killAll);
    this.#children.add(child);
    if (child.pid !== undefined) this.#watchdog.watch(child.pid);
  }

  delete(child: ChildProcess): void {
    if (!this.#children.delete(child)) return;
    if (child.pid !== undefined) this.#watchdog.forget(child.pid);
    if (this.#children.size > 0) return;
    process.off("exit", this.#killAll);
    this.#watchdog.end();
  }
}

export const running = new Running();
