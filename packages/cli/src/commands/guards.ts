import {
  type GuardOverrides,
  type GuardReplay,
  type JournalEntry,
  type ReplayedCall,
  replayGuards,
} from "@agentpool/core";
import { type Harness, useTools } from "@agentpool/harness";
import { isRunEntry, type Store } from "@agentpool/journal";
import { type Operation, scoped } from "effection";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { compareGuards, type GuardComparison } from "../guards/compare-guards.ts";
import { CAVEAT, guardReport } from "../guards/guard-report.ts";
import { changedGuards, guardsOf, guardsYaml } from "../guards/guard-settings.ts";
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
  /** Changes of the guards that the run had. */
  readonly set?: readonly string[];
  /** A harness.yml whose guards to take instead. */
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
  const harness = harnessOf(
    io,
    flags.harness === undefined ? settings : { ...settings, file: flags.harness },
  );
  const report = yield* withGuards(harness, function* ({ tools, hooks, known }) {
    const before = guardsIn(settings.config);
    const base = flags.harness === undefined && flags.set ? before : harness.config.defaults.guards;
    const guards = changedGuards(base, flags.set ?? [], known);
    const comparison = yield* compared({ tools, hooks, entries, guards, before });
    return { run, guards, comparison };
  });
  if (flags.json)
    io.out.write(`${JSON.stringify({ run, guards: report.guards, ...report.comparison }, null, 2)}\n`);
  else io.out.write(guardReport(report, paletteFor(io.stdout, io.env)));
  return EXIT.done;
}

interface Guarded extends Required<Pick<GuardReplay, "tools" | "hooks">> {
  /** Names of the guards that there are. */
  readonly known: readonly string[];
}

/** Runs `body` with the tools and hooks of a harness, in which its guards are. */
const withGuards = <T>(harness: Harness, body: (guarded: Guarded) => Operation<T>): Operation<T> =>
  scoped(function* () {
    const { tools, program } = yield* useTools(harness);
    const hooks = program?.hooks ?? [];
    return yield* body({ tools, hooks, known: guardsOf(tools, hooks) });
  });

interface Comparing extends Pick<GuardReplay, "tools"> {
  readonly hooks: NonNullable<GuardReplay["hooks"]>;
  readonly entries: readonly JournalEntry[];
  readonly guards: GuardOverrides;
  /** Those that the run had. */
  readonly before: GuardOverrides;
}

function* compared({ tools, hooks, entries, guards, before }: Comparing): Operation<GuardComparison> {
  const replay = (settings: GuardOverrides): Operation<readonly ReplayedCall[]> =>
    replayGuards(entries, { tools, hooks, guards: settings });
  return compareGuards(yield* replay(guards), yield* replay(before));
}

function* recordOf(
  store: Store,
  run: string,
): Operation<{ readonly settings: RunSettings; readonly entries: readonly JournalEntry[] }> {
  const record = yield* store.record(run);
  const { settings } = beginningOf(run, record);
  return { settings, entries: record.filter((entry): entry is JournalEntry => !isRunEntry(entry)) };
}

const guardsIn = (config: unknown): GuardOverrides =>
  (config as { defaults?: { guards?: GuardOverrides } } | undefined)?.defaults?.guards ?? {};

/** Runs that are looked at, the newest. */
const RUNS = 50;

function* suggest(io: Console, meant: string | undefined, flags: GuardsFlags): Operation<ExitCode> {
  const store = yield* useStore(io, flags);
  const runs = store
    ? meant === undefined
      ? (yield* store.runs({ limit: flags.limit ?? RUNS })).map(({ id }) => id)
      : [yield* store.find(meant)]
    : [];
  const [newest] = runs;
  if (!store || newest === undefined)
    throw new UsageError("No run is on record here yet; pool run begins one.");
  const { settings } = yield* recordOf(store, newest);
  const suggestions = yield* withGuards(harnessOf(io, settings), function* ({ tools, hooks, known }) {
    const changes = candidates(guardsIn(settings.config), known);
    const found = changes.map(() => [] as GuardComparison[]);
    for (const run of runs) {
      const { settings: own, entries } = yield* recordOf(store, run);
      const before = guardsIn(own.config);
      for (const [at, { guard, setting }] of changes.entries()) {
        const guards = { ...before, [guard]: setting! };
        found[at]!.push(yield* compared({ tools, hooks, entries, guards, before }));
      }
    }
    return ranked(changes.map((change, at) => suggestion(change, found[at]!)));
  });
  if (flags.json) io.out.write(`${JSON.stringify(suggestions, null, 2)}\n`);
  else io.out.write(suggestionReport(suggestions, runs.length));
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
    `${CAVEAT}\n\n`,
    guardsYaml({ [guard]: setting! }),
  ].join("");
}
