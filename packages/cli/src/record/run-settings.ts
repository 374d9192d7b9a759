import { resolve } from "node:path";
import { configOnRecord, type Earlier, type Harness, loadHarness, type Setting } from "@agentpool/harness";
import { type StoredEntry, withoutPassword } from "@agentpool/journal";
import { type HarnessFlags, settingsOf } from "../harness-flags.ts";
import type { Io } from "../io.ts";
import { UsageError } from "../usage-error.ts";

/** What a run was started with, as its record has it: enough to load its harness again. */
export interface RunSettings {
  readonly cwd: string;
  /** The harness file that was named; absent: the one in `cwd`, if there is one. */
  readonly file?: string;
  readonly flags: readonly Setting[];
  /** What it follows up on. */
  readonly earlier?: Earlier;
  /** The configuration as it was resolved, to read and to compare with. */
  readonly config: unknown;
}

export const settingsToRecord = (
  harness: Harness,
  { file, flags }: { readonly file?: string | undefined; readonly flags: readonly Setting[] },
): RunSettings => ({
  cwd: harness.cwd,
  ...(file === undefined ? {} : { file }),
  flags: flags.map((flag) => ({ ...flag, value: unlocked(flag.value) })),
  config: configOnRecord(harness.config),
});

/** The password of a store is nobody's business who reads the run: whoever takes it up has opened the store. */
const unlocked = (value: unknown): unknown => (typeof value === "string" ? withoutPassword(value) : value);

/** The question and the settings that a run's record begins with. */
export function beginningOf(
  run: string,
  history: readonly StoredEntry[],
): { readonly question: string; readonly settings: RunSettings } {
  for (const entry of history)
    if (entry.type === "run:started" && isSettings(entry.settings))
      return { question: entry.question, settings: entry.settings };
  throw new UsageError(`Run ${run} was not begun by pool run: take it up by the program that began it.`);
}

/** A program that records its own runs has settings of its own. */
const isSettings = (value: unknown): value is RunSettings => {
  const { cwd, flags } = (value ?? {}) as Partial<RunSettings>;
  return typeof cwd === "string" && Array.isArray(flags);
};

/**
 * The harness of a run, as it stands now, and what to record of it: files and environment of today, another file where
 * one is named, flags of then, and those of now on top.
 */
export function harnessOf(
  io: Io,
  then: RunSettings,
  flags: HarnessFlags = {},
): { readonly harness: Harness; readonly settings: RunSettings } {
  // a path on the command line starts where the command is called, one on record where it was called then
  const file = flags.file === undefined ? then.file : resolve(io.cwd, flags.file);
  const all = [...then.flags, ...settingsOf(flags)];
  const named = file === undefined ? {} : { file };
  const harness = loadHarness({ cwd: then.cwd, env: io.env, flags: all, ...named });
  const earlier = then.earlier ? { earlier: then.earlier } : {};
  return { harness, settings: { ...settingsToRecord(harness, { file, flags: all }), ...earlier } };
}
