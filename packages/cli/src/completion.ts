import type { Command } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** A command as completions know it. */
interface Known {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly Flag[];
}

interface Flag {
  readonly long: string;
  /** Without its dash. */
  readonly short: string | undefined;
  readonly description: string;
  readonly takesValue: boolean;
}

/** A script for a shell that completes the commands and flags of `program`. */
export function completionScript(shell: Shell, program: Command): string {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    flags: command.options.map(({ long, short, description, required }) => ({
      long: long!,
      short: short?.slice(1),
      description,
      takesValue: required,
    })),
  }));
  return { bash, zsh, fish }[shell](commands);
}

const bash = (commands: readonly Known[]): string => `# source <(pool completion bash)
_pool() {
  local current=\${COMP_WORDS[COMP_CWORD]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} --help --version" -- "$current"))
    return
  fi
  COMPREPLY=()
  case $current in -*) ;; *) return ;; esac
  case \${COMP_WORDS[1]} in
${commands.map(({ name, flags }) => `    ${name}) COMPREPLY=($(compgen -W "${flags.map(({ long }) => long).join(" ")} --help" -- "$current")) ;;`).join("\n")}
  esac
}
complete -o default -F _pool pool
`;

const zsh = (commands: readonly Known[]): string => `#compdef pool
# source <(pool completion zsh)
_pool() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${commands.map(({ name, description }) => `      ${quoted(`${name}:${description}`)}`).join("\n")}
    )
    _describe command commands
    return
  fi
  case $words[2] in
${commands.map(({ name, flags }) => `    ${name}) _arguments '*:file:_files' ${flags.map(zshFlag).join(" ")} ;;`).join("\n")}
  esac
}
compdef _pool pool
`;

const zshFlag = ({ long, description, takesValue }: Flag): string =>
  quoted(`*${long}[${description.replace(/[[\]:]/g, " ")}]${takesValue ? ":value:_files" : ""}`);

const fish = (commands: readonly Known[]): string =>
  [
    "# pool completion fish | source",
    ...commands.flatMap(({ name, description, flags }) => [
      `complete -c pool -n __fish_use_subcommand -f -a ${name} -d ${fishQuoted(description)}`,
      ...flags.map(
        ({ long, short, description: what, takesValue }) =>
          `complete -c pool -n '__fish_seen_subcommand_from ${name}' -l ${long.slice(2)}${short ? ` -s ${short}` : ""}${takesValue ? " -r" : ""} -d ${fishQuoted(what)}`,
      ),
    ]),
    "",
  ].join("\n");

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const fishQuoted = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;
