import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { agentPool, parallel } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run, scoped } from "effection";
import { expect, test } from "vitest";
import { openSqlite } from "../src/engine/sqlite.ts";
import { openStore, type Store } from "../src/index.ts";
import { onEveryEngine } from "./places.ts";
import { hasPostgres } from "./postgres.ts";
import { caught, flushed, recorded, started, useFolder } from "./support.ts";

test.each([
  ["runs.db", "it names no kind of store"],
  ["sqlite:", "no path follows sqlite:"],
  ["sqlite:///tmp/runs.db", "a path follows sqlite: directly"],
  ["sqlite:runs.db?mode=fast", "mode is not a setting of it"],
  ["mysql://db/runs", "mysql is no kind of store"],
  ["postgres://user:secret@[", "it is no URL"],
])("the URL %s is said to be none, and what is one", (url, why) =>
  run(function* () {
    const error = yield* caught(openStore(url));
    expect(error).toMatchObject({ name: "StoreError", problem: "url" });
    expect(error.message).toContain(why);
    expect(error.message).toContain("accepted are sqlite:PATH, postgres://… and none");
    expect(error.message).not.toContain("secret");
  }),
);

test("a file that is no database is said to be damaged, and left as it is", () =>
  run(function* () {
    const folder = yield* useFolder();
    writeFileSync(`${folder}/runs.db`, "this is not a database, it is a text ".repeat(200));
    const error = yield* caught(openStore(`sqlite:${folder}/runs.db`));
    expect(error).toMatchObject({ problem: "damaged" });
    expect(error.message).toContain(`${folder}/runs.db is damaged, or is no database`);
  }));

test("a database whose pages are damaged is said to be, whoever reads it", () =>
  run(function* () {
    const folder = yield* useFolder();
    const path = `${folder}/runs.db`;
    yield* scoped(function* () {
      const store = yield* openStore(`sqlite:${path}`);
      yield* recorded(store, "r1");
    });
    // all but the first page, which says that it is a database
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0x5a, 4_096));
    for (const read of [
      (store: Store) => store.runs(),
      (store: Store) => store.show("r1"),
      (store: Store) => store.record("r1"),
      (store: Store) => store.approvals.list(),
    ]) {
      const error = yield* caught(
        scoped(function* () {
          return yield* read(yield* openStore(`sqlite:${path}`));
        }),
      );
      expect(error).toMatchObject({ name: "StoreError", problem: "damaged" });
    }
  }));

test("a place that cannot be written is named", () =>
  run(function* () {
    const folder = yield* useFolder();
    writeFileSync(`${folder}/file`, "");
    expect(yield* caught(openStore(`sqlite:${folder}/file/runs.db`))).toMatchObject({
      problem: "unwritable",
      message: expect.stringContaining(`${folder}/file/runs.db`),
    });
    mkdirSync(`${folder}/runs.db`);
    expect(yield* caught(openStore(`sqlite:${folder}/runs.db`))).toMatchObject({
      problem: "unwritable",
      message: expect.stringContaining(`${folder}/runs.db is a folder`),
    });
    chmodSync(`${folder}/runs.db`, 0o755);
  }));

test("a database of a newer version is not touched", () =>
  run(function* () {
    const folder = yield* useFolder();
    const engine = openSqlite(`${folder}/runs.db`);
    yield* openStore(`sqlite:${folder}/runs.db`);
    yield* writing(engine.script("insert into agentpool_schema values (99);"));
    yield* writing(engine.close());
    const error = yield* caught(openStore(`sqlite:${folder}/runs.db`));
    expect(error).toMatchObject({ problem: "newer" });
    expect(error.message).toContain("schema 99");
  }));

test.skipIf(!hasPostgres)("a server that is not there is said not to answer, without the password", () =>
  run(function* () {
    const error = yield* caught(openStore("postgres://ada:secret@127.0.0.1:1/runs"));
    expect(error).toMatchObject({ problem: "unreachable" });
    expect(error.message).not.toContain("secret");
  }),
);

onEveryEngine((usePlace) => {
  test("a text that no database takes as it is comes back as it was", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      const journal = yield* store.journal("r1");
      const message = "a \u0000 nothing, half \ud83d, a \ud83d\ude00 whole, 'quotes' \"and\" \\ back ";
      journal.note(started("r1", message));
      journal.append({ type: "notice", run: "r1", at: 1, message: message.repeat(50) });
      journal.append({ type: "notice", run: "r1", at: 2, message: `{"$text": "x"}` });
      yield* flushed(journal);
      expect((yield* store.record("r1")).slice(1)).toEqual([
        { type: "notice", run: "r1", at: 1, message: message.repeat(50) },
        { type: "notice", run: "r1", at: 2, message: `{"$text": "x"}` },
      ]);
      expect((yield* store.show("r1")).question).toContain("a whole".slice(2));
    }));

  test("opened by several at once it is made once", () =>
    run(function* () {
      const place = yield* usePlace();
      const [one, two, three] = [openStore(place), openStore(place), openStore(place)];
      const stores = [yield* one, yield* two, yield* three];
      for (const store of stores) expect(yield* store.runs()).toEqual([]);
    }));

  test("an agent whose task holds a secret is taken up, with the secret out of its record", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      const job = () =>
        scoped(function* () {
          const journal = yield* store.journal("r1");
          const model = scripted(() => [{ text: "done" }]);
          const orchestrate = parallel(["Look at https://ada:hunter22@host/ now."]);
          const result = yield* agentPool({ run: "r1", journal, model, tools: [], orchestrate });
          return { result, asked: model.requests.length };
        });
      const first = yield* job();
      expect(JSON.stringify(yield* store.record("r1"))).not.toContain("hunter22");
      const again = yield* job();
      expect(again.asked).toBe(0);
      expect(again.result.agents[0]!.result).toBe(first.result.agents[0]!.result);
    }));

  test("secrets are out of everything that is written", () =>
    run(function* () {
      const place = yield* usePlace();
      const { secretsRedactor } = yield* writing(import("../src/index.ts"));
      const redact = secretsRedactor({ MY_API_KEY: 'very"secret\\value', PATH: "/usr/bin" });
      const store = yield* openStore(place, { redact });
      const journal = yield* store.journal("r1");
      const secret = `very"secret\\value and Bearer abcdefgh12345678`;
      journal.note(started("r1", `Why ${secret}?`));
      journal.append({ type: "notice", run: "r1", at: 1, message: secret.repeat(40) });
      yield* flushed(journal);
      const all = JSON.stringify([yield* store.record("r1"), yield* store.show("r1")]);
      expect(all).not.toContain("secret\\\\\\\\value");
      expect(all).not.toContain("abcdefgh12345678");
      expect((yield* store.show("r1")).question).toBe("Why [secret] and Bearer [secret]?");
    }));
});

import { until } from "effection";

const writing = <T>(promise: Promise<T>) => until(promise);
