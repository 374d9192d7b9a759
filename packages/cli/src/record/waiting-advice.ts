import type { ApprovalView } from "@agentpool/journal";
import { callLabel } from "../call-label.ts";
import { counted } from "../words.ts";

/** What to do about a run in which everybody waits for people. */
export function waitingAdvice(run: string, approvals: readonly ApprovalView[]): string {
  const lines = approvals.map(
    ({ id, tool, args, reason }) =>
      `  ${id}  ${callLabel(tool, (args ?? {}) as Record<string, unknown>)}  (${reason})`,
  );
  return [
    `${counted(approvals.length, "call")} of run ${run} ${approvals.length === 1 ? "waits" : "wait"} for a person, and nothing else is left to do:`,
    ...lines,
    "Decide, and carry on:",
    `  pool approve ${approvals[0]?.id ?? "ID"}, or pool deny ${approvals[0]?.id ?? "ID"} --reason "…"`,
    `  pool resume ${run}`,
  ].join("\n");
}
