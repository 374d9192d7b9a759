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
    .option("-n, --limit <count>", "only so many (default: 50; with --json all)", countOf)
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
      "Replay a run against other guard settings: what they would have refused, allowed and saved.",
    )
    .argument("[run]", RUN_ARGUMENT)
    .addOption(
      new Option("-s, --set <change>", "a change of a guard, such as url_dedup.scope=cohort").argParser(
        (value: string, before: readonly string[] = []) => [...before, value],
      ),
    )
    .option("--harness <file>", "take the guards of another harness.yml")
    .option("--suggest", "rank changes by what they would have saved, over this run or all")
    .option("-n, --limit <count>", "with --suggest: look at so many runs (default: 50)", countOf)
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

const RESUME = `
It goes on where the record ends: agents that had finished return what they found, calls that were made are not made
again, and nobody is asked twice. The harness is loaded as it is now; flags of then stand, and those given here come
on top.

Examples:
  pool resume latest
  pool approve 3f9a1c && pool resume 20260131
  pool resume latest --wait        stay, and go on when somebody decides elsewhere

Exit codes: 3 while everybody waits for people; otherwise those of pool run.`;

const FORK = `
What was done up to that turn stands, whoever did it, and is not done again; what came after is decided anew. The run
it comes from stays as it is. pool show RUN --agent AGENT shows an agent's turns.

Examples:
  pool fork latest --at research/2:3 --message "Look at the changelog instead."
  pool fork latest --at research/0:1 --model anthropic/claude-sonnet-4-5
  pool fork 20260131 --at research/1:0 --deny read`;

const ASK = `
A new run of the same harness, with its own record; pool show says what it follows up on. The extractive model reads
documents and not conversations: ask it whole questions.

Examples:
  pool ask latest "And which of these can be switched off?"
  pool ask 20260131 --model anthropic/claude-sonnet-4-5 "What would change if …?"`;

const RUNS = `
Examples:
  pool runs
  pool runs --json | jq -r '.[] | select(.status == "interrupted") | .id'
  pool runs --store postgres://pool@db.example/runs

A run is running, waiting (for people), interrupted (its process is gone; pool resume carries on), completed, failed
or cancelled.`;

const SHOW = `
Examples:
  pool show latest
  pool show 20260131 --agent research/2      one agent, with what its calls gave
  pool show latest --no-brief
  pool show latest --json | jq '.agentViews[] | {agent, exit, turns: (.turns | length)}'`;

const TRACE = `
Examples:
  pool trace latest --type call:refused
  pool trace latest --agent research/0 --type call: --type turn:
  pool trace latest --json | jq -r 'select(.type == "call:dispatched") | .tool' | sort | uniq -c`;

const GUARDS = `
No model and no tool runs: the guards are asked again about every call of the record, in its order. Without --set or
--harness they are those of harness.yml as it is now. Out comes a table of the calls that something else would have
become of, what that saves, and the yaml to paste.

Examples:
  pool guards latest --set url_dedup.scope=cohort
  pool guards latest --set query_dedup=false --set read_dedup.scope=cohort
  pool guards 20260131 --harness other.yml --json | jq .tokensSaved
  pool guards --suggest`;

const EXPORT = `
The document has the format "agentpool-run": { run, entries }: what pool show --json and pool trace --json print. What
models may not see is not in it.

Examples:
  pool export latest -o run.json
  pool export 20260131 | gzip > run.json.gz`;

const PRUNE = `
Runs that are running or wait for people stay.

Examples:
  pool prune --older-than 30d --dry-run
  pool prune --keep 100`;

const APPROVALS = `
Examples:
  pool approvals
  pool approvals --json | jq -r '.[].id'
  pool approvals --all --run latest`;

const DECIDE = `
The first decision stands; one that comes later fails with exit code 1, and says who decided what. A run that is
running goes on by itself; another is taken up with pool resume.

Examples:
  pool approve 3f9a1c
  pool deny 3f9a1c --reason "Not before Monday."`;
