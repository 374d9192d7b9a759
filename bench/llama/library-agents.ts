import { until } from "effection";
import type { Open } from "../contenders/contender.ts";
import { stopwatch } from "../contenders/stopwatch.ts";
import { useModelFile } from "./model-file.ts";
import type { LlamaAgentsSettings } from "./settings.ts";

/** What of it is used. */
interface Library {
  getLlama(options: object): Promise<{
    loadModel(options: { modelPath: string }): Promise<LibraryModel>;
  }>;
}
interface LibraryModel {
  tokenize(text: string): number[];
  createContext(options: object): Promise<{ getSequence(): Sequence }>;
}
interface Sequence {
  readonly nextTokenIndex: number;
  evaluateWithoutGeneratingNewTokens(tokens: readonly number[]): Promise<void>;
  evaluate(tokens: readonly number[], options: object): AsyncIterable<number>;
  eraseContextTokenRanges(ranges: readonly { start: number; end: number }[]): Promise<void>;
  /** Not public: it only spares the time to compute the same for each of them. */
  _copyStateFromOtherSequence(from: Sequence, tokens: number): Promise<void>;
}

/** The library that runs models in this process, through its public interface: so many sequences that write at once. */
const open: Open<LlamaAgentsSettings> = function* ({ threads, agents, prefix, tokens }) {
  const path = yield* useModelFile();
  // It is the dependency of a package of this workspace.
  const entry = new URL("../../packages/llama/node_modules/node-llama-cpp/dist/index.js", import.meta.url);
  const { getLlama }: Library = yield* until(import(entry.href));
  const llama = yield* until(
    getLlama({
      gpu: false,
      build: "never",
      skipDownload: true,
      maxThreads: threads,
      logLevel: "error",
    }),
  );
  const model = yield* until(llama.loadModel({ modelPath: path }));
  const contextSize = Math.ceil((prefix + tokens + 256) / 256) * 256;
  const context = yield* until(
    model.createContext({ contextSize, sequences: agents, batchSize: 512, flashAttention: true, threads }),
  );
  const text = Array.from({ length: prefix }, (_, at) => `line ${at} of what all agents share`).join("\n");
  const shared = model.tokenize(text).slice(0, prefix);
  const sequences = Array.from({ length: agents }, () => context.getSequence());
  const [first, ...others] = sequences as [Sequence, ...Sequence[]];
  yield* until(first.evaluateWithoutGeneratingNewTokens(shared));
  for (const other of others) yield* until(other._copyStateFromOtherSequence(first, prefix));
  return {
    *round() {
      const watch = stopwatch();
      const counts = yield* until(
        Promise.all(
          sequences.map(async (sequence) => {
            await sequence.eraseContextTokenRanges([{ start: prefix, end: sequence.nextTokenIndex }]);
            let written = 0;
            const options = { temperature: 0.7, topK: 40, topP: 0.95, minP: 0.05 };
            for await (const _ of sequence.evaluate(model.tokenize("Go on."), options))
              if (++written === tokens) break;
            return written;
          }),
        ),
      );
      const units = counts.reduce((sum, count) => sum + count, 0);
      if (units < agents * tokens) throw new Error(`${units} tokens were written`);
      return { units, ...watch() };
    },
  };
};
export default open;
