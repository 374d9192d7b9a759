import { encodeJson, encodeResult } from "../decisions/encode-entries.ts";
import type { LargeParts } from "../decisions/large-texts.ts";
import type { Engine, SqlValue, Statement } from "../engine/engine.ts";
import { type Change, type ColumnType, TABLES, type Table, type TableName } from "../values/tables.ts";

/** What is written in one transaction: some entries of a run, in order, and the rows that follow from them. */
export interface Portion {
  readonly run: string;
  /** Who writes: where the run's lease is another's by now, nothing is written. */
  readonly owner: string;
  /** The place of its first entry in the run's order. */
  readonly first: number;
  /** How many entries, and all of them as an array in JSON. */
  readonly count: number;
  readonly body: string;
  /** Large texts and results that its entries refer to, by digest. */
  readonly texts: ReadonlyMap<string, unknown>;
  /** Those that are in the store: they are not written again, for a row that is for example. What is written is added. */
  readonly known: Set<string>;
  readonly changes: readonly Change[];
}

export function* portionStatements(
  engine: Engine["name"],
  { run, owner, first, count, body, texts, known, changes }: Portion,
): Generator<Statement> {
  yield {
    sql: ENTRIES[engine],
    params: [run, first, count, body, run, owner],
    changes: 1,
  };
  const large = new Map(texts);
  const rows = new Map<TableName, SqlValue[][]>();
  for (const { table, row } of changes) {
    const values = valuesOf(table, row as Readonly<Record<string, unknown>>, large);
    const others = rows.get(table);
    if (others) others.push(values);
    else rows.set(table, [values]);
  }
  const added: string[][] = [];
  for (const [digest, text] of large) {
    if (known.has(digest)) continue;
    known.add(digest);
    added.push([run, digest, JSON.stringify(text)]);
  }
  if (added.length > 0) yield { sql: TEXTS[engine], params: [JSON.stringify(added)] };
  for (const [table, values] of rows) yield { sql: REPLACE[engine][table], params: [JSON.stringify(values)] };
}

const COLUMNS = new Map(
  Object.entries(TABLES).map(([name, { columns }]) => [name, Object.entries<ColumnType>(columns)]),
);

function valuesOf(table: TableName, row: Readonly<Record<string, unknown>>, large: LargeParts): SqlValue[] {
  const values: SqlValue[] = [];
  for (const [column, type] of COLUMNS.get(table)!) {
    const value = row[column];
    if (type === "json") values.push(encodeJson(value, large));
    else if (type === "result") values.push(encodeResult(value, large));
    else values.push(plain(value, type));
  }
  return values;
}

/** Text that every engine can hold: PostgreSQL's has no NUL, and no half of a character. Clocks count in fractions. */
function plain(value: unknown, type: ColumnType): SqlValue {
  if (typeof value === "string")
    return UNHOLDABLE.test(value) ? value.replace(/\p{Surrogate}|\0/gu, "\uFFFD") : value;
  if (typeof value !== "number") return null;
  return type === "int" ? Math.round(value) : value;
}

const UNHOLDABLE = /[\0\ud800-\udfff]/;

/** Rows come as one JSON array of arrays: one parameter, however many they are. */
const select = (engine: Engine["name"], types: readonly ColumnType[]): string => {
  const value = (type: ColumnType, at: number): string =>
    engine === "sqlite" || CASTS[type] === undefined
      ? `value ->> ${at}`
      : `(value ->> ${at})::${CASTS[type]}`;
  const from = engine === "sqlite" ? "json_each(?)" : "json_array_elements(?::json) as value";
  return `select ${types.map(value).join(", ")} from ${from} where true`;
};

const CASTS: { readonly [type in ColumnType]?: string } = { int: "bigint", real: "double precision" };

const replace = (engine: Engine["name"], name: TableName): string => {
  const { columns, key }: Table = TABLES[name];
  const rest = Object.keys(columns).filter((column) => !key.includes(column));
  const sets = rest.map((column) => `${column} = excluded.${column}`);
  return `insert into ${name} (${Object.keys(columns).join(", ")}) ${select(engine, Object.values(columns))}
    on conflict (${key.join(", ")}) do update set ${sets.join(", ")}`;
};

const forAll = (engine: Engine["name"]): Readonly<Record<TableName, string>> =>
  Object.fromEntries(Object.keys(TABLES).map((name) => [name, replace(engine, name as TableName)])) as Record<
    TableName,
    string
  >;

const REPLACE = { sqlite: forAll("sqlite"), postgres: forAll("postgres") } as const;

/**
 * PostgreSQL has to be told what the parameters of a select are; and to keep the lease where it is until this is over:
 * who takes it reads the record next, and has to find all that was written.
 */
const entries = (engine: Engine["name"]): string => {
  const [row, kept] =
    engine === "sqlite" ? ["?, ?, ?, ?", ""] : ["?::text, ?::bigint, ?::bigint, ?::text", "for share"];
  return `insert into entries (run, first, count, body)
    select ${row} where exists (select 1 from leases where run = ? and owner = ? ${kept})`;
};
const ENTRIES = { sqlite: entries("sqlite"), postgres: entries("postgres") } as const;

const texts = (engine: Engine["name"]): string =>
  `insert into texts (run, digest, body) ${select(engine, ["text", "text", "text"])} on conflict (run, digest) do nothing`;
const TEXTS = { sqlite: texts("sqlite"), postgres: texts("postgres") } as const;
