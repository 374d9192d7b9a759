import { type Command, InvalidArgumentError, Option } from "commander";
import { until } from "effection";
import type { Invocation } from "./command-line.ts";
import type { ExportFlags } from "./commands/export.ts";
import type { GuardsFlags } from "./commands/guards.ts";
import type { PruneFlags } from "./commands/prune.ts";
import type { RunsFlags } from "./commands/runs.ts";
import type { ShowFlags } from "./commands/show.ts";
import type { TraceFlags } from "./commands/trace.ts";
import type { Console } from "./io.ts";
import { EXPORT, GUARDS, PRUNE, RUNS, SHOW, TRACE } from "./recorded-help.ts";
import { RUN_ARGUMENT } from "./run-argument.ts";
import { withStoreFlags } from "./store-flags.ts";

/** Adds the commands that read what is on record, and take old runs off it. */
export function addRecordedCommands(
  program: Command,
  io: Console,
  invoke: (invocation: Invocation) => void,
): void {
  withStoreFlags(program.command("runs"))
    .description("List the runs on record, newest first.")
    .option("-n, --limit <count>", "only so many (default: 50; with --json all)", atLeastOne)
    .option("--json", "print an array")
    .addHelpText("after", RUNS)
    .action((flags: RunsFlags) =>
      invoke(function* () {
        const { runsCommand } = yield* until(import("./commands/runs.ts"));
        return yield* runsCommand(io, flags);
      }),
    );

  withStoreFlags(program.command("show"))
    .description("Show a run: what every agent did, what was refused, asked and read, and the brief.")
    .argument("<run>", RUN_ARGUMENT)
    .option("-a, --agent <key>", "only this agent, with what its calls gave")
    .option("--no-brief", "without the answer")
    .option("--json", "print one object")
    .addHelpText("after", SHOW)
    .action((run: string, flags: ShowFlags) =>
      invoke(function* () {
        const { showCommand } = yield* until(import("./commands/show.ts"));
        return yield* showCommand(io, run, flags);
      }),
    );

  withStoreFlags(program.command("trace"))
    .description("Print everything that happened in a run, in its order.")
    .argument("<run>", RUN_ARGUMENT)
    .option("-a, --agent <key>", "only what is about this agent")
    .addOption(
      new Option(
        "-t, --type <type>",
        "only events of this type, or with call: of all that begin so",
      ).argParser((value: string, before: readonly string[] = []) => [...before, value]),
    )
    .option("--json", "print events whole, one a line")
    .addHelpText("after", TRACE)
    .action((run: string, flags: TraceFlags) =>
      invoke(function* () {
        const { traceCommand } = yield* until(import("./commands/trace.ts"));
        return yield* traceCommand(io, run, flags);
      }),
    );

  withStoreFlags(program.command("guards"))
    .description(
      "Replay a run against other settings: what they would have refused, asked about, allowed and saved.",
    )
    .argument("[run]", RUN_ARGUMENT)
    .addOption(
      new Option("-s, --set <change>", "a change, such as url_dedup.scope=cohort or deny=shell").argParser(
        (value: string, before: readonly string[] = []) => [...before, value],
      ),
    )
    .option("--harness <file>", "take the settings of another harness.yml")
    .option("--suggest", "rank changes by what they would have saved, over this run or all")
    .option("-n, --limit <count>", "with --suggest: look at so many runs (default: 50)", atLeastOne)
    .option("--json", "print one object")
    .addHelpText("after", GUARDS)
    .action((run: string | undefined, flags: GuardsFlags) =>
      invoke(function* () {
        const { guardsCommand } = yield* until(import("./commands/guards.ts"));
        return yield* guardsCommand(io, run, flags);
      }),
    );

  withStoreFlags(program.command("export"))
    .description("Print a run as one JSON document.")
    .argument("<run>", RUN_ARGUMENT)
    .option("-o, --output <file>", "write it to a file")
    .option("--json", "it is JSON in any case")
    .addHelpText("after", EXPORT)
    .action((run: string, flags: ExportFlags) =>
      invoke(function* () {
        const { exportCommand } = yield* until(import("./commands/export.ts"));
        return yield* exportCommand(io, run, flags);
      }),
    );

  withStoreFlags(program.command("prune"))
    .description("Take old runs off the record.")
    .option("--older-than <age>", "only runs that ended longer ago: 12h, 30d, 8w")
    .option("--keep <count>", "keep so many of the newest", countOf)
    .option("--dry-run", "only say which would go")
    .option("--json", "print an array of the runs")
    .addHelpText("after", PRUNE)
    .action((flags: PruneFlags) =>
      invoke(function* () {
        const { pruneCommand } = yield* until(import("./commands/prune.ts"));
        return yield* pruneCommand(io, flags);
      }),
    );
}

function countOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("It takes a number.");
  return Number(text);
}

function atLeastOne(text: string): number {
  const count = countOf(text);
  if (count === 0) throw new InvalidArgumentError("It takes 1 or more.");
  return count;
}
