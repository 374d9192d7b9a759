import { existsSync } from "node:fs";
import { register } from "node:module";
import { pathToFileURL } from "node:url";
import { nearest, type ToolLifecycleHooks } from "@agentpool/core";
import { type Operation, until } from "effection";
import { assertGuards, BUILT_IN_GUARDS, guardNames } from "./guards.ts";
import type { Harness } from "./harness.ts";
import { HarnessError } from "./problem.ts";
import type { HarnessProgram } from "./program.ts";

/**
 * The harness's own program, its guards checked against `harness.yml`; undefined where it has none.
 *
 * The module is run. A TypeScript one is loaded through [tsx](https://tsx.hirok.io). Throws `HarnessError` where the
 * file is missing or does not export a harness, or where harness.yml names a guard that is not there; what the module
 * itself throws comes with the error as its cause.
 */
export function* loadProgram(harness: Harness): Operation<HarnessProgram | undefined> {
  const { program: path } = harness;
  if (path === undefined) return undefined;
  const fail = (message: string, cause?: unknown): never => {
    const error = new HarnessError([
      { origin: harness.originOf(["program"], "value"), key: "program", message },
    ]);
    throw Object.assign(error, { cause });
  };
  if (!existsSync(path)) fail(`got ${path}, and there is no such file; it takes a path to a module.`);
  let module: { readonly default?: unknown };
  try {
    yield* loadsTypeScript(path);
    module = yield* until(import(pathToFileURL(path).href) as Promise<{ readonly default?: unknown }>);
  } catch (error) {
    return fail(
      `${path} could not be loaded: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  }
  const wrong = whatIsWrong(module.default);
  if (wrong)
    fail(
      `${path} ${wrong}; it takes \`export default defineHarness({ tools, hooks, *run(question) { … } })\`.`,
    );
  const program = module.default as HarnessProgram;
  assertGuards(harness, [...BUILT_IN_GUARDS, ...guardNames(hooksOf(program))]);
  return program;
}

/** Every opinion a program has: its tools' own and the harness's. */
const hooksOf = ({ tools = [], hooks = [] }: HarnessProgram): ToolLifecycleHooks[] => [
  ...tools.flatMap((tool) => tool.hooks ?? []),
  ...hooks,
];

const KEYS = ["tools", "hooks", "run"] as const;

function whatIsWrong(program: unknown): string | undefined {
  if (program === undefined) return "has no default export";
  if (typeof program !== "object" || program === null) return "exports no object by default";
  for (const key of Object.keys(program)) {
    const meant = misspelt(key);
    if (meant && !Object.hasOwn(program, meant))
      return `exports a harness with ${JSON.stringify(key)} (did you mean ${meant}?)`;
  }
  const { run, tools, hooks } = program as { run?: unknown; tools?: unknown; hooks?: unknown };
  if (typeof run !== "function") return "exports a harness without `run`";
  for (const [name, list] of Object.entries({ tools, hooks })) {
    if (list === undefined) continue;
    if (!Array.isArray(list)) return `exports a harness whose \`${name}\` are no list`;
    const at = list.findIndex((item) => typeof item !== "object" || item === null);
    if (at >= 0)
      return `exports a harness whose ${name}[${at}] is ${list[at] === null ? "null" : typeof list[at]}`;
  }
  return (
    noGuards(hooks as ToolLifecycleHooks[] | undefined, "hooks") ??
    noGuards(
      (tools as HarnessProgram["tools"])?.map(({ hooks }) => hooks ?? {}),
      "tools",
    )
  );
}

/** The key that one with the same beginning was meant for; others are the module's own affair. */
const misspelt = (key: string): string | undefined => {
  const meant = nearest(key, KEYS);
  return meant !== key && meant?.[0] === key[0]?.toLowerCase() ? meant : undefined;
};

/** Where `beforeDispatch` is something else than the list of guards that it takes. */
function noGuards(list: readonly unknown[] | undefined, name: string): string | undefined {
  for (const [i, hooks] of (list ?? []).entries())
    for (const { beforeDispatch } of [hooks].flat() as ToolLifecycleHooks[])
      if (beforeDispatch !== undefined && !Array.isArray(beforeDispatch))
        return `has a beforeDispatch at ${name}[${i}] that is ${typeof beforeDispatch === "function" ? "a function" : "an object"} and no list of guards, such as [{ name, message, reject }]`;
  return undefined;
}

let registered = false;

/** Makes `import()` take TypeScript, once per process. */
function* loadsTypeScript(path: string): Operation<void> {
  if (registered || !/\.[cm]?tsx?$/.test(path)) return;
  registered = true;
  // Where this file itself is TypeScript, something loads that already.
  if (!import.meta.url.endsWith(".ts")) (yield* until(import("tsx/esm/api"))).register();
  register("../hooks/typescript-is-esm.js", import.meta.url);
}
