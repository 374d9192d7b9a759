// The store
export { secretsRedactor } from "./decisions/redact-secrets.ts";
export { openStore, type StoreOptions } from "./store/open-store.ts";
export type { RunJournal, Store } from "./store/store.ts";
export * from "./values/entry.ts";
export * from "./values/errors.ts";
