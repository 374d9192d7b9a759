// Counts what a caching provider reads afresh: node --conditions=@agentpool/source --import tsx bench/cache/run.ts
import { fileURLToPath } from "node:url";
import { loadHarness } from "@agentpool/harness";
import { main } from "effection";
import { freshTokens } from "./fresh-tokens.ts";

/** Forked against rebuilt. */
const target = 0.25;

/** Turns of a researching agent at medium effort. */
const allowed = 10;

await main(function* () {
  const { config, corpus } = loadHarness({ cwd: fileURLToPath(new URL("../..", import.meta.url)) });
  const job = { question: config.question ?? "", ...corpus! };
  const line = (what: string, tokens: number) =>
    console.log(`  ${what.padEnd(34)} ${tokens.toLocaleString("en").padStart(12)} tokens`);
  for (const [who, turns] of [
    ["agents as brief as the engine", 0],
    [`agents that use their ${allowed} turns, as a language model does`, allowed],
  ] as const) {
    const { requests, total, forked, rebuilt, perAgent, ratio } = yield* freshTokens({ ...job, turns });
    console.log(`The research job, ${who}:`);
    line(`sent in ${requests} requests`, total);
    line("read afresh, forked", forked);
    line("read afresh, rebuilt every turn", rebuilt);
    line("read afresh, rebuilt per agent", perAgent);
    const verdict = turns === 0 ? "note" : ratio <= target ? "pass" : "miss";
    console.log(`${verdict}: ${ratio.toFixed(3)} × rebuilt (target ${target})\n`);
    if (verdict === "miss") process.exitCode = 1;
  }
});
