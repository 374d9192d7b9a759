import { type GuardReplay, type JournalEntry, type ReplayedCall, replayGuards } from "@agentpool/core";
import { type Harness, useTools } from "@agentpool/harness";
import { isRunEntry, type Store } from "@agentpool/journal";
import { type Operation, scoped } from "effection";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { changedSettings, type KnownNames } from "../guards/change-settings.ts";
import { compareGuards, type GuardComparison } from "../guards/compare-guards.ts";
import { type GuardReport, guardReport } from "../guards/guard-report.ts";
import { guardsOf } from "../guards/guards-of.ts";
import { isReview, notKnown } from "../guards/not-known.ts";
import { type ReplaySettings, replayOf, settingsIn } from "../guards/replay-settings.ts";
import { settingsYaml } from "../guards/settings-yaml.ts";
import { candidates, type GuardSuggestion, ranked, suggestion } from "../guards/suggest-guards.ts";
import type { Console } from "../io.ts";
import { paletteFor } from "../palette.ts";
import { beginningOf, harnessOf, type RunSettings } from "../record/run-settings.ts";
import { type StoreFlags, useRecordedRun, useStore } from "../record/use-store.ts";
import { table } from "../table.ts";
import { UsageError } from "../usage-error.ts";
import { counted, lasting, short } from "../words.ts";

export interface GuardsFlags extends StoreFlags {
  readonly json?: boolean;
  /** Changes of the settings that the run had. */
  readonly set?: readonly string[];
  /** A harness.yml whose settings to take instead. */
  readonly harness?: string;
  /** Ranks changes by what they would have saved. */
  readonly suggest?: boolean;
  readonly limit?: number;
}

/** `pool guards`: what other guard settings would have made of a recorded run. */
export function* guardsCommand(
  io: Console,
  meant: string | undefined,
  flags: GuardsFlags,
): Operation<ExitCode> {
  if (flags.suggest) return yield* suggest(io, meant, flags);
  if (meant === undefined)
    throw new UsageError("Name a run, such as latest; or ask for --suggest over all of them.");
  const { store, run } = yield* useRecordedRun(io, flags, meant);
  const { settings, entries } = yield* recordOf(store, run);
  const { harness } = harnessOf(io, settings, flags.harness === undefined ? {} : { file: flags.harness });
  const report = yield* withGuards(harness, function* (guarded): Operation<GuardReport> {
    const before = settingsIn(settings.config);
    const base = flags.harness === undefined && flags.set ? before : settingsIn(harness.config);
    const after = changedSettings(base, flags.set ?? [], namesIn(guarded, entries));
    const { comparison, calls } = yield* compared({ ...guarded, entries, after, before });
    const reviews = harness.config.policy.review !== undefined;
    const unknown = notKnown(comparison, { calls, entries, program: harness.config.program, reviews });
    return { run, settings: after, before, comparison, notKnown: unknown };
  });
  if (flags.json) io.out.write(`${JSON.stringify(shown(report), null, 2)}\n`);
  else io.out.write(guardReport(report, paletteFor(io.stdout, io.env)));
  return EXIT.done;
}

/** A report for programs; guards have a place of their own beside the other settings. */
function shown({ run, settings, comparison, notKnown: unknown }: GuardReport): object {
  const { guards, ...others } = settings;
  return { run, guards, settings: others, ...comparison, notKnown: unknown };
}

interface Guarded extends Required<Pick<GuardReplay, "tools" | "hooks">> {
  /** Names of the guards that there are. */
  readonly known: readonly string[];
}

/** Runs `body` with the tools and hooks of a harness, in which its guards are. MCP servers have none, and stay alone. */
const withGuards = <T>(harness: Harness, body: (guarded: Guarded) => Operation<T>): Operation<T> =>
  scoped(function* () {
    const { tools, program } = yield* useTools(harness, { servers: false });
    const hooks = program?.hooks ?? [];
    return yield* body({ tools, hooks, known: guardsOf(tools, hooks) });
  });

