import { configOnRecord } from "@agentpool/harness";
import type { Store } from "@agentpool/journal";
import type { Operation } from "effection";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { changedSettings } from "../guards/change-settings.ts";
import { compareGuards } from "../guards/compare-guards.ts";
import { type GuardReport, guardReport } from "../guards/guard-report.ts";
import { notKnown } from "../guards/not-known.ts";
import { type RecordedRun, recordedRun } from "../guards/recorded-run.ts";
import { replayRun } from "../guards/replay-run.ts";
import { changedLimits, raisedLimits, settingsIn } from "../guards/replay-settings.ts";
import { suggest, suggestionReport } from "../guards/suggest.ts";
import { unreplayed } from "../guards/unreplayed.ts";
import { namesIn, withGuards } from "../guards/with-guards.ts";
import type { Console } from "../io.ts";
import { paletteFor } from "../palette.ts";
import { harnessOf } from "../record/run-settings.ts";
import { type StoreFlags, useRecordedRun, useStore } from "../record/use-store.ts";
import { UsageError } from "../usage-error.ts";

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

/** `pool guards`: what other settings would have made of a recorded run. */
export function* guardsCommand(
  io: Console,
  meant: string | undefined,
  flags: GuardsFlags,
): Operation<ExitCode> {
  if (flags.suggest) return yield* suggestCommand(io, meant, flags);
  if (meant === undefined)
    throw new UsageError("Name a run, such as latest; or ask for --suggest over all of them.");
  const { store, run } = yield* useRecordedRun(io, flags, meant);
  const report = yield* reportOn(io, run, yield* recordedRun(store, run), flags);
  if (flags.json) io.out.write(`${JSON.stringify(shown(report), null, 2)}\n`);
  else io.out.write(guardReport(report, paletteFor(io.stdout, io.env), io.stdout.columns));
  return EXIT.done;
}

function* reportOn(
  io: Console,
  run: string,
  recorded: RecordedRun,
  flags: GuardsFlags,
): Operation<GuardReport> {
  const { settings: then, entries } = recorded;
  const { harness } = harnessOf(io, then, flags.harness === undefined ? {} : { file: flags.harness });
  const { program, policy } = harness.config;
  const isFromFile = flags.harness !== undefined || !flags.set;
  return yield* withGuards(harness, function* (guarded) {
    const before = settingsIn(then.config);
    const base = isFromFile ? settingsIn(harness.config) : before;
    const settings = changedSettings(base, flags.set ?? [], namesIn(guarded, entries));
    const replayed = yield* replayRun(guarded, recorded, settings);
    const comparison = compareGuards(replayed, yield* replayRun(guarded, recorded, before));
    const unknown = notKnown(comparison, {
      ...replayed,
      entries,
      isOver: recorded.isOver,
      program,
      reviews: policy.review !== undefined,
      limits: { changed: changedLimits(settings, before), raised: raisedLimits(settings, before) },
      unreplayed: isFromFile ? unreplayed(asRecorded(configOnRecord(harness.config)), then.config) : [],
    });
    return { run, settings, before, comparison, notKnown: unknown };
  });
}

/** A configuration as it looks once it has been written down. */
const asRecorded = (config: unknown): unknown => JSON.parse(JSON.stringify(config));

/** A report for programs; guards have a place of their own beside the other settings. */
function shown({ run, settings, comparison, notKnown: unknown }: GuardReport): object {
  const { guards, ...others } = settings;
  return { run, guards, settings: others, ...comparison, notKnown: unknown };
}

/** Runs that are looked at, the newest. */
const RUNS = 50;

function* suggestCommand(io: Console, meant: string | undefined, flags: GuardsFlags): Operation<ExitCode> {
  const { store, ids } = yield* runsMeant(io, meant, flags);
  const suggested = yield* suggest(io, store, ids);
  if (flags.json) io.out.write(`${JSON.stringify(suggested.suggestions, null, 2)}\n`);
  else io.out.write(suggestionReport(suggested));
  return EXIT.done;
}

function* runsMeant(
  io: Console,
  meant: string | undefined,
  flags: GuardsFlags,
): Operation<{ readonly store: Store; readonly ids: readonly string[] }> {
  if (meant !== undefined) {
    const { store, run } = yield* useRecordedRun(io, flags, meant);
    return { store, ids: [run] };
  }
  const store = yield* useStore(io, flags);
  const listed = store ? yield* store.runs({ limit: flags.limit ?? RUNS }) : [];
  if (!store || listed.length === 0)
    throw new UsageError("No run is on record here yet; pool run begins one.");
  return { store, ids: listed.map(({ id }) => id) };
}
