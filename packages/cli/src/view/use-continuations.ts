import { type Operation, resource } from "effection";

/** Tells of every time that the process was stopped, by ctrl-z for one, and goes on. */
export const useContinuations = (onContinue: () => void): Operation<void> =>
  resource(function* (provide) {
    process.on("SIGCONT", onContinue);
    try {
      yield* provide();
    } finally {
      process.removeListener("SIGCONT", onContinue);
    }
  });
