import { main } from "effection";
import { useCorpus } from "../use-corpus.ts";

// For tests: a process of its own that opens the index of a folder and says what it finds.
await main(function* ([cwd = "."]) {
  const corpus = yield* useCorpus({ cwd, paths: "docs", index: "index.db" });
  console.log(`${corpus.search("alpha", 1_000).length} found, ${corpus.notices.length} notices`);
});
