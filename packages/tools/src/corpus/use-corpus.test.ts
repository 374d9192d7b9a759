import { execFileSync } from "node:child_process";
import { existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "effection";
import { expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.testing.ts";
import type { Corpus, CorpusConfig } from "./corpus.ts";
import { useCorpus } from "./use-corpus.ts";

const inMemory = <T>(config: CorpusConfig, use: (corpus: Corpus) => T): Promise<T> =>
  opened({ index: ":memory:", ...config }, use);

const opened = <T>(config: CorpusConfig, use: (corpus: Corpus) => T): Promise<T> =>
  run(function* () {
    return use(yield* useCorpus(config));
  });

const pathsOf = (corpus: Corpus) => corpus.documents.map((document) => document.path);

test("a folder, a file and a glob give their documents once each", async () => {
  const cwd = temporaryFolder({
    "docs/a.md": "# A\n\nalpha",
    "docs/deep/b.mdx": "# B\n\nbeta",
    "notes.txt": "gamma",
    "extra/c.md": "# C\n\ndelta",
    "extra/c.ts": "// epsilon",
  });
  const paths = await inMemory({ cwd, paths: ["docs", "./docs/a.md", "notes.txt", "extra/*.md"] }, pathsOf);
  expect(paths).toEqual(["docs/a.md", "docs/deep/b.mdx", "extra/c.md", "notes.txt"]);
});

test("a working folder may be written with a slash at its end", async () => {
  const cwd = temporaryFolder({ "docs/a.md": "# A\n\nalpha" });
  expect(await inMemory({ cwd: `${cwd}/`, paths: "docs" }, pathsOf)).toEqual(["docs/a.md"]);
});

test("a project with ignore rules of its own may stand deep inside a repository that has some", async () => {
  const repository = temporaryFolder({
    ".git/HEAD": "ref: refs/heads/main",
    ".gitignore": "*.log",
    "apps/mine/.gitignore": "drafts/",
    "apps/mine/docs/a.md": "# A\n\nalpha",
    "apps/mine/docs/drafts/b.md": "# B\n\nbeta",
  });
  const cwd = join(repository, "apps/mine");
  expect(await inMemory({ cwd, paths: "docs" }, pathsOf)).toEqual(["docs/a.md"]);
});

test("a search finds the passage, with its heading and lines", async () => {
  const cwd = temporaryFolder({
    "guide.md":
      "# Guide\n\n## Retries\n\nA failed call is tried again after a delay.\n\n## Limits\n\nAt most ten turns.",
    "other.md": "# Other\n\nNothing of interest here.",
  });
  const [hit] = await inMemory({ cwd, paths: "." }, (corpus) => corpus.search("delays of retried calls"));
  expect(hit).toMatchObject({
    path: "guide.md",
    title: "Guide",
    heading: "Retries",
    lines: [5, 5],
    snippet: "A failed call is tried again after a delay.",
  });
});

test("a quotation verifies across line ends and not when a word differs", async () => {
  const cwd = temporaryFolder({ "a.md": "# A\n\nThe quick brown\nfox jumps over\nthe lazy dog." });
  await inMemory({ cwd, paths: "a.md" }, (corpus) => {
    expect(corpus.verify({ source: "a.md", text: "brown fox jumps" })).toBe(true);
    expect(corpus.locate("a.md", "brown fox jumps")).toEqual([3, 4]);
    expect(corpus.verify({ source: "a.md", text: "brown fox jumps", lines: [3, 3] })).toBe(false);
    expect(corpus.verify({ source: "a.md", text: "brown cat jumps" })).toBe(false);
    expect(corpus.verify({ source: "a.md", text: "  " })).toBe(false);
    expect(corpus.verify({ source: "b.md", text: "brown" })).toBe(false);
  });
});

test("links are followed once, loops included, and a file keeps its own path", async () => {
  const cwd = temporaryFolder({ "docs/z.md": "# Z\n\nzeta", "shared/s.md": "# S\n\nsigma" });
  symlinkSync(join(cwd, "docs"), join(cwd, "docs", "again"));
  symlinkSync(join(cwd, "docs/z.md"), join(cwd, "docs/a.md"));
  symlinkSync(join(cwd, "shared"), join(cwd, "docs/linked"));
  symlinkSync(join(cwd, "nowhere.md"), join(cwd, "docs/broken.md"));
  await inMemory({ cwd, paths: "docs" }, (corpus) => {
    expect(pathsOf(corpus)).toEqual(["docs/linked/s.md", "docs/z.md"]);
    expect(corpus.notices).toEqual(["docs/broken.md was left out: a link that leads nowhere"]);
  });
});

test("ignore files hold, except for what is asked for by name", async () => {
  const cwd = temporaryFolder({
    ".git/HEAD": "",
    ".gitignore": "node_modules/\ndrafts/\n*.tmp.md\n",
    "docs/.gitignore": "old/\n!kept.tmp.md\n",
    "docs/a.md": "alpha",
    "docs/b.tmp.md": "beta",
    "docs/kept.tmp.md": "gamma",
    "docs/old/c.md": "gamma",
    "docs/drafts/d.md": "delta",
    "docs/node_modules/p/e.md": "epsilon",
    "node_modules/lib/readme.md": "zeta",
    "node_modules/lib/node_modules/inner/readme.md": "eta",
  });
  expect(await inMemory({ cwd, paths: "docs" }, pathsOf)).toEqual(["docs/a.md", "docs/kept.tmp.md"]);
  expect(await inMemory({ cwd, paths: "." }, pathsOf)).toEqual(["docs/a.md", "docs/kept.tmp.md"]);
  expect(await inMemory({ cwd, paths: "node_modules/lib" }, pathsOf)).toEqual(["node_modules/lib/readme.md"]);
  expect(await inMemory({ cwd, paths: "node_modules/*/readme.md" }, pathsOf)).toEqual([
    "node_modules/lib/readme.md",
  ]);
  expect(await inMemory({ cwd, paths: "**/node_modules/*/*.md" }, pathsOf)).toHaveLength(3);
  expect(await inMemory({ cwd, paths: ["docs"], ignore: ["docs/a.md"] }, pathsOf)).toEqual([
    "docs/kept.tmp.md",
  ]);
  expect(await inMemory({ cwd, paths: ["docs", "!kept*"] }, pathsOf)).toEqual(["docs/a.md"]);
});

test("a package that is a link into a store is read under the path it was asked for", async () => {
  const cwd = temporaryFolder({
    "node_modules/.store/lib@1/node_modules/lib/README.md": "# Lib\n\nlambda",
    "node_modules/.store/lib@1/node_modules/lib/docs/guide.md": "# Guide\n\nmu",
  });
  symlinkSync(join(cwd, "node_modules/.store/lib@1/node_modules/lib"), join(cwd, "node_modules/lib"));
  const paths = ["node_modules/lib/README.md", "node_modules/lib/docs/guide.md"];
  expect(await inMemory({ cwd, paths: "node_modules/lib" }, pathsOf)).toEqual(paths);
  expect(await inMemory({ cwd, paths: "node_modules/*/**/*.md" }, pathsOf)).toEqual(paths);
});

test("documents outside the working folder are named from the folder they share", async () => {
  const cwd = temporaryFolder({ "keep.md": "x" });
  const elsewhere = temporaryFolder({ "one/a.md": "alpha", "two/b.md": "beta" });
  await inMemory({ cwd, paths: [join(elsewhere, "one"), join(elsewhere, "two")] }, (corpus) => {
    expect(corpus.root).toBe(elsewhere);
    expect(pathsOf(corpus)).toEqual(["one/a.md", "two/b.md"]);
  });
});

test("files that are no documents are left out with a notice each", async () => {
  const cwd = temporaryFolder({
    "docs/good.md": "# Good",
    "docs/empty.md": "\n \n",
    "docs/binary.md": new Uint8Array([1, 2, 0, 3, 4, 0, 0, 9]),
    "docs/huge.txt": "x".repeat(3_000_000),
    "docs/picture.png": "png",
  });
  await inMemory({ cwd, paths: "docs", maxFileBytes: 1024 * 1024 }, (corpus) => {
    expect(pathsOf(corpus)).toEqual(["docs/good.md"]);
    expect(corpus.notices).toEqual([
      "docs/huge.txt was left out: 2.9 MB is more than 1.0 MB (maxFileBytes)",
      expect.stringContaining("1 file of another kind was left out: .png (1)"),
      "docs/binary.md was left out: not text (binary)",
      "docs/empty.md was left out: empty",
    ]);
  });
});

test.skipIf(process.platform !== "linux")(
  "what cannot be read is left out with the reason, and holds nothing up",
  async () => {
    const cwd = temporaryFolder({ "docs/good.md": "# Good" });
    symlinkSync("/proc/self/mem", join(cwd, "docs/memory.md"));
    execFileSync("mkfifo", [join(cwd, "docs/pipe.md")]);
    await inMemory({ cwd, paths: "docs" }, (corpus) => {
      expect(pathsOf(corpus)).toEqual(["docs/good.md"]);
      expect(corpus.notices).toEqual([
        "docs/memory.md was left out: cannot be read (EIO)",
        "docs/pipe.md was left out: not a regular file",
      ]);
    });
  },
);

test("a broken PDF is left out with a notice, whenever its corpus is opened", async () => {
  const cwd = temporaryFolder({ "docs/good.md": "# Good", "docs/bad.pdf": "%PDF-1.4 broken" });
  const config = { cwd, paths: "docs", index: "corpus.db" };
  const notices = await opened(config, (corpus) => corpus.notices);
  expect(notices).toEqual([
    expect.stringMatching(/^docs\/bad\.pdf was left out: a PDF that cannot be opened/),
  ]);
  expect(await opened(config, (corpus) => corpus.notices)).toEqual(notices);
});

test("how far the reading of files is can be followed", async () => {
  const cwd = temporaryFolder(
    Object.fromEntries(Array.from({ length: 450 }, (_, index) => [`docs/${index}.md`, "alpha"])),
  );
  const seen: number[][] = [];
  await inMemory({ cwd, paths: "docs", progress: (...state) => void seen.push(state) }, pathsOf);
  expect(seen).toEqual([
    [200, 450],
    [400, 450],
  ]);
});

test("no document at all is an error that names the paths and why", async () => {
  const cwd = temporaryFolder({ "docs/empty.md": "", "docs/x.bin": "x" });
  const open = (paths: string | string[]) => inMemory({ cwd, paths }, pathsOf);
  await expect(open("docs")).rejects.toThrow(/no documents: looked at "docs" in .*\n {2}.*\.bin/s);
  await expect(open("docs")).rejects.toThrow("docs/empty.md was left out: empty");
  await expect(open("nope/**/*.md")).rejects.toThrow('looked at "nope/**/*.md"');
  await expect(open([])).rejects.toThrow("no paths at all");
  await expect(open("")).rejects.toThrow("a corpus path is empty");
  await expect(open("missing")).rejects.toThrow(`corpus path "missing" is not there`);
  await expect(open("missing")).rejects.toMatchObject({ name: "ConfigurationError" });
});

test("a glob that matches nothing is a notice while others match", async () => {
  const cwd = temporaryFolder({ "a.md": "alpha" });
  const notices = await inMemory({ cwd, paths: ["*.md", "*.rst"] }, (corpus) => corpus.notices);
  expect(notices).toEqual(["*.rst matches no further document"]);
});

test("an index on disk is brought up to date with what was changed, added and removed", async () => {
  const cwd = temporaryFolder({
    "docs/a.md": "# A\n\nalpha",
    "docs/b.md": "# B\n\nbeta",
    "docs/c.md": "# C\n\ngamma",
  });
  const config = { cwd, paths: "docs", index: "corpus.db" };
  await opened(config, (corpus) => expect(corpus.search("beta")).toHaveLength(1));
  writeFileSync(join(cwd, "docs/b.md"), "# B\n\nomega");
  rmSync(join(cwd, "docs/c.md"));
  renameSync(join(cwd, "docs/a.md"), join(cwd, "docs/d.md"));
  await opened(config, (corpus) => {
    expect(pathsOf(corpus)).toEqual(["docs/b.md", "docs/d.md"]);
    expect(corpus.search("beta")).toEqual([]);
    expect(corpus.search("gamma")).toEqual([]);
    expect(corpus.search("omega").map((hit) => hit.path)).toEqual(["docs/b.md"]);
    expect(corpus.search("alpha").map((hit) => hit.path)).toEqual(["docs/d.md"]);
  });
});

test("the default index lies in .pool below the working folder", async () => {
  const cwd = temporaryFolder({ "a.md": "alpha" });
  await opened({ cwd, paths: "a.md" }, pathsOf);
  expect(existsSync(join(cwd, ".pool"))).toBe(true);
  expect(await opened({ cwd, paths: "." }, pathsOf)).toEqual(["a.md"]);
});

test("an index among the documents is none of them", async () => {
  const cwd = temporaryFolder({ "a.md": "alpha" });
  const config = { cwd, paths: ".", index: "index.db" };
  await opened(config, pathsOf);
  writeFileSync(join(cwd, "index.db.damaged-1"), "");
  expect(await opened(config, ({ notices }) => notices)).toEqual([]);
});

test.skipIf(process.platform !== "linux")(
  "a file whose name is no text is left out, and says why",
  async () => {
    const cwd = temporaryFolder({ "a.md": "alpha" });
    writeFileSync(Buffer.concat([Buffer.from(`${cwd}/b`), Buffer.from([0xff]), Buffer.from(".md")]), "beta");
    expect(await opened({ cwd, paths: ".", index: ":memory:" }, ({ notices }) => notices)).toEqual([
      "b\ufffd.md was left out: its name is not UTF-8",
    ]);
  },
);
