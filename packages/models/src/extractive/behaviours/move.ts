import type { Args } from "@agentpool/core";

/** What the engine does in a turn. */
export interface Move {
  /** Why, for who watches. */
  readonly reasoning: string;
  readonly calls: readonly { readonly tool: string; readonly args: Args }[];
  readonly text?: string;
}

export const say = (reasoning: string, text: string): Move => ({ reasoning, calls: [], text });
