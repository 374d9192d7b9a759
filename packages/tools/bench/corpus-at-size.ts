import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Corpus, useCorpus } from "@agentpool/tools";
import { ensure, main, type Operation, scoped } from "effection";

/**
 * A corpus of many files: how long its index takes to make, to open again and to search, and in how much memory.
 *
 *     node --conditions=@agentpool/source --import tsx packages/tools/bench/corpus-at-size.ts [files]
 */
await main(function* ([count = "10000"]) {
  const files = Number(count);
  const cwd = mkdtempSync(join(tmpdir(), "corpus-at-size-"));
  yield* ensure(() => rmSync(cwd, { recursive: true, force: true }));
  const words = generate(cwd, files);

  const indexed = yield* timed(cwd, (corpus) => corpus.documents.length);
  report(`${files} files indexed`, indexed.ms / 1000, 60, "s");
  const reopened = yield* timed(cwd, (corpus) => corpus.documents.length);
  report("reopened", reopened.ms / 1000, 2, "s");
  const searched = yield* timed(cwd, (corpus) => searchTimes(corpus, words));
  report("a search, median", at(searched.value, 0.5), 20, "ms");
  report("a search, 99 of 100", at(searched.value, 0.99), 20, "ms");
  report("memory at its peak", process.resourceUsage().maxRSS / 1024, 600, "MB");
  console.log(`index of ${Math.round(statSync(join(cwd, "index.db")).size / 1024 / 1024)} MB`);
});

function* timed<T>(cwd: string, use: (corpus: Corpus) => T): Operation<{ ms: number; value: T }> {
  return yield* scoped(function* () {
    const start = performance.now();
    const corpus = yield* useCorpus({ cwd, paths: "docs", index: "index.db" });
    const ms = performance.now() - start;
    return { ms, value: use(corpus) };
  });
}

function searchTimes(corpus: Corpus, words: readonly string[]): number[] {
  const random = randomOf(7);
  const pick = () => words[Math.floor(words.length * random() ** 2)]!;
  return Array.from({ length: 300 }, () => {
    const query = `what is the ${pick()} of ${pick()} and ${pick()} ${pick()} in ${pick()}`;
    const start = performance.now();
    corpus.search(query, 8);
    return performance.now() - start;
  });
}

function at(times: readonly number[], share: number): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * share)]!;
}

function report(what: string, found: number, most: number, unit: string): void {
  console.log(`${found <= most ? "pass" : "MISS"}  ${what}: ${found.toFixed(1)} ${unit} (at most ${most})`);
}

/** Writes files of about six paragraphs, of words as rare and as frequent as in English. Returns the words. */
function generate(cwd: string, files: number): string[] {
  const random = randomOf(42);
  const letters = "etaoinshrdlucmfwypvbgk";
  const words = Array.from({ length: 30_000 }, () =>
    Array.from(
      { length: 3 + Math.floor(random() * 8) },
      () => letters[Math.floor(letters.length * random() ** 1.5)],
    ).join(""),
  );
  const word = () => words[Math.floor(words.length * random() ** 6)]!;
  const sentence = () => `${Array.from({ length: 8 + Math.floor(random() * 14) }, word).join(" ")}.`;
  const paragraph = () => Array.from({ length: 3 + Math.floor(random() * 4) }, sentence).join(" ");
  for (let file = 0; file < files; file++) {
    const folder = join(cwd, "docs", String(file % 100));
    if (file < 100) mkdirSync(folder, { recursive: true });
    const sections = Array.from({ length: 6 }, () => `## ${word()} ${word()}\n\n${paragraph()}\n`);
    writeFileSync(join(folder, `${file}.md`), `# ${word()} ${word()}\n\n${sections.join("\n")}`);
  }
  return words;
}

/** The same numbers in every run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
