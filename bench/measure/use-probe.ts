import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { action, createQueue, ensure, type Operation, resource } from "effection";
import type { Reply, Request } from "./protocol.ts";

/** A contender in a process of its own, so that nobody's garbage, code or settings disturb another. */
export interface Probe {
  ask(request: Request): Operation<Reply>;
}

const child = fileURLToPath(new URL("child.ts", import.meta.url));

const execArgv = ["--expose-gc", "--no-warnings", `--import=${import.meta.resolve("tsx")}`];

/** Starts the process; it ends with the scope. What it prints goes to stderr. */
export const useProbe = (): Operation<Probe> =>
  resource(function* (provide) {
    const replies = createQueue<Reply, never>();
    const process = fork(child, { execArgv, stdio: ["ignore", 2, 2, "ipc"] });
    const ended = (how: string): void => replies.add({ type: "failed", reason: how });
    process.on("message", (reply: Reply) => replies.add(reply));
    process.on("error", (error) => ended(error.message));
    process.on("exit", (code, signal) => ended(`its process ended with ${signal ?? `code ${code}`}`));
    yield* ensure(() =>
      action<void>((resolve) => {
        if (process.exitCode !== null || process.signalCode !== null || !process.kill("SIGKILL")) resolve();
        process.on("exit", () => resolve());
        return () => process.removeAllListeners();
      }),
    );
    yield* provide({
      *ask(request) {
        if (process.connected) process.send(request);
        const { value } = yield* replies.next();
        return value as Reply;
      },
    });
  });
