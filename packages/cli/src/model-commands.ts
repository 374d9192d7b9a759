import type { Command } from "commander";
import { until } from "effection";
import type { Invocation } from "./command-line.ts";
import type { ModelsFlags } from "./commands/models.ts";
import type { PullFlags } from "./commands/models-pull.ts";
import { withModelFlags } from "./harness-flags.ts";
import type { Console } from "./io.ts";

/** Adds the commands about models. */
export function addModelCommands(
  program: Command,
  io: Console,
  invoke: (invocation: Invocation) => void,
): void {
  const models = withModelFlags(
    program
      .command("models")
      .description("Show which model each part of a run gets, and whether it answers.")
      .option("--no-ask", "only show them: a hosted model charges for some twenty tokens")
      .option("--json", "print a list of { for, route, models }"),
  )
    .addHelpText("after", MODELS)
    .action((flags: ModelsFlags) =>
      invoke(function* () {
        const { modelsCommand } = yield* until(import("./commands/models.ts"));
        return yield* modelsCommand(io, flags);
      }),
    );

  models
    .command("pull")
    .description("Fetch a model file from Hugging Face, or go on with one; verify it; print its name.")
    .argument("<uri>", "hf:<user>/<repository>/<file>.gguf, or the address of a .gguf file")
    .option("--to <folder>", "where it is put (default: models)")
    .option("--sha256 <digest>", "what its SHA-256 has to be (default: what is published)")
    .option("--json", "print { model, files }")
    .addHelpText("after", PULL)
    .action((uri: string, _: PullFlags, command: Command) =>
      invoke(function* () {
        const { modelsPullCommand } = yield* until(import("./commands/models-pull.ts"));
        // --json belongs to both commands, and is read by the one above.
        return yield* modelsPullCommand(io, uri, command.optsWithGlobals<PullFlags>());
      }),
    );
}

const MODELS = `
A route without a model that answers gives exit code 1; a configuration that cannot be used 2.

Examples:
  pool models
  pool models --model ollama/qwen3:8b
  pool models --no-ask
  pool models --json | jq -r '.[] | select(all(.models[]; .answers == false)) | .for'
  pool models pull hf:bartowski/SmolLM2-360M-Instruct-GGUF/SmolLM2-360M-Instruct-Q8_0.gguf`;

const PULL = `
The name goes to stdout, everything else to stderr. Ctrl-c keeps what has come: the same command goes on from there.
HF_TOKEN is sent to Hugging Face where it is set; HF_ENDPOINT names another hub.

Examples:
  pool models pull hf:bartowski/SmolLM2-360M-Instruct-GGUF/SmolLM2-360M-Instruct-Q8_0.gguf
  pool run --model "$(pool models pull hf:user/repository/model.gguf)" "…"`;
