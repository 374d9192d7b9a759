import { main, suspend } from "effection";
import { openStore } from "../src/index.ts";
import { flushed, started } from "./support.ts";

// Run as a process: takes the run r1 of the store it is given, says its own number, and stays.
await main(function* ([url]) {
  const store = yield* openStore(url!);
  const journal = yield* store.journal("r1");
  journal.note(started("r1"));
  yield* flushed(journal);
  console.log(process.pid);
  yield* suspend();
});
