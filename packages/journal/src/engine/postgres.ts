import type { Client, ClientBase, Notification, Pool } from "pg";
import { StoreError, UnknownRunError } from "../values/errors.ts";
import { withoutPassword } from "../values/place.ts";
import { type Engine, type SqlRow, type Statement, UnmetError } from "./engine.ts";

/** Milliseconds to wait for a server that does not answer. */
const CONNECTING = 10_000;
/** Where writers say that they wrote. */
const CHANNEL = "agentpool";

/** A PostgreSQL database, for runs on several machines. Its client is loaded when one is opened. */
export async function openPostgres(url: string): Promise<Engine> {
  const { default: pg } = await import("pg");
  const shown = withoutPassword(url);
  const pool: Pool = new pg.Pool({
    connectionString: url,
    max: 4,
    connectionTimeoutMillis: CONNECTING,
    application_name: "agentpool",
    // 64-bit integers are times and counts here: numbers hold them
    types: { getTypeParser: (type, format) => (type === 20 ? Number : pg.types.getTypeParser(type, format)) },
  });
  // a connection that breaks while nobody uses it: the next one who needs it hears about it
  pool.on("error", () => {});
  // and one that breaks in somebody's hands: the statement that comes next says so
  pool.on("connect", (client) => client.on("error", () => {}));
  const listener = new Listener(
    () => new pg.Client({ connectionString: url, application_name: "agentpool" }),
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
      attempt(async () => (await pool.query(numbered(sql), [...params])).rows as SqlRow[]),
    snapshot: (read) =>
      attempt(() =>
        transaction(pool, SNAPSHOT, (client) =>
          read({
            all: async (sql, params = []) =>
              (await client.query(numbered(sql), [...params])).rows as SqlRow[],
          }),
        ),
      ),
    write: (statements, { announce = false } = {}) =>
      attempt(() =>
        transaction(pool, "begin", async (client) => {
          await perform(client, statements);
          // announcements of all writers wait for each other: not one for every commit
          if (announce) await client.query(`notify ${CHANNEL}`);
        }),
      ),
    script: (sql) =>
      attempt(() => transaction(pool, "begin", async (client) => void (await client.query(sql)))),
    watch: (heard) => listener.add(heard),
    async close() {
      await listener.close();
      await pool.end();
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

/** One connection that listens, while anybody does. Where it breaks, those who listen look by themselves. */
class Listener {
  readonly #make: () => Client;
  readonly #listening = new Set<() => void>();
  #client: Promise<Client | undefined> | undefined;

  constructor(make: () => Client) {
    this.#make = make;
  }

  add(heard: () => void): () => void {
    this.#listening.add(heard);
    this.#client ??= this.#listen();
    return () => this.#listening.delete(heard);
  }

  async #listen(): Promise<Client | undefined> {
    const client = this.#make();
    client.on("error", () => {});
    client.on("notification", (_: Notification) => {
      for (const heard of this.#listening) heard();
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      // what was announced before it listened
      for (const heard of this.#listening) heard();
      return client;
    } catch {
      return undefined;
    }
  }

  async close(): Promise<void> {
    await (await this.#client)?.end().catch(() => {});
  }
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
