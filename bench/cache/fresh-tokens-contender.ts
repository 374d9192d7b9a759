import { fileURLToPath } from "node:url";
import { loadHarness } from "@agentpool/harness";
import type { Open, Sample } from "../contenders/contender.ts";
import { stopwatch } from "../contenders/stopwatch.ts";
import { freshTokens } from "./fresh-tokens.ts";

/** This repository's own job, with agents that take so many turns. It is the same in every round: it runs once. */
const open: Open<{ readonly turns: number }> = function* ({ turns }) {
  const { config, corpus } = loadHarness({ cwd: fileURLToPath(new URL("../..", import.meta.url)) });
  let sample: Sample | undefined;
  return {
    *round() {
      if (sample) return sample;
      const watch = stopwatch();
      const counted = yield* freshTokens({ question: config.question ?? "", ...corpus!, turns });
      sample = { units: counted.requests, ...watch(), figures: { ...counted } };
      return sample;
    },
  };
};
export default open;
