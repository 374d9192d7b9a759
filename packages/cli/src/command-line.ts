import { Argument, Command } from "commander";
import { type Operation, until } from "effection";
import { addApprovalCommands } from "./approval-commands.ts";
import type { ConfigFlags } from "./commands/config.ts";
import type { RunFlags } from "./commands/run.ts";
import { completionScript, SHELLS, type Shell } from "./completion.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { withHarnessFlags } from "./harness-flags.ts";
import type { Console } from "./io.ts";
import { addModelCommands } from "./model-commands.ts";
import { hasColours } from "./palette.ts";
import { addRecordedCommands } from "./recorded-commands.ts";
import { addRunOnCommands } from "./run-on-commands.ts";

/** What was asked for on the command line: an operation that gives the exit code. */
export type Invocation = () => Operation<ExitCode>;

/** The commands of `pool` and their help. `invoke` is told which one was called; only then its code is loaded. */
export function commandLine(io: Console, version: string, invoke: (invocation: Invocation) => void): Command {
  const program = new Command("pool")
    .description("Runs pools of agents over your documents, and shows what every agent did.")
    .version(version, "-V, --version")
    .exitOverride()
    .configureOutput({
      writeOut: io.out.write,
      writeErr: io.err.write,
      getOutHasColors: () => hasColours(io.stdout, io.env),
      getErrHasColors: () => hasColours(io.stderr, io.env),
    })
    .showHelpAfterError("(pool --help lists commands and flags)")
    .addHelpText("after", OVERVIEW);

  withHarnessFlags(
    program
      .command("run")
      .description("Ask a question. The brief is printed, and kept in reports/.")
      .argument("[question...]", "what to ask, - for standard input (default: `question` in harness.yml)")
      .option("--json", "print events to stdout, one a line, last the result")
      .option("-q, --quiet", "show no progress")
      .option("--plain", "show progress as lines, also on a terminal")
      .option("--wait", "stay while everybody waits for people, where there is no terminal to ask at"),
  )
    .addHelpText("after", RUN)
    .action((words: string[], flags: RunFlags) =>
      invoke(function* () {
        const { runCommand } = yield* until(import("./commands/run.ts"));
        return yield* runCommand(io, words, flags);
      }),
    );

  withHarnessFlags(
    program
      .command("config")
      .description("Show every value of the harness, and where it came from.")
      .option("--json", "print a list of { key, value, from }"),
  )
    .addHelpText("after", CONFIG)
    .action((flags: ConfigFlags) =>
      invoke(function* () {
        const { configCommand } = yield* until(import("./commands/config.ts"));
        return yield* configCommand(io, flags);
      }),
    );

  addModelCommands(program, io, invoke);
  addRunOnCommands(program, io, invoke);
  addRecordedCommands(program, io, invoke);
  addApprovalCommands(program, io, invoke);

  program
    .command("completion")
    .description("Print a script that completes commands and flags in your shell.")
    .addArgument(new Argument("<shell>", "whose script").choices(SHELLS))
    .addHelpText("after", COMPLETION)
    .action((shell: Shell) =>
      invoke(function* () {
        io.out.write(completionScript(shell, program));
        return EXIT.done;
      }),
    );

  return program;
}

const OVERVIEW = `
Examples:
  pool run --corpus docs "How are retries limited?"   ask about the documents in docs/
  pool run                                            ask what harness.yml asks
  pool run "…" > brief.md                             the brief alone goes to stdout
  pool show latest                                    see what every agent did
  pool config                                         see what a run would use, and why

A harness.yml in the working folder says which model, documents, guards and limits a run has:
  model: extractive                                   # no key, no server: quotes your documents
  tools: { corpus: { path: ./docs } }
  defaults: { guards: { query_dedup: { scope: cohort } } }

Environment: NO_COLOR or FORCE_COLOR for colours, CI for lines in place of the live view, POOL_DEBUG=1 for where an error
happened; pool config --help has the variables that set values. Keys of providers come from the environment too.

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 waiting for people, 130 interrupted.`;

const RUN = `
Examples:
  pool run "What does a guard do, and who may switch it off?"
  pool run --corpus docs --corpus 'notes/**/*.md' "What was decided about retries?"
  pool run --budget maxTurns=5 --budget concurrentTools=2 "…"
  pool run --json "…" | jq -r 'select(.type == "call:refused") | .guard'
  echo "A long question" | pool run -

The brief is on stdout and in reports/<run>.md and .json; progress is on stderr. The run is recorded in .pool/runs.db
(--store none: nowhere); pool runs and pool show read the record.
A call that needs a person is asked about at the terminal. Where there is none it waits for pool approve; once nothing
else is left to do, the command ends with exit code 3, and pool resume carries on.
Ctrl-c once: agents report what they have, and the brief is marked partial (exit code 130). Twice: stop at once, without
a brief; pool resume carries on. SIGTERM and a closed terminal stop at once too.`;

const CONFIG = `
Flags come before the environment, then harness.local.yml, then harness.yml, then the defaults.
Maps merge, lists replace, denies and approvals add up.

Environment: POOL_MODEL, POOL_CORPUS, POOL_EFFORT, POOL_GRANTS, POOL_DENY, POOL_PROGRAM, POOL_STORE,
POOL_MAX_TURNS, POOL_MAX_TOOL_CALLS, POOL_MAX_TOOL_RETRIES, POOL_CONCURRENT_TOOLS, POOL_CONCURRENT_GENERATIONS.

Examples:
  pool config
  POOL_MODEL=ollama/qwen3 pool config --budget maxTurns=5
  pool config --json | jq -r '.[] | select(.from[0] != "default") | .key'`;

const COMPLETION = `
Examples:
  source <(pool completion bash)     in ~/.bashrc
  source <(pool completion zsh)      in ~/.zshrc
  pool completion fish | source      in ~/.config/fish/config.fish`;
