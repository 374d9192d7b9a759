import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn as fork, run, scoped, suspend } from "effection";
import Database from "libsql";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../temporary-folder.testing.ts";
import type { Corpus, CorpusConfig } from "../corpus.ts";
import { useCorpus } from "../use-corpus.ts";

const opened = <T>(config: CorpusConfig, use: (corpus: Corpus) => T): Promise<T> =>
  run(function* () {
    return use(yield* useCorpus(config));
  });

const pages = (count: number, words = "alpha") =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`docs/${index}.md`, `# Page ${index}\n\n${words} ${index}`]),
  );

const found = (corpus: Corpus) => corpus.search("alpha", 1_000).length;

test("a damaged index is moved aside and built anew", async () => {
  const cwd = temporaryFolder({ ...pages(20), "index.db": "this is no database ".repeat(500) });
  const config = { cwd, paths: "docs", index: "index.db" };
  await opened(config, (corpus) => {
    expect(found(corpus)).toBe(20);
    expect(corpus.notices).toEqual([
      expect.stringMatching(
        /index\.db was damaged \(.*\); it was moved to .*index\.db\.damaged-\d+ and built anew/,
      ),
    ]);
  });
  const aside = readdirSync(cwd).find((name) => name.startsWith("index.db.damaged-"));
  expect(readFileSync(join(cwd, aside!), "utf8")).toMatch(/^this is no database/);
  await opened(config, (corpus) => expect(corpus.notices).toEqual([]));
});

test("an index whose pages were overwritten is built anew", async () => {
  const cwd = temporaryFolder(pages(300, "alpha beta gamma delta ".repeat(40)));
  const config = { cwd, paths: "docs", index: "index.db" };
  await opened(config, (corpus) => expect(found(corpus)).toBe(300));
  const bytes = readFileSync(join(cwd, "index.db"));
  bytes.fill(0xa5, 4_096 * 3, bytes.length - 4_096);
  writeFileSync(join(cwd, "index.db"), bytes);
  await opened(config, (corpus) => {
    expect(found(corpus)).toBe(300);
    expect(corpus.notices).toEqual([expect.stringContaining("was damaged")]);
  });
});

test("an index that was cut short is built anew", async () => {
  const cwd = temporaryFolder(pages(300, "alpha beta gamma delta ".repeat(40)));
  const config = { cwd, paths: "docs", index: "index.db" };
  await opened(config, found);
  writeFileSync(join(cwd, "index.db"), readFileSync(join(cwd, "index.db")).subarray(0, 50_000));
  await opened(config, (corpus) => {
    expect(found(corpus)).toBe(300);
    expect(corpus.notices).toEqual([expect.stringContaining("was damaged")]);
  });
});

test("a database of something else is left alone", async () => {
  const cwd = temporaryFolder(pages(1));
  const other = new Database(join(cwd, "other.db"));
  other.exec("CREATE TABLE people (name TEXT); INSERT INTO people VALUES ('Ada')");
  other.close();
  const before = readFileSync(join(cwd, "other.db"));
  await expect(opened({ cwd, paths: "docs", index: "other.db" }, found)).rejects.toThrow(
    /other\.db is a database of something else/,
  );
  expect(readFileSync(join(cwd, "other.db"))).toEqual(before);
});

test("an index that cannot be written is kept in memory, with a notice", async () => {
  const cwd = temporaryFolder({ ...pages(3), file: "not a folder" });
  await opened({ cwd, paths: "docs", index: "file/index.db" }, (corpus) => {
    expect(found(corpus)).toBe(3);
    expect(corpus.notices).toEqual([
      expect.stringMatching(/file\/index\.db cannot be used \(.*\); it is kept in memory for this run/),
    ]);
  });
});

test("an index held by a writer of another kind is kept in memory, with a notice", async () => {
  const cwd = temporaryFolder(pages(3));
  const config = { cwd, paths: "docs", index: "index.db" };
  await opened(config, found);
  const holder = new Database(join(cwd, "index.db"));
  holder.exec("BEGIN EXCLUSIVE");
  try {
    await opened(config, (corpus) => {
      expect(found(corpus)).toBe(3);
      expect(corpus.notices).toEqual([expect.stringContaining("is kept in memory")]);
    });
  } finally {
    holder.close();
  }
});

