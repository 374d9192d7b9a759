import type { Writable } from "node:stream";
import { action, type Operation, resource } from "effection";

/** A stream to write to, whose reader may leave at any time: `pool run | head -1`. */
export interface Output {
  /** Writes, unless the reader has left. */
  write(text: string): void;
  /** Waits until all of it is with the reader. The error that kept it from there; undefined where there was none. */
  flush(): Operation<Error | undefined>;
}

/** A reader that has left is no error: nothing more is written to it, and the run goes on. */
export const useOutput = (stream: Writable): Operation<Output> =>
  resource(function* (provide) {
    let broken: NodeJS.ErrnoException | undefined;
    const onError = (error: NodeJS.ErrnoException) => {
      broken ??= error;
    };
    stream.on("error", onError);
    try {
      yield* provide({
        write(text) {
          if (!broken) stream.write(text);
        },
        *flush() {
          if (!broken) yield* drained(stream);
          return broken?.code === "EPIPE" ? undefined : broken;
        },
      });
    } finally {
      stream.removeListener("error", onError);
    }
  });

/** Settles once everything written so far was handed on, or could not be. */
const drained = (stream: Writable): Operation<void> =>
  action((resolve) => {
    stream.write("", () => resolve());
    return () => {};
  });
