import type { GuardReplay, JournalEntry } from "@agentpool/core";
import { type Harness, useTools } from "@agentpool/harness";
import { type Operation, scoped } from "effection";
import type { KnownNames } from "./change-settings.ts";
import { guardsOf } from "./guards-of.ts";

/** The tools and hooks of a harness, in which its guards are. */
export interface Guarded extends Required<Pick<GuardReplay, "tools" | "hooks">> {
  /** Names of the guards that there are. */
  readonly known: readonly string[];
}

/** Runs `body` with the tools and hooks of a harness. MCP servers have no guards, and stay alone. */
export const withGuards = <T>(harness: Harness, body: (guarded: Guarded) => Operation<T>): Operation<T> =>
  scoped(function* () {
    const { tools, program } = yield* useTools(harness, { servers: false });
    const hooks = program?.hooks ?? [];
    return yield* body({ tools, hooks, known: guardsOf(tools, hooks) });
  });

/** What settings may name: guards there are, tools there are and those of the run. */
export function namesIn({ known, tools }: Guarded, entries: readonly JournalEntry[]): KnownNames {
  const called = entries.flatMap((entry) => (entry.type === "call:proposed" ? [entry.tool] : []));
  return { guards: known, tools: [...new Set([...tools.map(({ name }) => name), ...called])].sort() };
}
