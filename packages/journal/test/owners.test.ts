import { spawn as start } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensure, type Operation, run, scoped, until } from "effection";
import { expect, test } from "vitest";
import { openSqlite } from "../src/engine/sqlite.ts";
import { LeaseError, openStore } from "../src/index.ts";
import { caught, flushed, started, useFolder } from "./support.ts";

/** The owner of a run, under a parent that never asks what became of it. */
function* neglectedOwner(url: string): Operation<number> {
  const args = [
    "--conditions=@agentpool/source",
    "--import",
    "tsx",
    join(import.meta.dirname, "owner.ts"),
    url,
  ];
  const parent = start("sh", ["-c", '"$@" & exec sleep 600', "sh", process.execPath, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  yield* ensure(() => void parent.kill("SIGKILL"));
  return Number(
    yield* until(new Promise((resolve) => parent.stdout.setEncoding("utf8").once("data", resolve))),
  );
}

test.skipIf(!existsSync("/proc/self/stat"))(
  "a process that was killed has no run any more, though its parent has not asked for its exit code",
  () =>
    run(function* () {
      const folder = yield* useFolder();
      const owner = yield* neglectedOwner(`sqlite:${folder}/runs.db`);
      const store = yield* openStore(`sqlite:${folder}/runs.db`);
      expect(yield* caught(store.journal("r1"))).toBeInstanceOf(LeaseError);
      process.kill(owner, "SIGKILL");
      // a signal is delivered before kill returns, the process ends soon after
      while ((yield* store.show("r1")).status === "running")
        yield* until(new Promise((resolve) => setImmediate(resolve)));
      expect(() => process.kill(owner, 0)).not.toThrow();
      expect((yield* store.show("r1")).status).toBe("interrupted");
      yield* scoped(function* () {
        yield* store.journal("r1");
      });
    }),
);

test.skipIf(!existsSync("/proc/self/stat"))(
  "a process that was given the number of one that is gone has not got its run",
  () =>
    run(function* () {
      const folder = yield* useFolder();
      const store = yield* openStore(`sqlite:${folder}/runs.db`);
      yield* scoped(function* () {
        const journal = yield* store.journal("r1");
        journal.note(started("r1"));
        yield* flushed(journal);
        expect((yield* store.show("r1")).status).toBe("running");
        const engine = openSqlite(`${folder}/runs.db`);
        const [lease] = yield* until(engine.all("select place from leases"));
        const place = String(lease!.place).replace(/\d+$/, (began) => String(Number(began) - 1));
        yield* until(engine.write([{ sql: "update leases set place = ?", params: [place], changes: 1 }]));
        yield* until(engine.close());
        expect((yield* store.show("r1")).status).toBe("interrupted");
      });
    }),
);
