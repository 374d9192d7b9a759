import { type Operation, resource } from "effection";

/** Tells before ctrl-z stops the process, and again when it goes on: a shell writes to the terminal in between. */
export const useSuspensions = (onSuspension: () => void): Operation<void> =>
  resource(function* (provide) {
    const onStop = () => {
      onSuspension();
      // who listens has to stop the process; this signal cannot be listened to
      process.kill(process.pid, "SIGSTOP");
    };
    process.on("SIGTSTP", onStop);
    process.on("SIGCONT", onSuspension);
    try {
      yield* provide();
    } finally {
      process.removeListener("SIGTSTP", onStop);
      process.removeListener("SIGCONT", onSuspension);
    }
  });
