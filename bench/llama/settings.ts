export interface LlamaAgentsSettings {
  /** Most agents at once. */
  readonly agents: number;
  /** Tokens that all of them share. */
  readonly prefix: number;
  /** Tokens that each writes. */
  readonly tokens: number;
}

/** How many write at once, one after another. */
export const crowds = [1, 2, 4, 8] as const;
export type Crowd = (typeof crowds)[number];
