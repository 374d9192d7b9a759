import type { Writable } from "node:stream";
import { action, type Operation } from "effection";

/** A stream to write to, whose reader may leave at any time: `pool run | head -1`. */
export interface Output {
  /** Writes, unless writing has failed before. */
  write(text: string): void;
  /**
   * Waits until all of it is handed on. Gives the error that kept it from there; a reader that has left is none:
   * nothing more is written to it, and the run goes on.
   */
  flush(): Operation<Error | undefined>;
}

/**
 * An output on one of the process's own streams. It listens for the stream's errors as long as that lives: the error
 * of a write may come after everything else has ended, and would be nobody's.
 */
export function outputOn(stream: Writable): Output {
  let broken: NodeJS.ErrnoException | undefined;
  let pending = 0;
  let settled = () => {};
  const failed = (error: NodeJS.ErrnoException | null | undefined) => {
    broken ??= error ?? undefined;
  };
  stream.on("error", failed);
  return {
    write(text) {
      if (broken || text === "") return;
      pending++;
      stream.write(text, (error) => {
        failed(error);
        pending--;
        if (pending === 0) settled();
      });
    },
    *flush() {
      if (pending > 0)
        yield* action<void>((resolve) => {
          settled = resolve;
          return () => {
            settled = () => {};
          };
        });
      return broken?.code === "EPIPE" ? undefined : broken;
    },
  };
}