/** What settings may name: guards there are, tools there are and those of the run. */
function namesIn({ known, tools }: Guarded, entries: readonly JournalEntry[]): KnownNames {
  const called = entries.flatMap((entry) => (entry.type === "call:proposed" ? [entry.tool] : []));
  return { guards: known, tools: [...new Set([...tools.map(({ name }) => name), ...called])].sort() };
}

interface Comparing extends Pick<Guarded, "tools" | "hooks"> {
  readonly entries: readonly JournalEntry[];
  readonly after: ReplaySettings;
  /** Those that the run had. */
  readonly before: ReplaySettings;
}

function* compared({ tools, hooks, entries, after, before }: Comparing): Operation<{
  readonly comparison: GuardComparison;
  readonly calls: readonly ReplayedCall[];
}> {
  const replay = (settings: ReplaySettings): Operation<readonly ReplayedCall[]> =>
    replayGuards(entries, { tools, hooks, ...replayOf(settings, before) });
  const calls = yield* replay(after);
  return { calls, comparison: compareGuards(calls, yield* replay(before)) };
}

function* recordOf(
  store: Store,
  run: string,
): Operation<{ readonly settings: RunSettings; readonly entries: readonly JournalEntry[] }> {
  const record = yield* store.record(run);
  const { settings } = beginningOf(run, record);
  return { settings, entries: record.filter((entry): entry is JournalEntry => !isRunEntry(entry)) };
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

/** What the newest run has that pool run began. */
function* newestSettings(store: Store, ids: readonly string[]): Operation<RunSettings> {
  let problem: UsageError | undefined;
  for (const run of ids) {
    const recorded = yield* attempted(() => recordOf(store, run));
    if (recorded.type === "read") return recorded.value.settings;
    problem ??= recorded.error;
  }
  throw problem;
}

/** Runs that are looked at, the newest. */
const RUNS = 50;

function* suggest(io: Console, meant: string | undefined, flags: GuardsFlags): Operation<ExitCode> {
  const store = yield* useStore(io, flags);
  const listed = store && meant === undefined ? yield* store.runs({ limit: flags.limit ?? RUNS }) : [];
  if (!store || (meant === undefined && listed.length === 0))
    throw new UsageError("No run is on record here yet; pool run begins one.");
  const ids = meant === undefined ? listed.map(({ id }) => id) : [yield* store.find(meant)];
  const settings = yield* newestSettings(store, ids);
  const { harness } = harnessOf(io, settings);
  let runs = 0;
  const suggestions = yield* withGuards(harness, function* ({ tools, hooks, known }) {
    const changes = candidates(settingsIn(settings.config).guards, known);
    const found = changes.map(() => [] as GuardComparison[]);
    const all = changes.map(() => ({ calls: [] as ReplayedCall[], entries: [] as JournalEntry[] }));
    for (const run of ids) {
      const recorded = yield* attempted(() => recordOf(store, run));
      if (recorded.type === "not ours") continue;
      const { settings: own, entries } = recorded.value;
      runs++;
      const before = settingsIn(own.config);
      for (const [at, { guard, setting }] of changes.entries()) {
        const after = { ...before, guards: { ...before.guards, [guard]: setting! } };
        const { comparison, calls } = yield* compared({ tools, hooks, entries, after, before });
        found[at]!.push(comparison);
        if (comparison.changes.length === 0) continue;
        for (const call of calls) if (call.unknownTool || call.broken.length > 0) all[at]!.calls.push(call);
        for (const entry of entries) if (isReview(entry)) all[at]!.entries.push(entry);
      }
    }
    const reviews = harness.config.policy.review !== undefined;
    const unknown = all.map((replayed, at) => {
      const sum = {
        changes: found[at]!.flatMap((one) => one.changes),
        uncertain: found[at]!.reduce((total, one) => total + one.uncertain, 0),
      };
      return notKnown(sum, { ...replayed, program: harness.config.program, reviews });
    });
    return ranked(changes.map((change, at) => suggestion(change, found[at]!, unknown[at]!)));
  });
  if (flags.json) io.out.write(`${JSON.stringify(suggestions, null, 2)}\n`);
  else io.out.write(suggestionReport(suggestions, runs));
  return EXIT.done;
}

function suggestionReport(suggestions: readonly GuardSuggestion[], runs: number): string {
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
