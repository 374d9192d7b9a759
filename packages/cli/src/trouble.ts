import { CommanderError } from "commander";
import { EXIT, type ExitCode } from "./exit-code.ts";

/** What is said about an error, and what the command ends with. */
export interface Trouble {
  /** Empty where everything was said already. */
  readonly message: string;
  readonly exitCode: ExitCode;
  /** Nobody foresaw it: where it happened is worth knowing. */
  readonly unforeseen?: true;
}

/** Errors of usage and of configuration, whichever copy of a library threw them. */
const USAGE = new Set(["UsageError", "ConfigurationError", "UnknownRunError", "ResumeError", "ForkError"]);

/** Those of others that are about what was written on the command line. */
const NAMED = new Set(["StoreError url", "DecisionError unknown"]);

/** Errors whose message says all there is to say: of a store, a lease, a decision that came too late, a file. */
const SAID = new Set(["StoreError", "LeaseError", "DecisionError", "JournalError", "UnwritableError"]);

export function explain(error: unknown): Trouble {
  // Commander prints its own errors, and help is none.
  if (error instanceof CommanderError)
    return { message: "", exitCode: error.exitCode === 0 ? EXIT.done : EXIT.usage };
  if (!(error instanceof Error))
    return { message: `Something threw ${String(error)}.`, exitCode: EXIT.failed, unforeseen: true };
  if (USAGE.has(error.name)) return { message: error.message, exitCode: EXIT.usage };
  if ("problem" in error && NAMED.has(`${error.name} ${error.problem}`))
    return { message: error.message, exitCode: EXIT.usage };
  if (SAID.has(error.name)) return { message: error.message, exitCode: EXIT.failed };
  const message = `The run failed: ${error.message || error.name}`;
  return { message, exitCode: EXIT.failed, unforeseen: true };
}
