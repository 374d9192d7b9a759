import { type Operation, resource, until } from "effection";
import pg from "pg";
import { afterAll, beforeAll, describe } from "vitest";
import { hasPostgres, startPostgres } from "./postgres.ts";
import { useFolder } from "./support.ts";

/** A database of its own: its URL, for as long as the scope. */
export type UsePlace = () => Operation<string>;

const sqlite: UsePlace = () =>
  resource(function* (provide) {
    yield* provide(`sqlite:${yield* useFolder()}/.pool/runs.db`);
  });

/** The same tests on both engines. PostgreSQL's are skipped where there is none. */
export function onEveryEngine(body: (usePlace: UsePlace) => void): void {
  describe("in SQLite", () => body(sqlite));
  describe.skipIf(!hasPostgres)("in PostgreSQL (apt-get install postgresql)", () => {
    let server: Awaited<ReturnType<typeof startPostgres>>;
    beforeAll(async () => {
      server = await startPostgres();
    }, 60_000);
    afterAll(() => server?.stop());
    let databases = 0;
    body(() =>
      resource(function* (provide) {
        const name = `runs_${++databases}`;
        yield* until(command(server.url, `create database ${name}`));
        yield* provide(server.url.replace(/\/postgres$/, `/${name}`));
      }),
    );
  });
}

async function command(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}
