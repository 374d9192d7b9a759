import type { ZodType } from "zod";
import type { Answerable } from "../values/answer.ts";
import type { GuardInput, KeyedGuard, Scope, ToolGuard } from "../values/guard.ts";
import type { ToolLifecycleHooks } from "../values/hooks.ts";
import { identityOf, type Tool, validatorOf } from "../values/tool.ts";
import type { Key } from "./call-args.ts";
import { canonicalKey } from "./canonical.ts";
import { copy } from "./copy.ts";
import { selects } from "./names.ts";
import type { GuardSettings } from "./overrides.ts";

/** A tool with everything that is decided about it when its pool opens. */
export interface BoundTool {
  readonly tool: Tool;
  readonly name: string;
  readonly identity: string;
  readonly schema: ZodType;
  /** In the order they are asked. */
  readonly guards: readonly BoundGuard[];
  /** The tool's own, then the harness's, in the order they are asked. */
  readonly hooks: readonly ToolLifecycleHooks[];
  /** Whether a hook has a word on its executions, on what a call of it is, and on its results once they were read. */
  readonly judged: boolean;
  readonly rewritten: boolean;
  readonly followed: boolean;
}

/** A guard on one tool of one pool. */
export type BoundGuard = {
  readonly name: string;
  readonly scope: Scope;
  readonly onError: "refuse" | "proceed";
  readonly timeoutMs: number;
} & (
  | { readonly type: "keyed"; readonly key: Key; readonly message: string }
  | { readonly type: "predicate"; readonly message: string; reject(input: GuardInput): Answerable<boolean> }
  | { readonly type: "deciding"; decide(input: GuardInput): Answerable<unknown> }
);

export const HOOK_DEADLINE = 30_000;

/** Binds a tool to the guards and hooks that gate it. */
export function bindTool(
  tool: Tool,
  harness: readonly ToolLifecycleHooks[],
  settings: GuardSettings,
  keys: Keys,
): BoundTool {
  const identity = identityOf(tool);
  const named = { name: tool.name, identity };
  const hooks = [...hooksOf(tool), ...harness];
  const guards = new Set<ToolGuard>();
  for (const hook of hooks)
    for (const guard of hook.beforeDispatch ?? [])
      if (toolsOf(guard)?.some((pattern) => selects(pattern, named)) ?? true) guards.add(guard);
  const bound: BoundGuard[] = [];
  for (const guard of guards) {
    const setting = settings.of(guard.name);
    if (setting.enabled) bound.push(bindGuard(guard, setting.scope, identity, keys));
  }
  return {
    tool,
    ...named,
    schema: validatorOf(tool),
    guards: bound,
    hooks,
    judged: hooks.some((hook) => hook.afterExecute || hook.onResult),
    rewritten: hooks.some((hook) => hook.rewrite),
    followed: hooks.some((hook) => hook.afterAdmit),
  };
}

function bindGuard(guard: ToolGuard, scope: Scope, identity: string, keys: Keys): BoundGuard {
  const { name } = guard;
  if (typeof guard === "function")
    return { type: "deciding", name, scope, onError: "refuse", timeoutMs: HOOK_DEADLINE, decide: guard };
  const base = {
    name,
    scope,
    onError: guard.onError ?? "refuse",
    timeoutMs: guard.timeoutMs ?? HOOK_DEADLINE,
  };
  if ("key" in guard)
    return { ...base, type: "keyed", key: keys.of(guard, identity), message: guard.message };
  if ("reject" in guard)
    return { ...base, type: "predicate", message: guard.message, reject: (input) => guard.reject(input) };
  return { ...base, type: "deciding", decide: (input) => guard.decide(input) };
}

/** One key per guard and tool identity, shared by the pools of a tree. */
export class Keys {
  readonly #byTool = new Map<string, Map<KeyedGuard, Key>>();

  of(guard: KeyedGuard, identity: string): Key {
    const keys = this.#byTool.get(identity) ?? new Map<KeyedGuard, Key>();
    this.#byTool.set(identity, keys);
    const known = keys.get(guard);
    if (known) return known;
    const key: Key = { identity, slot: keys.size, compute: (args) => canonicalKey(guard.key(copy(args))) };
    keys.set(guard, key);
    return key;
  }
}

export const hooksOf = (tool: Tool): readonly ToolLifecycleHooks[] =>
  tool.hooks === undefined ? [] : Array.isArray(tool.hooks) ? tool.hooks : [tool.hooks as ToolLifecycleHooks];

/** The tools that a guard is for, as it names them; undefined: all. */
export const toolsOf = (guard: ToolGuard): readonly string[] | undefined =>
  typeof guard === "function" ? undefined : guard.tools;

/** The names of the guards that these hooks contribute. */
export const guardNames = (hooks: readonly ToolLifecycleHooks[]): string[] => [
  ...new Set(hooks.flatMap((hook) => (hook.beforeDispatch ?? []).map((guard) => guard.name))),
];
