import { type ReplayedRun, replayGuards } from "@agentpool/core";
import type { Operation } from "effection";
import { ownTurns } from "./own-turns.ts";
import type { RecordedRun } from "./recorded-run.ts";
import { type ReplaySettings, replayOf, settingsIn } from "./replay-settings.ts";
import type { Guarded } from "./with-guards.ts";

/** Replays a run under other settings than it had, or under its own. */
export function* replayRun(
  { tools, hooks }: Pick<Guarded, "tools" | "hooks">,
  { settings, entries }: RecordedRun,
  after: ReplaySettings,
): Operation<ReplayedRun> {
  const replay = replayOf(after, settingsIn(settings.config));
  return yield* replayGuards(entries, { tools, hooks, ownTurns: ownTurns(entries), ...replay });
}
