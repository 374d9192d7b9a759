import { type LlamaAgentsSettings, threads } from "./llama/settings.ts";

/** How much work the rows do. */
export interface Scale {
  readonly rounds: number;
  /** Of the rows that measure a turn. */
  readonly turns: { readonly agents: number; readonly turns: number };
  /** Turns of all agents together, in a row that compares long conversations with short ones. */
  readonly conversation: { readonly turns: number; readonly short: number; readonly long: number };
  readonly guard: {
    readonly few: number;
    readonly many: number;
    readonly agents: number;
    readonly calls: number;
  };
  readonly live: number;
  /** Of the rows about a model in this process. */
  readonly llama: LlamaAgentsSettings;
  readonly corpus: { readonly files: number; readonly searches: number };
}

export const full: Scale = {
  rounds: 5,
  turns: { agents: 1_000, turns: 10 },
  conversation: { turns: 20_000, short: 50, long: 500 },
  guard: { few: 10, many: 100_000, agents: 20, calls: 500 },
  live: 10_000,
  llama: { threads, agents: 8, prefix: 2_000, tokens: 32 },
  corpus: { files: 10_000, searches: 300 },
};

/** A tenth of the work: to see that everything runs. Its ratios are rough, and targets are not meant for it. */
export const quick: Scale = {
  rounds: 3,
  turns: { agents: 100, turns: 10 },
  conversation: { turns: 2_000, short: 50, long: 500 },
  guard: { few: 10, many: 10_000, agents: 5, calls: 200 },
  live: 1_000,
  llama: { threads, agents: 8, prefix: 200, tokens: 8 },
  corpus: { files: 1_000, searches: 100 },
};
