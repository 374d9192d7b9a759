import type { Command } from "commander";
import { until } from "effection";
import type { Invocation } from "./command-line.ts";
import type { AskFlags } from "./commands/ask.ts";
import type { ForkFlags } from "./commands/fork.ts";
import type { ResumeFlags } from "./commands/resume.ts";
import { withHarnessFlags } from "./harness-flags.ts";
import type { Console } from "./io.ts";
import { ASK, FORK, RESUME } from "./recorded-help.ts";
import { RUN_ARGUMENT } from "./run-argument.ts";

/** Adds the commands that run on from what is on record. */
export function addRunOnCommands(
  program: Command,
  io: Console,
  invoke: (invocation: Invocation) => void,
): void {
  withConductFlags(
    program
      .command("resume")
      .description("Carry on with a run that was interrupted, or that waited for people.")
      .argument("<run>", RUN_ARGUMENT),
  )
    .option("--force", "also where agents, tools or schemas have changed since")
    .addHelpText("after", RESUME)
    .action((run: string, flags: ResumeFlags) =>
      invoke(function* () {
        const { resumeCommand } = yield* until(import("./commands/resume.ts"));
        return yield* resumeCommand(io, run, flags);
      }),
    );

  withConductFlags(
    program
      .command("fork")
      .description(
        "Run on from a turn of a recorded run, with another message, guards or model, as a new run.",
      )
      .argument("<run>", RUN_ARGUMENT)
      .requiredOption("--at <agent:turn>", "the agent, and the last of its turns that still counts")
      .option("--message <text>", "what the agent is told before it goes on"),
  )
    .option("--force", "also where agents, tools or schemas have changed since")
    .addHelpText("after", FORK)
    .action((run: string, flags: ForkFlags) =>
      invoke(function* () {
        const { forkCommand } = yield* until(import("./commands/fork.ts"));
        return yield* forkCommand(io, run, flags);
      }),
    );

  withConductFlags(
    program
      .command("ask")
      .description("Follow up on a finished run: its agents know the earlier question and its answer.")
      .argument("<run>", RUN_ARGUMENT)
      .argument("<question...>", "what to ask, - for standard input"),
  )
    .addHelpText("after", ASK)
    .action((run: string, words: string[], flags: AskFlags) =>
      invoke(function* () {
        const { askCommand } = yield* until(import("./commands/ask.ts"));
        return yield* askCommand(io, run, words, flags);
      }),
    );
}

/** The flags of whatever runs agents before a person. */
const withConductFlags = (command: Command): Command =>
  withHarnessFlags(
    command
      .option("--json", "print events to stdout, one a line, last the result")
      .option("-q, --quiet", "show no progress")
      .option("--plain", "show progress as lines, also on a terminal")
      .option("--wait", "stay while everybody waits for people"),
  );
