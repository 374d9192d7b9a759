import type { JournalEntry } from "@agentpool/core";
import { submitBrief, submitPlan } from "@agentpool/research";

/** Terminal tools of the research job's stages that have so many turns, whatever `maxTurns` says. */
const FIXED = [submitPlan(1).name, submitBrief().name];

/** Pools of a record whose turns the research job limits itself. */
export const ownTurns = (entries: readonly JournalEntry[]): readonly string[] =>
  entries.flatMap((entry) =>
    entry.type === "pool:opened" && entry.tools.some((tool) => FIXED.includes(tool)) ? [entry.pool] : [],
  );
