import type { BoundTool } from "../decisions/bind.ts";
import type { CallArgs } from "../decisions/call-args.ts";
import type { Ticket } from "../decisions/line.ts";
import type { RecordedFate } from "./recorded-calls.ts";
import type { ReplayedAgent } from "./replayed-agent.ts";

/** A call that passed its guards so far. */
export interface Standing {
  readonly recorded: RecordedFate;
  readonly agent: ReplayedAgent;
  readonly bound: BoundTool;
  readonly args: CallArgs;
  ticket: Ticket | undefined;
  /** Guards to ask again from its place in line. */
  lookers: BoundTool["guards"];
  /** Its outcome is known; it takes effect once the call has run here too. */
  succeeded: boolean | undefined;
  admitted: boolean;
  /** Its tool was at it, and it does not wait for anything. */
  runs: boolean;
  /** It has its part of its agent's limits. */
  reserved: boolean;
  /** Waits here for earlier calls in line. */
  parked: boolean;
}

/** A call at its gates. */
export const createStanding = (call: Pick<Standing, "recorded" | "agent" | "bound" | "args">): Standing => ({
  ...call,
  ticket: undefined,
  lookers: call.bound.guards,
  succeeded: undefined,
  admitted: false,
  runs: false,
  reserved: false,
  parked: false,
});
