import { StoreError } from "../values/errors.ts";
import type { Engine } from "./engine.ts";
import { first } from "./migrations/first.ts";
import { DIALECTS, type Migration } from "./migrations/migration.ts";
import { second } from "./migrations/second.ts";

/** Each version's, in order. Never edit one that was released: add another. */
const MIGRATIONS: readonly Migration[] = [first, second];

/**
 * Brings a database to this version's schema, one version after the other, each in a transaction of its own. Several
 * processes may try at once: one does it.
 */
export async function migrate(engine: Engine, where: string): Promise<void> {
  for (;;) {
    const version = await versionOf(engine);
    if (version > MIGRATIONS.length)
      throw new StoreError(
        "newer",
        `${where} was written by a newer version of agentpool (schema ${version}; this one knows ${MIGRATIONS.length}). Update agentpool, or set store to another place.`,
      );
    const next = MIGRATIONS[version];
    if (!next) return;
    const words = DIALECTS[engine.name];
    try {
      await engine.script(
        `${version === 0 ? `create table agentpool_schema (version ${words.int} primary key);` : ""}
        insert into agentpool_schema (version) values (${version + 1});
        ${next(words)}`,
      );
    } catch (error) {
      // another process was faster: its version is there now
      if ((await versionOf(engine)) <= version) throw error;
    }
  }
}

async function versionOf(engine: Engine): Promise<number> {
  const catalogue =
    engine.name === "sqlite"
      ? "select name from sqlite_master where name = 'agentpool_schema'"
      : "select tablename as name from pg_catalog.pg_tables where tablename = 'agentpool_schema' and schemaname = current_schema()";
  if ((await engine.all(catalogue)).length === 0) return 0;
  const [row] = await engine.all("select max(version) as version from agentpool_schema");
  return Number(row?.version ?? 0);
}
