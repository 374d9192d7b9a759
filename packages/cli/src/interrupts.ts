import type { StoppedBy } from "@agentpool/journal";
import { type Operation, resource, withResolvers } from "effection";

/** What the person at the keyboard has asked for. */
export interface Interrupts {
  /** Whether there was a first ctrl-c. */
  readonly requested: boolean;
  /** Settles with who asked at the second ctrl-c, or at once when the process is told to terminate. */
  readonly stop: Operation<StoppedBy>;
}

/**
 * A terminal sends ctrl-c to every process in front of it, and npm passes its own on to the command it runs: signals
 * this close together are one.
 */
const SAME_KEYPRESS_MS = 100;

/**
 * Counts ctrl-c: the first asks for an end (`onFirst`), the second stops at once, the third ends the process where it
 * stands. SIGTERM and SIGHUP stop at once.
 */
export const useInterrupts = (onFirst: () => void): Operation<Interrupts> =>
  resource(function* (provide) {
    const stop = withResolvers<StoppedBy>();
    let presses = 0;
    let last = Number.NEGATIVE_INFINITY;
    // Once every listener of the signal was called: those of libraries that a program brings along may end the process
    // by the signal where they find that nobody else listens any more.
    const stopAtOnce = (by: StoppedBy) => queueMicrotask(() => stop.resolve(by));
    const onInterrupt = () => {
      const now = performance.now();
      if (now - last < SAME_KEYPRESS_MS) return;
      last = now;
      presses++;
      if (presses === 1) onFirst();
      else if (presses === 2) stopAtOnce("ctrl-c");
      else process.exit(130);
    };
    const onTerminate = (signal: "SIGTERM" | "SIGHUP") => {
      presses = Math.max(presses, 2);
      stopAtOnce(signal);
    };
    const handlers = { SIGINT: onInterrupt, SIGTERM: onTerminate, SIGHUP: onTerminate } as const;
    for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler);
    try {
      yield* provide({
        get requested() {
          return presses > 0;
        },
        stop: stop.operation,
      });
    } finally {
      for (const [signal, handler] of Object.entries(handlers)) process.removeListener(signal, handler);
    }
  });