test("who writes an index is waited for as long as he gets on", async () => {
  const cwd = temporaryFolder(pages(3));
  const config = { cwd, paths: "docs", index: "index.db" };
  await opened(config, found);
  const holder = new Database(join(cwd, "index.db"));
  const change = () => holder.exec("BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS other (x)");
  change();
  // Writes once more than a corpus waits at a time, then lets go.
  const steps = [() => holder.exec("COMMIT; BEGIN IMMEDIATE; DROP TABLE other"), () => holder.exec("COMMIT")];
  const turn = (): void => {
    steps.shift()?.();
    if (steps.length > 0) setImmediate(turn);
  };
  setImmediate(turn);
  writeFileSync(join(cwd, "docs/9.md"), "# New\n\nalpha");
  try {
    await opened(config, (corpus) => {
      expect(found(corpus)).toBe(4);
      expect(corpus.notices).toEqual([]);
    });
  } finally {
    holder.close();
  }
}, 20_000);

test("an open corpus does not change while others refresh its index", async () => {
  const cwd = temporaryFolder(pages(3));
  const config = { cwd, paths: "docs", index: "index.db" };
  await run(function* () {
    const first = yield* useCorpus(config);
    writeFileSync(join(cwd, "docs/1.md"), "# Other\n\nomega");
    writeFileSync(join(cwd, "docs/9.md"), "# New\n\nalpha");
    const second = yield* useCorpus(config);
    expect(second.search("omega")).toHaveLength(1);
    expect(second.documents).toHaveLength(4);
    expect(first.search("omega")).toEqual([]);
    expect(found(first)).toBe(3);
    expect(first.open("docs/1.md")?.content).toEqual(["# Page 1", "", "alpha 1"]);
    expect(first.open("docs/9.md")).toBeUndefined();
  });
});

test("a file whose time says nothing is told by its content", async () => {
  const cwd = temporaryFolder(pages(2));
  const config = { cwd, paths: "docs", index: "index.db" };
  await opened(config, found);
  const { atime, mtime } = statSync(join(cwd, "docs/1.md"));
  writeFileSync(join(cwd, "docs/1.md"), "# Page 1\n\nomega 1");
  utimesSync(join(cwd, "docs/1.md"), atime, mtime);
  await opened(config, (corpus) => expect(corpus.search("omega")).toHaveLength(1));
});

test("a corpus whose scope has ended says so", async () => {
  const cwd = temporaryFolder(pages(1));
  const corpus = await opened({ cwd, paths: "docs", index: "index.db" }, (kept) => kept);
  expect(() => corpus.search("alpha")).toThrow("the corpus is closed");
});

test("a halt stops indexing between two files, and the next corpus goes on from there", async () => {
  const cwd = temporaryFolder(pages(400, "alpha beta gamma ".repeat(200)));
  const config = { cwd, paths: "docs", index: "index.db" };
  await run(() =>
    scoped(function* () {
      yield* fork(function* () {
        yield* useCorpus(config);
        yield* suspend();
      });
      // The scope ends at the first turn of the event loop that indexing leaves.
      yield* fork(function* () {});
    }),
  );
  await opened(config, (corpus) => expect(found(corpus)).toBe(400));
});

test("several processes that open one index at once all find everything", async () => {
  const cwd = temporaryFolder(pages(200, "alpha beta gamma ".repeat(30)));
  const script = fileURLToPath(new URL("./open-index.testing.ts", import.meta.url));
  const counts = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const child = spawn(process.execPath, [
        "--conditions=@agentpool/source",
        "--import",
        "tsx",
        script,
        cwd,
      ]);
      let output = "";
      child.stdout.on("data", (data) => (output += data));
      child.stderr.on("data", (data) => (output += data));
      await once(child, "close");
      return output.trim();
    }),
  );
  expect(counts).toEqual(Array(3).fill("200 found, 0 notices"));
});
