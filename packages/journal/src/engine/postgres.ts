import type { Client, ClientBase, Pool } from "pg";
import { StoreError, UnknownRunError } from "../values/errors.ts";
import { withoutPassword } from "../values/place.ts";
import { type Engine, type SqlRow, type SqlValue, type Statement, UnmetError } from "./engine.ts";
import { CHANNEL, letGo, PostgresListener } from "./postgres-listener.ts";

/** Milliseconds to wait for a server that does not answer. */
export interface Patience {
  readonly connecting: number;
  /** For a write. As long as a lease lasts: whoever cannot write for that long has lost the run. */
  readonly writing: number;
  /** For a read, which may be of a long record over a slow line. */
  readonly reading: number;
  /** For a change of the schema, which may go through every row. */
  readonly migrating: number;
  /** For it to close a connection that is not needed any more. */
  readonly leaving: number;
}

const PATIENCE: Patience = {
  connecting: 10_000,
  writing: 30_000,
  reading: 120_000,
  migrating: 600_000,
  leaving: 1_000,
};
/**
 * A PostgreSQL database, for runs on several machines. Its client is loaded when one is opened. A server that takes a
 * connection and then says nothing is waited for as long as `patience` says, and no longer.
 */
export async function openPostgres(url: string, patience: Patience = PATIENCE): Promise<Engine> {
  const { default: pg } = await import("pg");
  const shown = withoutPassword(url);
  const pool: Pool = new pg.Pool({
    connectionString: url,
    max: 4,
    connectionTimeoutMillis: patience.connecting,
    query_timeout: patience.writing,
    application_name: "agentpool",
    // 64-bit integers are times and counts here: numbers hold them
    types: { getTypeParser: (type, format) => (type === 20 ? Number : pg.types.getTypeParser(type, format)) },
  });
  // a connection that breaks while nobody uses it: the next one who needs it hears about it
  pool.on("error", () => {});
  // and one that breaks in somebody's hands: the statement that comes next says so
  const clients = new Set<Client>();
  pool.on("connect", (client: Client) => {
    clients.add(client);
    client.on("error", () => {});
    client.on("end", () => clients.delete(client));
  });
  const listener = new PostgresListener(
    () =>
      new pg.Client({
        connectionString: url,
        connectionTimeoutMillis: patience.connecting,
        query_timeout: patience.writing,
        application_name: "agentpool",
      }),
    patience.leaving,
  );
  const attempt = async <T>(body: () => Promise<T>): Promise<T> => {
    try {
      return await body();
    } catch (error) {
      throw isOurs(error) ? error : explained(shown, error);
    }
  };
  const engine: Engine = {
    name: "postgres",
    all: (sql, params = []) =>
      attempt(async () => (await pool.query(reading(sql, params, patience))).rows as SqlRow[]),
    snapshot: (read) =>
      attempt(() =>
        transaction(pool, SNAPSHOT, (client) =>
          read({
            all: async (sql, params = []) =>
              (await client.query(reading(sql, params, patience))).rows as SqlRow[],
          }),
        ),
      ),
    write: (statements, { announce = false } = {}) =>
      attempt(() =>
        transaction(pool, writing(patience), async (client) => {
          await perform(client, statements);
          // announcements of all writers wait for each other: not one for every commit
          if (announce) await client.query(`notify ${CHANNEL}`);
        }),
      ),
    script: (sql) =>
      attempt(() =>
        transaction(pool, "begin", async (client) => {
          await client.query(bounded(sql, patience.migrating));
        }),
      ),
    watch: (heard) => listener.add(heard),
    async close() {
      await listener.close();
      await pool.end();
      // a server that does not close them keeps no process from ending
      for (const client of clients) letGo(client);
    },
  };
  try {
    await engine.all("select 1");
  } catch (error) {
    await engine.close();
    throw error;
  }
  return engine;
}

/**
 * A machine that vanishes in the middle of it keeps nobody from the run for longer than this: the server would wait for
 * hours. One that is there goes on at once.
 */
const writing = (patience: Patience): string =>
  `begin; set local idle_in_transaction_session_timeout = ${2 * patience.writing}`;

/** Every statement of it sees what the first one saw. */
const SNAPSHOT = "begin isolation level repeatable read read only";

async function transaction<T>(
  pool: Pool,
  begin: string,
  body: (client: ClientBase) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const result = await body(client);
    await client.query("commit");
    return result;
  } catch (error) {
    // one that does not answer is not asked to: without its connection it rolls back by itself
    if (isSilence(error)) broken = error;
    else
      await client.query("rollback").catch((reason: Error) => {
        broken = reason;
      });
    throw error;
  } finally {
    client.release(broken);
  }
}

async function perform(client: ClientBase, statements: readonly Statement[]): Promise<void> {
  for (const statement of statements) {
    const { rowCount } = await client.query(numbered(statement.sql), [...statement.params]);
    if (statement.changes !== undefined && rowCount !== statement.changes) throw new UnmetError(statement);
  }
}

/** What the client says where it waited for as long as it was told to. */
const isSilence = (error: unknown): error is Error =>
  error instanceof Error && error.message === "Query read timeout";

interface Bounded {
  readonly text: string;
  readonly values: SqlValue[];
  readonly query_timeout: number;
}

const bounded = (text: string, ms: number, values: readonly SqlValue[] = []): Bounded => ({
  text,
  values: [...values],
  query_timeout: ms,
});

const reading = (sql: string, params: readonly SqlValue[], patience: Patience): Bounded =>
  bounded(numbered(sql), patience.reading, params);

const texts = new Map<string, string>();

/** `$1`, `$2`, … for each `?`. Statements are our own: none has a question mark of another meaning. */
function numbered(sql: string): string {
  let text = texts.get(sql);
  if (text === undefined) {
    let count = 0;
    text = sql.replace(/\?/g, () => `$${++count}`);
    texts.set(sql, text);
  }
  return text;
}

/** What says by itself what is wrong, and comes of no server. */
const isOurs = (error: unknown): boolean =>
  [UnmetError, StoreError, UnknownRunError].some((kind) => error instanceof kind);

function explained(where: string, error: unknown): StoreError {
  const { code = "", message } = error as { code?: string; message: string };
  const why = message || code || "no reason given";
  if (
    /^(ECONN|ENOTFOUND|ETIMEDOUT|EHOST|EAI_|ENOENT|08|57P)/.test(code) ||
    /timeout|terminated|not queryable/i.test(why)
  )
    return new StoreError("unreachable", `The server of ${where} does not answer: ${why}`, { cause: error });
  if (/^(28|3D)/.test(code))
    return new StoreError("unreachable", `The server of ${where} does not let us in: ${why}`, {
      cause: error,
    });
  if (code === "42501")
    return new StoreError("unwritable", `${where} cannot be written: ${why}`, { cause: error });
  return new StoreError("failed", `${where}: ${why}`, { cause: error });
}
