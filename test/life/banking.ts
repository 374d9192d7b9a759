import { type GuardFunction, type GuardInput, refuse, requireApproval, substitute } from "@agentpool/core";

export const flagged = new Set<string>();

export async function policy({ tool, args, run }: GuardInput) {
  await null;
  if (tool === "send_email" && (args.to as string[]).length > 10)
    return requireApproval("More than 10 recipients");
  if (flagged.has(run)) return refuse("Tools locked: prompt injection detected");
  if (tool === "delete_rows" && Number(args.count) > 100) return substitute({ status: "held_for_review" });
  return undefined;
}

/** A policy that answers one thing about every call but the report. */
export const saying =
  (answer: unknown): GuardFunction =>
  ({ tool }) =>
    (tool === "report" ? undefined : answer) as never;
