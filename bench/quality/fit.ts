// Fits the engine's weights to a question set, and says how well they serve articles they have not seen:
//
//   node --conditions=@agentpool/source --import tsx bench/quality/fit.ts --data DIR [--foldings 6] [--write]
//
// It prints the weights that the engine comes with (packages/models/src/extractive/rank/weights.ts) and those of two
// folds by article (bench/quality/fit/folds.json); --write puts them there. Weights are fitted to what the job read
// with all weights at one, in the articles alone and among unrelated documents, so that they depend on nothing before.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type ExtractiveWeights, extractiveFeatures } from "@agentpool/models";
import { useCorpus } from "@agentpool/tools";
import { run } from "effection";
import { readDataset } from "./dataset.ts";
import { type Example, examplesOf } from "./fit/examples.ts";
import { fitWeights } from "./fit/fit.ts";
import { folding } from "./fit/folding.ts";
import { spread } from "./fit/spread.ts";
import { type Fold, heldOutWeights } from "./held-out.ts";
import { measureJob } from "./measure.ts";
import { withUnrelated } from "./with-unrelated.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    foldings: { type: "string", default: "6" },
    unrelated: { type: "string", default: "10000" },
    write: { type: "boolean", default: false },
  },
});
if (values.data === undefined)
  throw new Error("--data DIR: a folder with questions.json, composite.json and docs.");

const data = readDataset(values.data);
const plain = Object.fromEntries(extractiveFeatures.map((name) => [name, 1])) as ExtractiveWeights;

await run(function* () {
  const articles = yield* useCorpus({ cwd: data.dir, paths: "docs", index: ":memory:" });
  const examples: Example[] = [
    ...(yield* examplesOf(articles, data.questions, plain)),
    ...(yield* withUnrelated(data, Number(values.unrelated), "shared", (corpus) =>
      examplesOf(corpus, data.questions, plain),
    )),
  ];
  const docs = data.questions.map(({ doc }) => doc);
  const foldsBy = (seed?: number): Fold[] =>
    folding(docs, seed).map((heldOut) => ({
      heldOut,
      weights: fitWeights(examples.filter(({ question }) => !heldOut.includes(question.doc))),
    }));
  const shipped = fitWeights(examples);
  const folds = foldsBy();
  print("all articles", shipped);
  for (const { heldOut, weights } of folds) print(`without ${heldOut.join(", ")}`, weights);
  if (values.write) {
    write("../../packages/models/src/extractive/rank/weights.ts", (file) =>
      file.replace(/(?<=weights: Weights = )\{[^}]*\}/, literal(shipped)),
    );
    write("fit/folds.json", () => `${JSON.stringify(folds, null, 2)}\n`);
  }
  const shares = [];
  for (let seed = 1; seed <= Number(values.foldings); seed++) {
    const { first, five } = yield* measureJob(
      articles,
      data.questions,
      2,
      heldOutWeights(foldsBy(seed), shipped),
    );
    console.log(`folding ${seed}: first ${first.toFixed(3)}, five ${five.toFixed(3)}`);
    shares.push({ first, five });
  }
  if (shares.length === 0) return;
  console.log(
    `first ${spread(shares.map(({ first }) => first))}, five ${spread(shares.map(({ five }) => five))}`,
  );
});

function print(of: string, weights: ExtractiveWeights): void {
  console.log(`// fitted to ${of}\n${literal(weights)}\n`);
}

function literal(weights: ExtractiveWeights): string {
  const lines = extractiveFeatures.map((name) => `  ${name}: ${weights[name]},\n`);
  return `{\n${lines.join("")}}`;
}

function write(path: string, change: (file: string) => string): void {
  const url = new URL(path, import.meta.url);
  let before = "";
  try {
    before = readFileSync(url, "utf8");
  } catch {
    // Not there yet.
  }
  writeFileSync(url, change(before));
}
