import { Command, Option } from "commander";
import type { Given } from "./choices.ts";
import type { Io } from "./io.ts";
import { PACKAGE_MANAGERS } from "./package-manager.ts";
import type { Template } from "./templates.ts";

/** Reads the command line. Throws commander's error once help, the version or a mistake in it were told. */
export function commandLine(
  args: readonly string[],
  { io, version, templates }: { io: Io; version: string; templates: readonly Template[] },
): Given {
  const program = new Command("create-pool")
    .description("Writes a project for pools of agents: it runs at once, with no key and no server.")
    .argument("[folder]", "where: a folder that is new or empty (default: my-pool)")
    .option("--name <name>", "the project's name, where it is not the folder's")
    .option("-t, --template <name>", `what it starts from: ${templates.map(({ name }) => name).join(" or ")}`)
    .option("-m, --model <name>", "the model it runs on: extractive, or provider/model")
    .addOption(
      new Option("-p, --package-manager <name>", "who installs (default: who called this)").choices(
        PACKAGE_MANAGERS,
      ),
    )
    .option("--git", "make it a git repository, unless it is in one (default)")
    .option("--no-git", "make no git repository")
    .option("--install", "install its dependencies as well")
    .option("-y, --yes", "ask nothing: what no flag gives has its default")
    .version(version, "-V, --version")
    .addHelpText("after", helpOn(templates))
    .showHelpAfterError("(--help lists flags and examples)")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    });
  program.parse(args, { from: "user" });
  const [folder] = program.args;
  return { ...program.opts<Given>(), ...(folder === undefined ? {} : { folder }) };
}

const helpOn = (templates: readonly Template[]): string => `
Templates:
${templates.map(({ name, description }) => `  ${name.padEnd(10)} ${description}`).join("\n")}

Examples:
  npm create pool my-research                          asks for the rest
  npm create pool my-research -- --template research   npm wants -- before flags
  pnpm create pool my-research --yes                   asks nothing
  npx create-pool . --model ollama/qwen3:8b            here, on a local model

Without a terminal nothing is asked. Then, in the project: install, \`npm start\` for a brief, \`npm test\`.

Exit codes: 0 done, 1 failed (nothing is left behind), 2 wrong usage, or a folder that is not empty, 130 interrupted.`;
