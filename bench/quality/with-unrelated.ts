import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Corpus, useCorpus } from "@agentpool/tools";
import { type Operation, scoped } from "effection";
import type { Dataset } from "./dataset.ts";
import { type Topic, writeUnrelated } from "./unrelated.ts";

/** Opens the articles together with documents that answer nothing, which are gone afterwards. */
export const withUnrelated = <Result>(
  data: Dataset,
  count: number,
  topic: Topic,
  use: (corpus: Corpus, paths: readonly string[]) => Operation<Result>,
): Operation<Result> =>
  scoped(function* () {
    const folder = mkdtempSync(join(tmpdir(), "agentpool-quality-"));
    try {
      const unrelated = join(folder, "unrelated");
      writeUnrelated(join(data.dir, "docs"), unrelated, count, topic);
      const paths = [join(data.dir, "docs"), unrelated];
      return yield* use(yield* useCorpus({ cwd: folder, paths, index: ":memory:" }), paths);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
