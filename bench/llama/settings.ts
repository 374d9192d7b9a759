import { availableParallelism, loadavg } from "node:os";

export interface LlamaAgentsSettings {
  readonly threads: number;
  /** Most agents at once. */
  readonly agents: number;
  /** Tokens that all of them share. */
  readonly prefix: number;
  /** Tokens that each writes. */
  readonly tokens: number;
}

/**
 * Threads of every contender: as many as there are cores that nobody uses when the bench begins. More would wait for
 * each other at every layer, and measure the others.
 */
export const threads = Math.max(
  1,
  Math.min(availableParallelism(), Math.round(availableParallelism() - loadavg()[0]!)),
);

/** How many write at once, one after another. */
export const crowds = [1, 2, 4, 8] as const;
export type Crowd = (typeof crowds)[number];
