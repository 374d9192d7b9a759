import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { UnmetError } from "./engine.ts";
import { openSqlite } from "./sqlite.ts";
import { SqliteWriter } from "./sqlite-writer.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "agentpool-writer-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const insert = (value: number, changes?: number) => ({
  sql: "insert into t values (?)",
  params: [value],
  changes,
});

test("transactions happen in the order they were given, whole or not at all", async () => {
  const engine = openSqlite(`${folder()}/a.db`);
  await engine.script("create table t (value integer primary key);");
  const outcomes = await Promise.allSettled([
    engine.write([insert(1), insert(2)]),
    engine.write([insert(3), insert(2)]),
    engine.write([insert(4), insert(5, 7)]),
    engine.write([insert(6)]),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
  expect((outcomes[1] as PromiseRejectedResult).reason).toMatchObject({ name: "StoreError" });
  expect((outcomes[2] as PromiseRejectedResult).reason).toBeInstanceOf(UnmetError);
  expect(await engine.all("select value from t order by value")).toEqual([
    { value: 1 },
    { value: 2 },
    { value: 6 },
  ]);
  await engine.close();
});

test("what cannot be given to the thread is refused, and what comes after is answered as ever", async () => {
  const path = `${folder()}/a.db`;
  const engine = openSqlite(path);
  await engine.script("create table t (value integer primary key);");
  const writer = new SqliteWriter({ path, busy: 1_000, pragmas: "" });
  const bad = { sql: "insert into t values (?)", params: [(() => 1) as unknown as number] };
  await expect(writer.write([bad])).rejects.toThrow("could not be cloned");
  await writer.write([insert(1)]);
  await expect(writer.write([insert(1)])).rejects.toThrow("UNIQUE");
  await writer.write([insert(2)]);
  await writer.close();
  await engine.close();
});

test("a thread that is gone answers what waited for it, and what comes after", async () => {
  const writer = new SqliteWriter({ path: folder(), busy: 10, pragmas: "" });
  await expect(writer.write([insert(1)])).rejects.toThrow();
  await expect(writer.write([insert(2)])).rejects.toThrow();
  await writer.close();
});
