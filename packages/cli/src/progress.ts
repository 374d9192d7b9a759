import type { PoolEvent } from "@agentpool/core";

/** Something that shows a run while it runs. */
export interface Progress {
  observe(event: PoolEvent): void;
  /** Says something that is no event. */
  say(text: string): void;
}
