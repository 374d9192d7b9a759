import { ConfigurationError } from "../values/errors.ts";
import type { ToolGuard } from "../values/guard.ts";
import type { ToolLifecycleHooks } from "../values/hooks.ts";
import { checkList } from "./check-tools.ts";
import { nearest } from "./names.ts";
import { RESERVED } from "./overrides.ts";

const MOMENTS = [
  "onRoute",
  "beforeTurn",
  "rewrite",
  "onPropose",
  "beforeDispatch",
  "afterExecute",
  "beforeAdmit",
  "afterAdmit",
  "onResult",
  "onReturn",
  "onReviewing",
  "onReviewed",
];
const SETTINGS = ["name", "onError", "timeoutMs", "restarts"];

/** Throws where hooks name a moment there is not, or a guard cannot work. `where` names the place. */
export function checkHooks(hooks: readonly ToolLifecycleHooks[], where: string): void {
  hooks.forEach((hook, index) => {
    const place = `${where}[${index}]`;
    if (typeof hook !== "object" || hook === null)
      throw new ConfigurationError(`${place}: found ${typeof hook}; a hook is an object with moments.`);
    checkList(`${place}.beforeDispatch`, hook.beforeDispatch);
    checkSettings(hook, place);
    if (hook.restarts !== undefined && !(hook.restarts >= 0))
      throw new ConfigurationError(`${place}.restarts: found ${hook.restarts}; accepted are numbers from 0.`);
    for (const key of Object.keys(hook))
      if (!MOMENTS.includes(key) && !SETTINGS.includes(key) && /^(on|before|after|rewrite)/.test(key)) {
        const near = nearest(key, MOMENTS);
        throw new ConfigurationError(
          `${place}.${key}: there is no such moment${near ? `; did you mean ${near}?` : "."} Moments: ${MOMENTS.join(", ")}.`,
        );
      }
    for (const moment of MOMENTS)
      if (moment !== "beforeDispatch" && !isFunctionOrAbsent((hook as Record<string, unknown>)[moment]))
        throw new ConfigurationError(
          `${place}.${moment}: found ${typeof (hook as Record<string, unknown>)[moment]}; a moment is a function.`,
        );
    for (const [at, guard] of (hook.beforeDispatch ?? []).entries())
      checkGuard(guard, `${place}.beforeDispatch[${at}]`);
  });
}

function checkGuard(guard: ToolGuard, place: string): void {
  if (typeof guard !== "function" && (typeof guard !== "object" || guard === null))
    throw new ConfigurationError(
      `${place}: found ${guard === null ? "null" : typeof guard}; a guard is an object or a function.`,
    );
  if (typeof guard.name !== "string" || guard.name === "")
    throw new ConfigurationError(
      `${place}: a guard needs a name; it is the key it is configured and recorded by.`,
    );
  if ((RESERVED as readonly string[]).includes(guard.name))
    throw new ConfigurationError(
      `${place}: "${guard.name}" is a name of the framework's own refusals; choose another.`,
    );
  if (typeof guard === "function") return;
  checkSettings(guard, `${place} "${guard.name}"`);
  checkTools(guard.tools, `${place} "${guard.name}".tools`);
  const kinds = (["reject", "decide", "key"] as const).filter(
    (kind) => typeof (guard as unknown as Record<string, unknown>)[kind] === "function",
  );
  if (kinds.length !== 1)
    throw new ConfigurationError(
      `${place} "${guard.name}": found ${kinds.length ? kinds.join(" and ") : "none"} of reject, decide and key; a guard has exactly one.`,
    );
  if (kinds[0] !== "decide" && typeof (guard as { message?: unknown }).message !== "string")
    throw new ConfigurationError(
      `${place} "${guard.name}": needs a message, which the model reads in the call's place.`,
    );
}

function checkTools(tools: unknown, place: string): void {
  checkList(place, tools);
  for (const name of (tools ?? []) as readonly unknown[])
    if (typeof name !== "string" || name === "")
      throw new ConfigurationError(
        `${place}: found ${JSON.stringify(name)}; accepted are names, prefixes and identities of tools.`,
      );
}

const isFunctionOrAbsent = (value: unknown): boolean => value === undefined || typeof value === "function";

function checkSettings(
  { timeoutMs, onError }: { readonly timeoutMs?: number; readonly onError?: unknown },
  place: string,
): void {
  if (timeoutMs !== undefined && !(timeoutMs > 0))
    throw new ConfigurationError(
      `${place}.timeoutMs: found ${timeoutMs}; accepted are milliseconds above 0.`,
    );
  if (onError !== undefined && onError !== "refuse" && onError !== "proceed")
    throw new ConfigurationError(
      `${place}.onError: found ${JSON.stringify(onError)}; accepted are "refuse" and "proceed".`,
    );
}
