import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { checkedOverrides } from "@agentpool/core";
import { DEFAULTS } from "./defaults.ts";
import { environmentLayer, misspeltVariables } from "./environment.ts";
import { assertGuards, BUILT_IN_GUARDS } from "./guards.ts";
import type { Harness, HarnessConfig } from "./harness.ts";
import { type Layer, layerOf, type Setting } from "./layer.ts";
import { assertMcpServers } from "./mcp-servers.ts";
import { type Entry, type Merged, merge, type Source } from "./merge.ts";
import { misspeltRoutes, modelsOf } from "./models.ts";
import { keyName } from "./problem.ts";
import { readHarnessFile } from "./read-file.ts";
import { validate, valueAt } from "./validate.ts";
import { yamlLayer } from "./yaml-layer.ts";

export interface LoadOptions {
  /** Where the command was called: harness.yml is looked for here, and paths of flags start here. */
  readonly cwd: string;
  /** A harness file to read instead, absolute or from `cwd`. It must exist. */
  readonly file?: string;
  /** The environment: `POOL_MODEL` and its like are read. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What the command's flags set. */
  readonly flags?: readonly Setting[];
}

/**
 * Reads and merges a harness: flags, then the environment, then `harness.local.yml`, then `harness.yml`, then the
 * defaults. Maps merge, lists replace, denies and approvals add up. Without any file there are the defaults.
 *
 * Throws `HarnessError` with a line for each thing that is wrong, naming file, line, column, key, what was found and
 * what is taken. A program's own guards are checked when it is loaded.
 */
export function loadHarness({ cwd, file, env = {}, flags = [] }: LoadOptions): Harness {
  const main = file === undefined ? lookFor(cwd) : resolve(cwd, file);
  const local = localOf(main ?? join(cwd, "harness.yml"));
  const show = (path: string) => (relative(cwd, path).startsWith("..") ? path : relative(cwd, path));
  const layers: Layer[] = [layerOf(flags), environmentLayer(env)];
  for (const path of [existsSync(local) ? local : undefined, main])
    if (path !== undefined) layers.push(yamlLayer(readHarnessFile(path, show(path)), show(path)));

  const sources = [...layers.map(validated), defaults];
  const merged = merge(sources);
  const config = merged.value as unknown as HarnessConfig;
  for (const names of [
    config.defaults.guards,
    config.policy.deny,
    config.policy.requireApproval,
    config.policy.grants,
    ...(config.policy.review?.tools ? [config.policy.review.tools] : []),
    ...(config.policy.review?.rules ?? []).flatMap(({ tools }) => (tools ? [tools] : [])),
  ])
    checkedOverrides(names);

  const folder = dirname(main ?? local);
  const harness: Harness = {
    config,
    entries: merged.entries,
    originOf: (path, part) =>
      sources.find(({ value }) => valueAt(value, path) !== undefined)?.origin(path, part) ?? {
        type: "default",
      },
    file: main,
    cwd,
    corpus: corpusOf(merged, folder, cwd),
    program: programOf(merged, folder, cwd),
    notices: misspeltVariables(env),
  };
  // The guards of a program are known once its module is loaded.
  if (harness.program === undefined) assertGuards(harness, BUILT_IN_GUARDS);
  assertMcpServers(harness);
  modelsOf(harness);
  return { ...harness, notices: [...harness.notices, ...misspeltRoutes(harness)] };
}

const validated = (layer: Layer): Source => ({ value: validate(layer), origin: layer.origin });

const defaults: Source = { value: DEFAULTS, origin: () => ({ type: "default" }) };

const lookFor = (cwd: string): string | undefined =>
  ["harness.yml", "harness.yaml"].map((name) => join(cwd, name)).find((path) => existsSync(path));

const localOf = (file: string): string => file.replace(/\.ya?ml$/, (ending) => `.local${ending}`);

const entryAt = ({ entries }: Merged, ...path: string[]): Entry | undefined =>
  entries.find((entry) => keyName(entry.path) === keyName(path));

/** Paths written in a file start from its folder, those of a flag or variable from where the command was called. */
const baseOf = (entry: Entry, folder: string, cwd: string): string =>
  entry.origins[0]?.type === "file" ? folder : cwd;

function corpusOf(merged: Merged, folder: string, cwd: string): Harness["corpus"] {
  const entry = entryAt(merged, "tools", "corpus", "path");
  if (!entry) return undefined;
  const paths = ([] as string[]).concat(entry.value as string | string[]);
  return { paths, cwd: baseOf(entry, folder, cwd) };
}

function programOf(merged: Merged, folder: string, cwd: string): string | undefined {
  const entry = entryAt(merged, "program");
  if (!entry) return undefined;
  const path = entry.value as string;
  return isAbsolute(path) ? path : resolve(baseOf(entry, folder, cwd), path);
}
