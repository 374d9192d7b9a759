import type { BoundTool } from "../decisions/bind.ts";
import type { CallArgs } from "../decisions/call-args.ts";
import { copy } from "../decisions/copy.ts";
import type { Ticket } from "../decisions/line.ts";
import type { CallInfo } from "../values/call.ts";
import type { RecordedCall } from "../values/recorded.ts";
import type { ReviewNote } from "../values/review.ts";
import type { AgentState } from "./agent-state.ts";
import type { Run } from "./run.ts";

/** A call on its way through the stages. */
export interface Call {
  readonly agent: AgentState;
  readonly id: string;
  /** The model's id: its result is matched by it. */
  readonly toolCallId: string;
  /** The name the model used; of a call that was rewritten, the name of what it became. */
  readonly tool: string;
  readonly identity: string;
  readonly args: CallArgs;
  readonly turn: number;
  readonly bound: BoundTool;
  /** Its place in line, once it has one. */
  ticket: Ticket | undefined;
  /** The reviews that its step has passed. */
  reviews?: readonly ReviewNote[];
  /** Whether a person let it run. */
  approved: boolean;
  /** Whether its tool was started: it then counts as a call. */
  dispatched: boolean;
  /** What is on record about it. */
  readonly past?: RecordedCall;
}

/** What asking about a call takes of it, and of its agent. */
export type Asked = Pick<Call, "id" | "tool" | "identity" | "args" | "turn" | "bound"> & {
  readonly agent: Pick<AgentState, "key" | "view"> & {
    readonly pool: { readonly run: Pick<Run, "id" | "clock" | "emit"> };
  };
};

/** What hooks see of a call: a copy they can do with as they like. */
export const infoOf = (call: Asked): CallInfo => ({
  id: call.id,
  tool: call.tool,
  identity: call.identity,
  args: copy(call.args.args),
  turn: call.turn,
});
