import { count } from "../format/count.ts";
import { figureOf } from "../measure/series.ts";
import type { Finding } from "./finding.ts";
import type { Row } from "./row.ts";

const corpus = "a corpus";

export const corpusAtSize: Row = {
  number: 6,
  title: "a corpus of many documents",
  conditions: ({ corpus: { files, searches } }) => `${count(files)} files, ${count(searches)} searches`,
  entries: (scale) => [{ name: corpus, contender: "corpus-at-size", settings: scale.corpus }],
  findings(measured) {
    const found = measured.get(corpus);
    if (found?.type !== "sampled")
      return [{ type: "failed", what: corpus, reason: found?.reason ?? "not measured" }];
    const amount = (figure: string, what: string, unit: string, target?: number): Finding => ({
      type: "amount",
      what,
      amount: figureOf(found.samples, figure),
      unit,
      target,
    });
    return [
      amount("indexMs", "until they were indexed", "ms", 60_000),
      amount("reopenMs", "until the index was open again, and every file was checked", "ms", 2_000),
      amount("searchMs", "a search", "ms", 20),
      amount("slowestMs", "a search, 99 of 100", "ms", 20),
      amount("peakMb", "memory of the process at its peak", "MB", 600),
      amount("indexMb", "the index on disk", "MB"),
    ];
  },
};
