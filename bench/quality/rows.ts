import { existsSync } from "node:fs";
import { join } from "node:path";
import { extractiveWeights } from "@agentpool/models";
import { useCorpus } from "@agentpool/tools";
import { type Operation, run } from "effection";
import { type Dataset, every, readDataset } from "./dataset.ts";
import { committedFolds, heldOutWeights } from "./held-out.ts";
import {
  measureJob,
  measureParts,
  measurePlain,
  plainParts,
  type Shares,
  type WeightsFor,
} from "./measure.ts";
import { measurePlans } from "./measure-plans.ts";
import { PlainBm25 } from "./plain-bm25.ts";
import type { Topic } from "./unrelated.ts";
import { withUnrelated } from "./with-unrelated.ts";

/** One line of the bench: a share of questions answered, beside plain BM25 in the same run. */
export interface Row {
  readonly what: string;
  /** The job's share, 0 to 1; undefined where it was not measured. */
  readonly ours: number | undefined;
  /** Plain BM25's. */
  readonly peer: number | undefined;
  readonly target: number | undefined;
  readonly verdict: "pass" | "miss" | "note" | "absent";
  readonly note: string;
}

export interface QualityOptions {
  /** Documents to add that answer nothing. Default 10,000; 0 leaves these rows out. */
  readonly unrelated?: number;
  /** Asks only every n-th question. Default 1: all. */
  readonly step?: number;
  /** Is told each row as soon as it is known. */
  readonly onRow?: (row: Row) => void;
}

/**
 * Runs the whole research job on a question set and says how often its quotations hold the answer. `dataDir` has
 * `questions.json`, `composite.json` and `docs`; absent or incomplete, one row says so.
 */
export async function qualityRows(dataDir: string | undefined, options: QualityOptions = {}): Promise<Row[]> {
  const missing = missingIn(dataDir);
  if (missing !== undefined) {
    const row: Row = {
      what: "quality of the research job",
      ours: undefined,
      peer: undefined,
      target: undefined,
      verdict: "absent",
      note: missing,
    };
    options.onRow?.(row);
    return [row];
  }
  const rows: Row[] = [];
  const add = (row: Row): void => {
    rows.push(row);
    options.onRow?.(row);
  };
  const data = readDataset(dataDir!);
  const weightsFor = heldOutWeights(committedFolds(), extractiveWeights);
  await run(function* () {
    yield* articles(data, options, weightsFor, add);
    if (options.unrelated === 0) return;
    for (const topic of topics) yield* amongUnrelated(data, topic, options, weightsFor, add);
  });
  return rows;
}

function missingIn(dataDir: string | undefined): string | undefined {
  if (dataDir === undefined) return "no question set: give one with --data DIR";
  const needed = ["questions.json", "composite.json", "docs"];
  const absent = needed.filter((name) => !existsSync(join(dataDir, name)));
  return absent.length === 0 ? undefined : `${dataDir} has no ${absent.join(", no ")}`;
}

function* articles(
  data: Dataset,
  { step = 1 }: QualityOptions,
  weightsFor: WeightsFor,
  add: (row: Row) => void,
): Operation<void> {
  const corpus = yield* useCorpus({ cwd: data.dir, paths: "docs", index: ":memory:" });
  const plain = new PlainBm25([join(data.dir, "docs")]);
  const questions = every(data.questions, step);
  const one = yield* measureJob(corpus, questions, 1, weightsFor);
  const plainOne = measurePlain(plain, questions, 1);
  add(rowOf("first quotation, one sentence", one.first, plainOne.first, 0.79, halves(one, "first")));
  const two = yield* measureJob(corpus, questions, 2, weightsFor);
  const plainTwo = measurePlain(plain, questions, 2);
  add(rowOf("first quotation, one or two sentences", two.first, plainTwo.first, 0.86, halves(two, "first")));
  add(rowOf("five quotations, 300 words", two.five, plainTwo.five, 0.965, halves(two, "five")));
  const byId = new Map(data.questions.map((question) => [question.id, question]));
  const composites = every(data.composites, step);
  const parts = yield* measureParts(corpus, composites, byId, weightsFor);
  add(
    rowOf(
      "parts of composite questions",
      parts,
      plainParts(plain, composites, byId),
      0.925,
      "plain: unsplit",
    ),
  );
  const plans = yield* measurePlans(corpus, questions, Math.ceil(10 / step));
  add(note("composites in other forms, taken apart", plans.composites, poorly(plans.poor)));
  add(note("single questions, left whole", plans.singles, `${questions.length} questions`));
  add({
    what: "quotations that do not stand in their file",
    ours: one.unverified + two.unverified,
    peer: undefined,
    target: 0,
    verdict: one.unverified + two.unverified === 0 ? "pass" : "miss",
    note: `${Math.round(two.millisecondsPerQuestion)} ms a job`,
  });
  for (const { from, count, right } of two.sureness) {
    add(note(`right where confidence is from ${from.toFixed(1)}`, right, `${count} first quotations`));
  }
}

/** What unrelated documents are about, and what is wanted among them. */
const topics: readonly {
  readonly topic: Topic;
  readonly about: string;
  readonly target?: [number, number];
}[] = [
  { topic: "own", about: "words of their own", target: [0.82, 0.93] },
  { topic: "shared", about: "words half of which the articles have", target: [0.82, 0.93] },
  { topic: "same", about: "one article's words each" },
];

function* amongUnrelated(
  data: Dataset,
  { topic, about, target }: (typeof topics)[number],
  { unrelated = 10_000, step = 1 }: QualityOptions,
  weightsFor: WeightsFor,
  add: (row: Row) => void,
): Operation<void> {
  yield* withUnrelated(data, unrelated, topic, function* (corpus, paths) {
    const plain = new PlainBm25(paths);
    const questions = every(data.questions, step);
    const two = yield* measureJob(corpus, questions, 2, weightsFor);
    const plainTwo = measurePlain(plain, questions, 2);
    const among = `among ${unrelated.toLocaleString("en")} documents about ${about}`;
    const pace = `${Math.round(two.millisecondsPerQuestion)} ms a job`;
    add(rowOf(`first quotation ${among}`, two.first, plainTwo.first, target?.[0], halves(two, "first")));
    add(
      rowOf(
        `five quotations ${among}`,
        two.five,
        plainTwo.five,
        target?.[1],
        `${halves(two, "five")}; ${pace}`,
      ),
    );
  });
}

const poorly = (forms: readonly string[]): string =>
  forms.length === 0 ? "each form in nine of ten" : `worst: ${forms.join("; ")}`;

const note = (what: string, ours: number, text: string): Row => ({
  what,
  ours,
  peer: undefined,
  target: undefined,
  verdict: "note",
  note: text,
});

const halves = (shares: Shares, of: "first" | "five"): string =>
  `by halves of the articles ${shares.halves.map((half) => half[of].toFixed(3)).join(" and ")}`;

const rowOf = (what: string, ours: number, peer: number, target: number | undefined, note: string): Row => ({
  what,
  ours,
  peer,
  target,
  verdict: target === undefined ? "note" : ours >= target ? "pass" : "miss",
  note,
});
