import type { Exit } from "../values/agent.ts";
import type { Args } from "../values/json.ts";

/** How an agent ends. */
export interface Ending {
  readonly exit: Exit;
  readonly result: unknown;
  /** What was said, where the task's schema made `result` of it. */
  readonly raw?: unknown;
  /** The terminal call's arguments. */
  readonly report?: Args;
  /** What went wrong, in words. */
  readonly reason?: string;
}
