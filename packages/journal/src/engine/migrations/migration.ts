import type { Engine } from "../engine.ts";

/** What one version of the schema adds to the one before, as SQL. */
export type Migration = (words: Dialect) => string;

/** Where the engines differ. */
export interface Dialect {
  readonly int: string;
  readonly real: string;
  /** How tables end that are read by their key, and those whose rows are large. */
  readonly derived: string;
  readonly rows: string;
  /** Entries are stored in the portions that were written together; this view has one row for each. */
  readonly events: string;
}

export const DIALECTS: Readonly<Record<Engine["name"], Dialect>> = {
  sqlite: {
    int: "integer",
    real: "real",
    derived: " strict, without rowid",
    rows: " strict",
    events: `create view events as
      select e.run as run, e.first + j.key as idx, j.value ->> 'at' as at, j.value ->> 'type' as type,
        j.value ->> 'agent' as agent, j.value ->> 'call' as call, j.value as body
      from entries e, json_each(e.body) j;`,
  },
  postgres: {
    int: "bigint",
    real: "double precision",
    derived: "",
    rows: "",
    events: `create view events as
      select e.run as run, e.first + j.place - 1 as idx, (j.value ->> 'at')::bigint as at, j.value ->> 'type' as type,
        j.value ->> 'agent' as agent, j.value ->> 'call' as call, j.value as body
      from entries e, json_array_elements(e.body::json) with ordinality as j(value, place);`,
  },
};
