import type { Args } from "./json.ts";

/** A call of a tool with `target: "client"`: it waits for its result to be submitted. */
export interface ClientCall {
  /** The call's id: results are submitted by it. */
  readonly id: string;
  readonly agent: string;
  readonly tool: string;
  readonly identity: string;
  readonly args: Args;
}
