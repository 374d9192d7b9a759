import { type Harness, unbuiltProblems } from "@agentpool/harness";
import type { RunJournal, Store } from "@agentpool/journal";
import type { Operation } from "effection";
import type { Io } from "../io.ts";
import { storeOf, useStoreOf } from "./use-store.ts";

export interface Record {
  readonly store: Store;
  readonly journal: RunJournal;
}

/** The record of a run, for as long as the scope; undefined where its harness records nothing. */
export function* useRecord(
  io: Io,
  harness: Harness,
  run: string,
  { force = false }: { readonly force?: boolean } = {},
): Operation<Record | undefined> {
  const at = storeOf(harness);
  // a harness that cannot run leaves no record
  if (!at || unbuiltProblems(harness).length > 0) return undefined;
  const store = yield* useStoreOf(io, at);
  return { store, journal: yield* store.journal(run, { by: "the terminal", force }) };
}
