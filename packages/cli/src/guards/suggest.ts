import type { JournalEntry, ReplayedCall } from "@agentpool/core";
import type { Store } from "@agentpool/journal";
import type { Operation } from "effection";
import type { Io } from "../io.ts";
import { harnessOf } from "../record/run-settings.ts";
import { table } from "../table.ts";
import { UsageError } from "../usage-error.ts";
import { counted, lasting, short } from "../words.ts";
import { compareGuards, type GuardComparison } from "./compare-guards.ts";
import { isReview, notKnown } from "./not-known.ts";
import { type RecordedRun, recordedRun } from "./recorded-run.ts";
import { replayRun } from "./replay-run.ts";
import { settingsIn } from "./replay-settings.ts";
import { settingsYaml } from "./settings-yaml.ts";
import { candidates, type GuardSuggestion, ranked, suggestion } from "./suggest-guards.ts";
import { withGuards } from "./with-guards.ts";

export interface Suggested {
  readonly suggestions: readonly GuardSuggestion[];
  /** Runs that were looked at: those that `pool run` began. */
  readonly runs: number;
}

/** Ranks changes of guards by what they would have saved over these runs, newest first. */
export function* suggest(io: Io, store: Store, ids: readonly string[]): Operation<Suggested> {
  const { settings } = yield* newest(store, ids);
  const { harness } = harnessOf(io, settings);
  const { program } = harness.config;
  const reviews = harness.config.policy.review !== undefined;
  let runs = 0;
  const suggestions = yield* withGuards(harness, function* (guarded) {
    const found = candidates(settingsIn(settings.config).guards, guarded.known).map((change) => ({
      change,
      comparisons: [] as GuardComparison[],
      calls: [] as ReplayedCall[],
      entries: [] as JournalEntry[],
    }));
    for (const id of ids) {
      const run = yield* attempted(() => recordedRun(store, id));
      if (run.type === "not ours") continue;
      runs++;
      const own = settingsIn(run.value.settings.config);
      const before = yield* replayRun(guarded, run.value, own);
      for (const { change, comparisons, calls, entries } of found) {
        const guards = { ...own.guards, [change.guard]: change.setting! };
        const after = yield* replayRun(guarded, run.value, { ...own, guards });
        const comparison = compareGuards(after, before);
        comparisons.push(comparison);
        if (comparison.changes.length === 0) continue;
        for (const call of after.calls) if (call.unknownTool || call.broken.length > 0) calls.push(call);
        for (const entry of run.value.entries) if (isReview(entry)) entries.push(entry);
      }
    }
    return ranked(
      found.map(({ change, comparisons, calls, entries }) => {
        const sum = {
          changes: comparisons.flatMap((one) => one.changes),
          uncertain: comparisons.reduce((total, one) => total + one.uncertain, 0),
        };
        return suggestion(change, comparisons, notKnown(sum, { calls, entries, program, reviews }));
      }),
    );
  });
  return { suggestions, runs };
}

type Attempt<T> =
  | { readonly type: "read"; readonly value: T }
  /** A program of somebody's own recorded it, and only that can replay it. */
  | { readonly type: "not ours"; readonly error: UsageError };

function* attempted<T>(read: () => Operation<T>): Operation<Attempt<T>> {
  try {
    return { type: "read", value: yield* read() };
  } catch (error) {
    if (error instanceof UsageError) return { type: "not ours", error };
    throw error;
  }
}

/** The newest run that pool run began. */
function* newest(store: Store, ids: readonly string[]): Operation<RecordedRun> {
  let problem: UsageError | undefined;
  for (const id of ids) {
    const run = yield* attempted(() => recordedRun(store, id));
    if (run.type === "read") return run.value;
    problem ??= run.error;
  }
  throw problem;
}

/** The changes as people read them: what each would have refused and saved, what is not known, and the yaml of the first. */
export function suggestionReport({ suggestions, runs }: Suggested): string {
  if (suggestions.length === 0)
    return `No guard would have saved a call in ${counted(runs, "run")} by looking further.\n`;
  const rows = suggestions.map(({ guard, setting, runs: changed, refused, tokensSaved, msSaved }) => [
    `${guard}${setting === false ? "=false" : `.scope=${setting?.scope}`}`,
    String(changed),
    String(refused),
    short(tokensSaved),
    lasting(msSaved),
  ]);
  const { guard, setting } = suggestions[0]!;
  return [
    table([["--set", "runs", "calls", "tokens", "time"], ...rows]),
    `Over ${counted(runs, "run")}: what each change alone would have refused, and saved. See one with pool guards RUN --set …\n`,
    `Not known:\n${[...new Set(suggestions.flatMap((one) => one.notKnown))].map((what) => `- ${what}\n`).join("")}\n`,
    settingsYaml({ ...settingsIn({}), guards: { [guard]: setting! } }, settingsIn({})),
  ].join("");
}
