import { type Command, InvalidArgumentError, Option } from "commander";
import { until } from "effection";
import type { Invocation } from "./command-line.ts";
import type { ApprovalsFlags } from "./commands/approvals.ts";
import type { AskFlags } from "./commands/ask.ts";
import type { DecideFlags } from "./commands/decide.ts";
import type { ExportFlags } from "./commands/export.ts";
import type { ForkFlags } from "./commands/fork.ts";
import type { GuardsFlags } from "./commands/guards.ts";
import type { PruneFlags } from "./commands/prune.ts";
import type { ResumeFlags } from "./commands/resume.ts";
import type { RunsFlags } from "./commands/runs.ts";
import type { ShowFlags } from "./commands/show.ts";
import type { TraceFlags } from "./commands/trace.ts";
import { withHarnessFlags } from "./harness-flags.ts";
import type { Console } from "./io.ts";
import {
  APPROVALS,
  ASK,
  DECIDE,
  EXPORT,
  FORK,
  GUARDS,
  PRUNE,
  RESUME,
  RUNS,
  SHOW,
  TRACE,
} from "./recorded-help.ts";

/** Adds the commands about runs on record. */
export function addRecordedCommands(
  program: Command,
  io: Console,
  invoke: (invocation: Invocation) => void,
): void {
  withHarnessFlags(
    program
      .command("resume")
      .description("Carry on with a run that was interrupted, or that waited for people.")
      .argument("<run>", RUN_ARGUMENT)
      .option("--json", "print events to stdout, one a line, last the result")
      .option("-q, --quiet", "show no progress")
      .option("--plain", "show progress as lines, also on a terminal")
      .option("--wait", "stay while everybody waits for people")
      .option("--force", "also where agents, tools or schemas have changed since"),
  )
    .addHelpText("after", RESUME)
    .action((run: string, flags: ResumeFlags) =>
      invoke(function* () {
        const { resumeCommand } = yield* until(import("./commands/resume.ts"));
        return yield* resumeCommand(io, run, flags);
      }),
    );

  withHarnessFlags(
    program
      .command("fork")
      .description(
        "Run on from a turn of a recorded run, with another message, guards or model, as a new run.",
      )
      .argument("<run>", RUN_ARGUMENT)
      .requiredOption("--at <agent:turn>", "the agent, and the last of its turns that still counts")
      .option("--message <text>", "what the agent is told before it goes on")
      .option("--json", "print events to stdout, one a line, last the result")
      .option("-q, --quiet", "show no progress")
      .option("--plain", "show progress as lines, also on a terminal")
      .option("--wait", "stay while everybody waits for people")
      .option("--force", "also where agents, tools or schemas have changed since"),
  )
    .addHelpText("after", FORK)
    .action((run: string, flags: ForkFlags) =>
      invoke(function* () {
        const { forkCommand } = yield* until(import("./commands/fork.ts"));
        return yield* forkCommand(io, run, flags);
      }),
    );

  withHarnessFlags(
    program
      .command("ask")
      .description("Follow up on a finished run: its agents know the earlier question and its answer.")
      .argument("<run>", RUN_ARGUMENT)
      .argument("<question...>", "what to ask, - for standard input")
      .option("--json", "print events to stdout, one a line, last the result")
      .option("-q, --quiet", "show no progress")
      .option("--plain", "show progress as lines, also on a terminal")
      .option("--wait", "stay while everybody waits for people"),
  )
    .addHelpText("after", ASK)
    .action((run: string, words: string[], flags: AskFlags) =>
      invoke(function* () {
        const { askCommand } = yield* until(import("./commands/ask.ts"));
        return yield* askCommand(io, run, words, flags);
      }),
    );

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

  withStoreFlags(program.command("approvals"))
    .description("List the calls that wait for people.")
    .option("--all", "decided ones too")
    .option("--run <run>", "only those of one run")
    .option("--json", "print an array")
    .addHelpText("after", APPROVALS)
    .action((flags: ApprovalsFlags) =>
      invoke(function* () {
        const { approvalsCommand } = yield* until(import("./commands/approvals.ts"));
        return yield* approvalsCommand(io, flags);
      }),
    );

  withStoreFlags(program.command("approve"))
    .description("Let a call run that waits for a person.")
    .argument("<id>", "its id, or how it begins; pool approvals lists them")
    .option("--json", "print the approval")
    .addHelpText("after", DECIDE)
    .action((id: string, flags: DecideFlags) =>
      invoke(function* () {
        const { approveCommand } = yield* until(import("./commands/decide.ts"));
        return yield* approveCommand(io, id, flags);
      }),
    );

  withStoreFlags(program.command("deny"))
    .description("Refuse a call that waits for a person.")
    .argument("<id>", "its id, or how it begins; pool approvals lists them")
    .option("-r, --reason <text>", "why; the model reads it")
    .option("--json", "print the approval")
    .addHelpText("after", DECIDE)
    .action((id: string, flags: DecideFlags) =>
      invoke(function* () {
        const { denyCommand } = yield* until(import("./commands/decide.ts"));
        return yield* denyCommand(io, id, flags);
      }),
    );
}

const RUN_ARGUMENT = "its id, how that begins, or latest";

/** The flags that say where runs are recorded. */
const withStoreFlags = (command: Command): Command =>
  command
    .option(
      "-f, --file <path>",
      "the harness whose runs they are (default: harness.yml here, if there is one)",
    )
    .option("--store <url>", "where they are recorded: sqlite:PATH or postgres://…");

function countOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("It takes a number.");
  return Number(text);
}

function atLeastOne(text: string): number {
  const count = countOf(text);
  if (count === 0) throw new InvalidArgumentError("It takes 1 or more.");
  return count;
}
