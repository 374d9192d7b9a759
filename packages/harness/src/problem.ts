import { ConfigurationError } from "@agentpool/core";
import { withoutPassword } from "@agentpool/journal";
import { describeOrigin, type Origin } from "./origin.ts";

/** One thing that is wrong with the configuration: where, at which key, and in words what was found and what is taken. */
export interface Problem {
  readonly origin: Origin;
  /** `defaults.guards.url_dedup`; empty where it is about the whole file. */
  readonly key: string;
  readonly message: string;
}

/** Problems that a message has lines for. */
const SHOWN = 20;

/** A configuration that cannot be used. Its message has a line for every {@link Problem}, as far as a screen has them. */
export class HarnessError extends ConfigurationError {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    const more =
      problems.length > SHOWN ? [`… and ${problems.length - SHOWN} more problems like these.`] : [];
    super([...problems.slice(0, SHOWN).map(describeProblem), ...more].join("\n"));
    this.problems = problems;
  }
}

export const describeProblem = ({ origin, key, message }: Problem): string =>
  `${describeOrigin(origin)}: ${key}${key ? " " : ""}${message}`;

/** Keys as they are written: `tools.mcp.servers."my.server".args[2]`. */
export function keyName(path: readonly PropertyKey[]): string {
  let name = "";
  for (const part of path) {
    if (typeof part === "number") name += `[${part}]`;
    else
      name += `${name ? "." : ""}${/^[\w-]+$/.test(String(part)) ? String(part) : JSON.stringify(String(part))}`;
  }
  return name;
}

/** A found value, short enough for a message; passwords of URLs are no part of it. */
export function found(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  if (typeof value === "number") return String(value);
  const shown = JSON.stringify(typeof value === "string" ? withoutPassword(value) : value) ?? String(value);
  return shown.length > 60 ? `${shown.slice(0, 57)}…` : shown;
}
