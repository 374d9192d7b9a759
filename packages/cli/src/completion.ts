import type { Command } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** A command as completions know it. */
interface Known {
  readonly name: string;
  readonly description: string;
  /** Its own, and those of its parts. */
  readonly flags: readonly Flag[];
  /** Names of commands that are parts of it, and what its first argument may be, where that is one of a few. */
  readonly parts: readonly string[];
}

interface Flag {
  readonly long: string;
  /** Without its dash. */
  readonly short: string | undefined;
  readonly description: string;
  readonly takesValue: boolean;
  /** What it takes, where that is one of a few. */
  readonly values: readonly string[];
}

/** A script for a shell that completes the commands and flags of `program`. */
export function completionScript(shell: Shell, program: Command): string {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    flags: flagsOf(command),
    parts: [
      ...command.commands.map((part) => part.name()),
      ...(command.registeredArguments[0]?.argChoices ?? []),
    ],
  }));
  const help = {
    name: "help",
    description: "Say what a command does.",
    flags: [],
    parts: commands.map(({ name }) => name),
  };
  return { bash, zsh, fish }[shell]([...commands, help]);
}

function flagsOf(command: Command): Flag[] {
  const all = [command, ...command.commands].flatMap(({ options }) => options);
  const byName = new Map(all.map((option) => [option.long, option]));
  return [...byName.values()].map(({ long, short, description, required, argChoices }) => ({
    long: long!,
    short: short?.slice(1),
    description,
    takesValue: required,
    values: argChoices ?? [],
  }));
}

/** The flags of all commands that take one of a few values. */
const valuesOf = (commands: readonly Known[]): [string, readonly string[]][] => [
  ...new Map(
    commands.flatMap(({ flags }) =>
      flags.flatMap(({ long, values }) => (values.length > 0 ? [[long, values] as const] : [])),
    ),
  ),
];

const bash = (commands: readonly Known[]): string => `# source <(pool completion bash)
_pool() {
  local current=\${COMP_WORDS[COMP_CWORD]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} --help --version" -- "$current"))
    return
  fi
  COMPREPLY=()
  case \${COMP_WORDS[COMP_CWORD-1]} in
${valuesOf(commands)
  .map(
    ([flag, values]) =>
      `    ${flag}) COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$current")); return ;;`,
  )
  .join("\n")}
  esac
  if [ "$COMP_CWORD" -eq 2 ]; then
    case \${COMP_WORDS[1]} in
${commands
  .filter(({ parts }) => parts.length > 0)
  .map(({ name, parts }) => `      ${name}) COMPREPLY=($(compgen -W "${parts.join(" ")}" -- "$current")) ;;`)
  .join("\n")}
    esac
    [ "\${#COMPREPLY[@]}" -gt 0 ] && return
  fi
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
${commands.map(({ name, flags, parts }) => `    ${name}) _arguments ${parts.length > 0 ? `'1::command:(${parts.join(" ")})' ` : ""}'*:file:_files' ${flags.map(zshFlag).join(" ")} ;;`).join("\n")}
  esac
}
compdef _pool pool
`;

const zshFlag = ({ long, description, takesValue, values }: Flag): string => {
  const value = values.length > 0 ? `(${values.join(" ")})` : "_files";
  return quoted(`*${long}[${description.replace(/[[\]:]/g, " ")}]${takesValue ? `:value:${value}` : ""}`);
};

const fish = (commands: readonly Known[]): string =>
  [
    "# pool completion fish | source",
    ...commands.flatMap(({ name, description, flags, parts }) => [
      `complete -c pool -n __fish_use_subcommand -f -a ${name} -d ${fishQuoted(description)}`,
      ...parts.map((part) => `complete -c pool -n '__fish_seen_subcommand_from ${name}' -a ${part}`),
      ...flags.map(
        ({ long, short, description: what, takesValue, values }) =>
          `complete -c pool -n '__fish_seen_subcommand_from ${name}' -l ${long.slice(2)}${short ? ` -s ${short}` : ""}${values.length > 0 ? ` -x -a ${fishQuoted(values.join(" "))}` : takesValue ? " -r" : ""} -d ${fishQuoted(what)}`,
      ),
    ]),
    "",
  ].join("\n");

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const fishQuoted = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;
