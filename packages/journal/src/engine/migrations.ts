import { StoreError } from "../values/errors.ts";
import { type ColumnType, TABLES } from "../values/tables.ts";
import type { Engine } from "./engine.ts";

/** What each version adds to the one before. Never edit one that was released: add another. */
const MIGRATIONS: readonly ((engine: Engine["name"]) => string)[] = [first];

const TYPES: Record<Engine["name"], Record<ColumnType, string>> = {
  sqlite: { text: "text", int: "integer", real: "real", json: "text" },
  postgres: { text: "text", int: "bigint", real: "double precision", json: "text" },
};

function first(engine: Engine["name"]): string {
  const strict = engine === "sqlite" ? " strict, without rowid" : "";
  const rows = engine === "sqlite" ? " strict" : "";
  const { int } = TYPES[engine];
  const derived = Object.entries(TABLES).map(([name, { columns, key }]) => {
    const lines = Object.entries(columns).map(([column, type]) => `${column} ${TYPES[engine][type]}`);
    return `create table ${name} (${lines.join(", ")}, primary key (${key.join(", ")}))${strict};`;
  });
  return `
    create table entries (run text not null, first ${int} not null, count ${int} not null, body text not null,
      primary key (run, first))${rows};
    create table texts (run text not null, digest text not null, body text not null,
      primary key (run, digest))${rows};
    create table leases (run text primary key, owner text not null, place text not null, expires_at ${int} not null)${strict};
    create table decisions (run text not null, id text not null, decision text not null, reason text, decided_by text,
      at ${int} not null, primary key (run, id))${strict};
    ${derived.join("\n    ")}
    create index runs_started on runs (started_at);
    create index approvals_open on approvals (state);
    ${engine === "sqlite" ? SQLITE_EVENTS : POSTGRES_EVENTS}`;
}

/** Entries are stored in the portions that were written together; this is one row for each. */
const SQLITE_EVENTS = `create view events as
  select e.run as run, e.first + j.key as idx, j.value ->> 'at' as at, j.value ->> 'type' as type,
    j.value ->> 'agent' as agent, j.value ->> 'call' as call, j.value as body
  from entries e, json_each(e.body) j;`;
const POSTGRES_EVENTS = `create view events as
  select e.run as run, e.first + j.place - 1 as idx, (j.value ->> 'at')::bigint as at, j.value ->> 'type' as type,
    j.value ->> 'agent' as agent, j.value ->> 'call' as call, j.value as body
  from entries e, json_array_elements(e.body::json) with ordinality as j(value, place);`;

/** Brings a database to this version's schema. Several processes may try at once: one does it. */
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
    try {
      await engine.script(
        `${version === 0 ? `create table agentpool_schema (version ${TYPES[engine.name].int} primary key);` : ""}
        insert into agentpool_schema (version) values (${version + 1});
        ${next(engine.name)}`,
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
