import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Harness, loadHarness } from "@agentpool/harness";
import { openStore, type Store, secretsRedactor, storePlace, withoutPassword } from "@agentpool/journal";
import type { Operation } from "effection";
import { settingsOf } from "../harness-flags.ts";
import type { Io } from "../io.ts";
import { UsageError } from "../usage-error.ts";

/** The flags of every command that reads the record. */
export interface StoreFlags {
  readonly file?: string;
  readonly store?: string;
}

/**
 * The flags with which another command finds the same store, as they are written behind it. A store whose URL has a
 * password is left out: {@link storeReminder} says how it is found.
 */
export const sameStore = ({ file, store }: StoreFlags): string =>
  [
    ...(file === undefined ? [] : [` -f ${quoted(file)}`]),
    ...(store === undefined || hasPassword(store) ? [] : [` --store ${quoted(store)}`]),
  ].join("");

/** A line on how commands find a store whose URL is not to be printed; empty where their flags say it. */
export const storeReminder = ({ store }: StoreFlags): string =>
  store !== undefined && hasPassword(store)
    ? `\nIts password is not printed: have POOL_STORE hold the URL of ${withoutPassword(store)} for these commands.`
    : "";

const hasPassword = (url: string): boolean => withoutPassword(url) !== url;

const quoted = (text: string): string =>
  /^[\w./:@=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Where a harness records its runs; undefined: it does not. */
export function storeOf(harness: Harness): { readonly url: string; readonly cwd: string } | undefined {
  const { store } = harness.config;
  if (store === "none") return undefined;
  const { file, cwd } = harness;
  const inFile = file !== undefined && harness.originOf(["store"], "value").type === "file";
  return { url: store, cwd: inFile ? dirname(file) : cwd };
}

/** The store that a harness records in. */
export const useStoreOf = (io: Pick<Io, "env">, at: { url: string; cwd: string }): Operation<Store> =>
  openStore(at.url, { cwd: at.cwd, redact: secretsRedactor(io.env) });

/** The store of the harness here, to read from; undefined where nothing was ever recorded in it. */
export function* useStore(io: Io, flags: StoreFlags): Operation<Store | undefined> {
  const { file } = flags;
  const harness = loadHarness({
    cwd: io.cwd,
    env: io.env,
    flags: settingsOf(flags),
    ...(file === undefined ? {} : { file }),
  });
  const at = storeOf(harness);
  if (!at)
    throw new UsageError(
      "Runs are not recorded here: store is none. Set it in harness.yml, or name a store with --store.",
    );
  const place = storePlace(at.url);
  if (place.type === "sqlite" && !existsSync(resolve(at.cwd, place.path))) return undefined;
  return yield* useStoreOf(io, at);
}

/** The same, and the run that is meant: `latest`, an id, or how one begins. */
export function* useRecordedRun(
  io: Io,
  flags: StoreFlags,
  meant: string,
): Operation<{ readonly store: Store; readonly run: string }> {
  // every id begins with nothing: a script's empty variable is to mean no run
  if (meant.trim() === "") throw new UsageError("Name a run: latest, an id, or how one begins.");
  const store = yield* useStore(io, flags);
  if (!store) throw new UsageError("No run is on record here yet; pool run begins one.");
  return { store, run: yield* store.find(meant) };
}
