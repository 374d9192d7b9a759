import type { Effort } from "@agentpool/core";
import type { Setting } from "@agentpool/harness";
import { type Command, Option } from "commander";

/** The flags that every command takes which loads a harness, as commander gives them. */
export interface HarnessFlags {
  readonly file?: string;
  readonly model?: string;
  readonly corpus?: readonly string[];
  readonly effort?: string;
  readonly budget?: readonly string[];
  readonly guard?: readonly string[];
  readonly grant?: readonly string[];
  readonly deny?: readonly string[];
  readonly requireApproval?: readonly string[];
  readonly store?: string;
}

const collected = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** Said here once more: help is shown without loading what runs. */
const EFFORTS: Readonly<Record<Effort, true>> = { min: true, low: true, medium: true, high: true, max: true };

/** With what it takes known to help and completion; what is wrong with it harness.yml's own words say. */
function effort(): Option {
  const option = new Option("--effort <effort>", "how hard to try");
  option.argChoices = Object.keys(EFFORTS);
  return option;
}

/** Adds the flags that say which harness to load, and which models it gets. */
export const withModelFlags = (command: Command): Command =>
  command
    .option("-f, --file <path>", "the harness to load (default: harness.yml here, if there is one)")
    .option("-m, --model <name>", "the model: extractive, provider/model, or llama:path.gguf")
    .addOption(effort());

/** Adds the flags that say which harness to load and what to change in it. */
export const withHarnessFlags = (command: Command): Command =>
  withModelFlags(command)
    .addOption(
      new Option(
        "-c, --corpus <path>",
        "a folder, file or glob of documents; may be given several times",
      ).argParser(collected),
    )
    .option("--store <url>", "where the run is recorded: sqlite:PATH, postgres://…, or none")
    .addOption(
      new Option(
        "-b, --budget <limit=value>",
        "a limit, such as maxTurns=5; may be given several times",
      ).argParser(collected),
    )
    .addOption(
      new Option(
        "-g, --guard <change>",
        "a guard, such as url_dedup.scope=cohort or url_dedup=false; may be given several times",
      ).argParser(collected),
    )
    .addOption(
      new Option("--grant <tool>", "let the run call a protected tool; may be given several times").argParser(
        collected,
      ),
    )
    .addOption(
      new Option(
        "--require-approval <tool>",
        "a tool whose every call you are asked about; may be given several times",
      ).argParser(collected),
    )
    .addOption(
      new Option("--deny <tool>", "a tool that may not run; may be given several times").argParser(collected),
    );

/** What the flags set, each with the flag as its origin. */
export function settingsOf(flags: HarnessFlags): Setting[] {
  const setting = (name: string, path: string[], value: unknown): Setting[] =>
    value === undefined ? [] : [{ origin: { type: "flag", name }, path, value }];
  return [
    ...setting("--model", ["model"], flags.model),
    ...setting("--corpus", ["tools", "corpus", "path"], flags.corpus),
    ...setting("--store", ["store"], flags.store),
    ...setting("--effort", ["defaults", "effort"], flags.effort),
    ...setting("--grant", ["policy", "grants"], flags.grant),
    ...setting("--deny", ["policy", "deny"], flags.deny),
    ...setting("--require-approval", ["policy", "requireApproval"], flags.requireApproval),
    ...(flags.guard ?? []).flatMap((change) => {
      const [, name = change, scope, value = ""] = /^([^.=]+)(\.scope)?=(.*)$/s.exec(change) ?? [];
      const path = ["defaults", "guards", name, ...(scope ? ["scope"] : [])];
      return setting(`--guard ${change}`, path, !scope && value === "false" ? false : value);
    }),
    ...(flags.budget ?? []).flatMap((limit) => {
      const [name, value = ""] = limit.split(/=(.*)/s);
      return setting(`--budget ${limit}`, ["defaults", "budget", ...name!.split(".")], numberIn(value));
    }),
  ];
}

/** Text that is no number stays text: the error then says what was given. */
const numberIn = (text: string): unknown => (/^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text);
