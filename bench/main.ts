// The bench: measures the rows that were asked for, beside their peers, and prints what it found.
import { availableParallelism, loadavg } from "node:os";
import { exit, main, type Operation } from "effection";
import { qualityText } from "./format/quality-text.ts";
import { type RowResult, rowText } from "./format/row-text.ts";
import { measureQuality } from "./measure-quality.ts";
import { type Options, readCommand, usage } from "./options.ts";
import type { Row as QualityRow } from "./quality/rows.ts";
import { groups } from "./rows/all.ts";
import { verdictOf } from "./rows/finding.ts";
import { measureRows } from "./rows/measure-rows.ts";
import { full, quick, type Scale } from "./scale.ts";

const progress = (line: string): void => void process.stderr.write(`${line}\n`);

/** Measures and prints. False where something could not be measured. */
function* bench(options: Options): Operation<boolean> {
  const scale = options.quick ? quick : full;
  const print = (text: string): void => void (options.json || process.stdout.write(`${text}\n`));
  print(head(scale, options.quick));
  const rows: RowResult[] = [];
  for (const group of groups) {
    const asked = group.filter(({ number }) => options.only.includes(number));
    if (asked.length === 0) continue;
    const results = yield* measureRows(asked, scale, progress);
    rows.push(...results);
    for (const result of results) print(rowText(result));
  }
  let quality: readonly QualityRow[] | undefined;
  if (options.data !== undefined) {
    progress("the research job on a question set");
    quality = yield* measureQuality(options.data, options.quick);
    print(qualityText(quality));
  }
  if (options.json) process.stdout.write(`${JSON.stringify(document(rows, scale, quality), null, 2)}\n`);
  return isComplete(rows, quality);
}

const isComplete = (rows: readonly RowResult[], quality: readonly QualityRow[] = []): boolean =>
  rows.every(({ findings }) => findings.every(({ type }) => type !== "failed")) &&
  quality.every(({ verdict }) => verdict !== "absent");

function head({ rounds }: Scale, quick: boolean): string {
  const where = `Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)}`;
  const how = `medians of ${rounds} rounds in turns (fastest–slowest), after a warm-up`;
  return `${where}; ${how}${quick ? "; quick: the ratios are rough" : ""}\n`;
}

/** Everything that was found, for programs. */
const document = (
  rows: readonly RowResult[],
  scale: Scale,
  quality: readonly QualityRow[] | undefined,
): object => ({
  node: process.version,
  cores: availableParallelism(),
  load: loadavg()[0],
  scale,
  rows: rows.map((row) => ({
    ...row,
    findings: row.findings.map((finding) => ({ verdict: verdictOf(finding), ...finding })),
  })),
  quality,
});

await main(function* (args) {
  const numbers = groups.flat().map(({ number }) => number);
  const command = readCommand(args, numbers);
  if (command.type === "help") process.stdout.write(usage);
  else if (command.type === "wrong") yield* exit(2, `${command.message}\n\n${usage}`);
  else if (!(yield* bench(command.options))) yield* exit(1);
});
