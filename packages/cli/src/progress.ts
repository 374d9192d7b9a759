import type { PoolEvent } from "@agentpool/core";

/** Something that shows a run while it runs. */
export interface Progress {
  observe(event: PoolEvent): void;
  /** Documents are read into their index before anything else: how many are done. */
  reading(done: number, total: number): void;
  /** Says something that is no event. */
  say(text: string): void;
  /** Asks something; what is typed goes below it. It stays until it is {@link answered}. */
  ask(question: string): void;
  /** The question is over. `entered`: somebody has typed a line, which moved the cursor down. */
  answered(how: { readonly entered: boolean }): void;
}
