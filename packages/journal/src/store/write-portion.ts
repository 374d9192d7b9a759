import { encodeJson } from "../decisions/encode-entries.ts";
import type { SqlValue, Statement } from "../engine/engine.ts";
import { type Change, type ColumnType, TABLES, type Table, type TableName } from "../values/tables.ts";

/** What is written in one transaction: some entries of a run, in order, and the rows that follow from them. */
export interface Portion {
  readonly run: string;
  /** The place of its first entry in the run's order. */
  readonly first: number;
  /** Entries as JSON. */
  readonly bodies: readonly string[];
  /** Large texts that are not in the store yet, by digest. */
  readonly texts: ReadonlyMap<string, string>;
  readonly changes: readonly Change[];
}

/** Parameters that one statement can have, in either engine, with room to spare. */
const MOST = 900;

export function* portionStatements({ run, first, bodies, texts, changes }: Portion): Generator<Statement> {
  if (bodies.length > 0)
    yield {
      sql: "insert into entries (run, first, count, body) values (?, ?, ?, ?)",
      params: [run, first, bodies.length, `[${bodies.join(",")}]`],
      changes: 1,
    };
  const large = new Map(texts);
  const rows = new Map<TableName, SqlValue[][]>();
  for (const change of changes) {
    const { columns } = TABLES[change.table] as Table;
    const values = Object.entries(columns).map(([column, type]) => {
      const value = (change.row as Record<string, unknown>)[column];
      return type === "json" ? encodeJson(value, large) : plain(value, type);
    });
    const others = rows.get(change.table);
    if (others) others.push(values);
    else rows.set(change.table, [values]);
  }
  yield* inserts(
    "texts (run, digest, body)",
    [...large].map(([digest, text]) => [run, digest, JSON.stringify(text)]),
    "on conflict (run, digest) do nothing",
  );
  for (const [table, values] of rows)
    yield* inserts(`${table} (${columnsOf(table)})`, values, replace(table));
}

/** Text that every engine can hold: PostgreSQL's has no NUL, and no half of a character. Clocks count in fractions. */
function plain(value: unknown, type: ColumnType): SqlValue {
  if (typeof value === "string") return value.replace(/\p{Surrogate}|\0/gu, "\uFFFD");
  if (typeof value !== "number") return null;
  return type === "int" ? Math.round(value) : value;
}

const columnsOf = (table: TableName): string => Object.keys(TABLES[table].columns).join(", ");

function replace(name: TableName): string {
  const { columns, key } = TABLES[name] as Table;
  const rest = Object.keys(columns).filter((column) => !key.includes(column));
  return `on conflict (${key.join(", ")}) do update set ${rest.map((column) => `${column} = excluded.${column}`).join(", ")}`;
}

/** In statements of a few fixed sizes, so that each is prepared once. */
function* inserts(into: string, rows: readonly (readonly SqlValue[])[], end: string): Generator<Statement> {
  const width = rows[0]?.length ?? 1;
  const most = 2 ** Math.floor(Math.log2(MOST / width));
  for (let at = 0, size = most; at < rows.length; at += size) {
    while (size > rows.length - at) size /= 2;
    const row = `(${Array(width).fill("?").join(", ")})`;
    yield {
      sql: `insert into ${into} values ${Array(size).fill(row).join(", ")} ${end}`,
      params: rows.slice(at, at + size).flat(),
    };
  }
}
