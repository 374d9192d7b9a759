import type { ApprovalView } from "@agentpool/journal";
import { callLabel } from "../call-label.ts";
import { counted } from "../words.ts";

/** What to do about a run in which everybody waits for people; `flags` find its store. */
export function waitingAdvice(run: string, approvals: readonly ApprovalView[], flags: string): string {
  const lines = approvals.map(
    ({ id, tool, args, reason }) =>
      `  ${id}  ${callLabel(tool, (args ?? {}) as Record<string, unknown>)}  (${reason})`,
  );
  const id = approvals[0]?.id ?? "ID";
  return [
    `${counted(approvals.length, "call")} of run ${run} ${approvals.length === 1 ? "waits" : "wait"} for a person, and nothing else is left to do:`,
    ...lines,
    "Decide, and carry on:",
    `  pool approve ${id}${flags}, or pool deny ${id}${flags} --reason "…"`,
    `  pool resume ${run}${flags}`,
  ].join("\n");
}
