// Opens a store when it is told to, in a process of its own: see migrations.test.ts.
import { once } from "node:events";
import { main, until } from "effection";
import { openStore } from "../../src/index.ts";

await main(function* () {
  console.log("ready");
  yield* until(once(process.stdin, "data"));
  const store = yield* openStore(process.argv[2]!);
  console.log((yield* store.runs()).map(({ id }) => id).join(" "));
  process.stdin.unref();
});
