// Writes to a SQLite database in a thread of its own: what it costs, its agents do not pay. Plain JavaScript, since a
// thread is started from a file as it is.
import { parentPort, workerData } from "node:worker_threads";
import Database from "libsql";

const { path, busy, pragmas } = workerData;
const database = new Database(path, { timeout: busy });
database.exec(pragmas);

const prepared = new Map();
const prepare = (sql) => {
  let statement = prepared.get(sql);
  if (!statement) {
    statement = database.prepare(sql);
    prepared.set(sql, statement);
  }
  return statement;
};

/** All of it in one transaction, or nothing. Gives the place of a statement that did not change what it had to. */
function write(statements) {
  prepare("begin immediate").run();
  try {
    for (const [at, { sql, params, changes }] of statements.entries()) {
      const changed = prepare(sql).run(...params).changes;
      if (changes === undefined || changed === changes) continue;
      prepare("rollback").run();
      return at;
    }
    prepare("commit").run();
    return undefined;
  } catch (error) {
    if (database.inTransaction) prepare("rollback").run();
    throw error;
  }
}

parentPort.on("message", (statements) => {
  if (statements === "close") {
    prepared.clear();
    database.close();
    parentPort.close();
    return;
  }
  try {
    parentPort.postMessage({ unmet: write(statements) });
  } catch (error) {
    parentPort.postMessage({ failed: { message: error.message, code: error.code } });
  }
});
