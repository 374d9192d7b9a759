import { resolve } from "node:path";
import { ensure, type Operation, resource, until } from "effection";
import { type RedactSecrets, secretsRedactor } from "../decisions/redact-secrets.ts";
import type { Engine } from "../engine/engine.ts";
import { migrate } from "../engine/migrations.ts";
import { openPostgres } from "../engine/postgres.ts";
import { openSqlite } from "../engine/sqlite.ts";
import { storePlace, withoutPassword } from "../values/place.ts";
import { Store } from "./store.ts";

export interface StoreOptions {
  /** Where relative paths start. Default: the working folder. */
  readonly cwd?: string;
  /** Takes secrets out of what is written. Default: by the process's environment, see `secretsRedactor`. */
  readonly redact?: RedactSecrets;
  /** Milliseconds since the epoch. Default: the system's. */
  readonly now?: () => number;
}

/**
 * Opens a store of runs, and makes it where there is none. A resource: it is closed with the scope it was opened in.
 *
 * ```ts
 * const store = yield* openStore("sqlite:.pool/runs.db");
 * const journal = yield* store.journal("run-1");
 * yield* agentPool({ ...options, run: "run-1", journal });
 * ```
 *
 * Throws {@link StoreError} for a URL that is none, a place that cannot be written, a damaged database, one of a newer
 * version, a server that does not answer.
 */
export const openStore = (url: string, options: StoreOptions = {}): Operation<Store> =>
  resource(function* (provide) {
    const { cwd = process.cwd(), redact = secretsRedactor(process.env), now = Date.now } = options;
    const opening = openEngine(url, cwd);
    // a halt does not stop what opens it
    yield* ensure(() =>
      until(
        opening.then(
          (engine) => engine.close(),
          () => {},
        ),
      ),
    );
    const engine = yield* until(opening);
    yield* until(migrate(engine, withoutPassword(url)));
    yield* provide(new Store({ engine, redact, now }));
  });

async function openEngine(url: string, cwd: string): Promise<Engine> {
  const place = storePlace(url);
  return place.type === "sqlite"
    ? openSqlite(resolve(cwd, place.path), place.durable)
    : await openPostgres(place.url);
}
