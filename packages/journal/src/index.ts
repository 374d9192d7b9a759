// The store
export { type ForkOptions, forkRecord } from "./decisions/fork-record.ts";
export { secretsRedactor } from "./decisions/redact-secrets.ts";
export type { ApprovalFilter } from "./store/list-approvals.ts";
export type { JournalOptions, RunJournal } from "./store/open-journal.ts";
export { openStore, type StoreOptions } from "./store/open-store.ts";
export type { PruneOptions } from "./store/prune-runs.ts";
export type { Store } from "./store/store.ts";
export type { StoredApprovals } from "./store/stored-approvals.ts";
export * from "./values/entry.ts";
export * from "./values/errors.ts";
export { type StorePlace, storePlace, withoutPassword } from "./values/place.ts";
export type * from "./values/views.ts";
