import type { Args } from "../values/json.ts";
import type { Fate, ReplayedStop } from "./fate.ts";

/** A recorded run, and what other settings would have made of it. */
export interface ReplayedRun {
  /** In the order they were made. */
  readonly calls: readonly ReplayedCall[];
  /** In the order they were begun, those of reviews not among them. */
  readonly turns: readonly ReplayedTurn[];
}

/** A call of a recorded run, and what other settings would have made of it. */
export interface ReplayedCall {
  readonly call: string;
  readonly agent: string;
  readonly turn: number;
  readonly tool: string;
  readonly args: Args | undefined;
  readonly recorded: Fate;
  readonly replayed: Fate;
  /** Whether a person was asked first, and would be. One who was asked then has decided. */
  readonly asked: { readonly recorded: boolean; readonly replayed: boolean };
  /** Guards that broke when they were asked here. */
  readonly broken: readonly string[];
  /** Its tool is none of those that were given: of its guards, those of the hooks alone were asked. */
  readonly unknownTool: boolean;
  /** Of a call that ran: milliseconds, and an estimate of the tokens of its result. */
  readonly ms: number | undefined;
  readonly tokens: number | undefined;
  /** Turns that its agent takes after the one that made it, here too: each reads its result again. */
  readonly turnsAfter: number;
}

/** A generation of a recorded run, and whether it would have come to it. */
export interface ReplayedTurn {
  readonly agent: string;
  readonly turn: number;
  /** Restarts of the turn before it. */
  readonly attempt: number;
  /** What it used, with its reviews and attempts that came to nothing: tokens, in and out; US dollars, as far as prices are on record; milliseconds. */
  readonly tokens: number;
  readonly cost: number;
  readonly ms: number;
  /** Its price is not on record. */
  readonly unpriced: boolean;
  readonly replayed: TurnFate;
}

export type TurnFate =
  | { readonly type: "taken" }
  /** Its agent is stopped, and reports in its place, in a generation that is taken to use as much. */
  | { readonly type: "reports"; readonly by: ReplayedStop }
  /** Its agent has been stopped before, or is not there. */
  | { readonly type: "missed"; readonly by: ReplayedStop };
