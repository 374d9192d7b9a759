import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Corpus, useCorpus } from "@agentpool/tools";
import { ensure, type Operation, resource, scoped } from "effection";
import type { Contender, Open, Sample } from "./contender.ts";
import { stopwatch } from "./stopwatch.ts";

export interface CorpusSettings {
  readonly files: number;
  readonly searches: number;
}

/** A corpus of many files: how long its index takes to make, to open again and to search, and in how much memory. */
const open: Open<CorpusSettings> = ({ files, searches }) =>
  resource<Contender>(function* (provide) {
    const cwd = mkdtempSync(join(tmpdir(), "corpus-at-size-"));
    yield* ensure(() => rmSync(cwd, { recursive: true, force: true }));
    const words = writeFiles(cwd, files);
    const index = join(cwd, "index.db");
    yield* provide({
      *round(): Operation<Sample> {
        rmSync(index, { force: true });
        const lap = stopwatch();
        const made = yield* opened(cwd, () => []);
        const passed = lap();
        const reopened = yield* opened(cwd, (corpus) => searchTimes(corpus, words, searches));
        const times = reopened.value.sort((a, b) => a - b);
        const figures = {
          indexMs: made.ms,
          reopenMs: reopened.ms,
          searchMs: times[times.length >> 1]!,
          slowestMs: times[Math.floor(times.length * 0.99)]!,
          peakMb: process.resourceUsage().maxRSS / 1_024,
          indexMb: statSync(index).size / 1_024 / 1_024,
        };
        return { units: files, ...passed, figures };
      },
    });
  });
export default open;

function* opened<T>(cwd: string, use: (corpus: Corpus) => T): Operation<{ ms: number; value: T }> {
  return yield* scoped(function* () {
    const start = performance.now();
    const corpus = yield* useCorpus({ cwd, paths: "docs", index: "index.db" });
    const ms = performance.now() - start;
    return { ms, value: use(corpus) };
  });
}

function searchTimes(corpus: Corpus, words: readonly string[], searches: number): number[] {
  const random = randomOf(7);
  const pick = () => words[Math.floor(words.length * random() ** 2)]!;
  return Array.from({ length: searches }, () => {
    const query = `what is the ${pick()} of ${pick()} and ${pick()} ${pick()} in ${pick()}`;
    const start = performance.now();
    corpus.search(query, 8);
    return performance.now() - start;
  });
}

/** Files of about six paragraphs, of words as rare and as frequent as in English. Returns the words. */
function writeFiles(cwd: string, files: number): string[] {
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
