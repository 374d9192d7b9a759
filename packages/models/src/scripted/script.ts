import type { Args, GenerateRequest, Prompt, Turn, Usage } from "@agentpool/core";
import type { Operation } from "effection";

/** Gives each agent its script. Asked once per agent, when it generates for the first time. */
export type Scripts = (agent: ScriptedAgent) => Script;

/** The agent a script is for. Outside a pool the key is empty, and the task is the last user message. */
export interface ScriptedAgent {
  /** Its place in the orchestration, for example `research/2`. */
  readonly key: string;
  readonly task: string;
}

/** Turns in the order they are played, or a function that makes up every turn as it comes. */
export type Script = readonly ScriptedStep[] | ((moment: ScriptedMoment) => ScriptedTurn);

/** A turn, or a function that makes it from what the model was shown. */
export type ScriptedStep = ScriptedTurn | ((moment: ScriptedMoment) => ScriptedTurn);

/** One turn to play. Everything is optional: an empty object is a turn that says and calls nothing. */
export interface ScriptedTurn {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** What is left out is an estimate, the same in every run. */
  readonly usage?: Partial<Usage>;
  /** Default: `calls` where there are calls, else `stop`. */
  readonly finish?: Turn["finish"];
  /**
   * The turn fails: with this error, or as rate limited, `limited` being the milliseconds the provider asks to wait.
   * The next generation plays the next turn.
   */
  readonly error?: Error | { readonly limited: number | "unknown" };
  /** Before anything is said: milliseconds on the pool's clock, or an operation. */
  readonly wait?: number | Operation<unknown>;
}

export interface ScriptedCall {
  readonly tool: string;
  /** The arguments; a string is played as it is, malformed JSON included. Default `{}`. */
  readonly args?: Args | string;
  /** Default: unique within the conversation. */
  readonly id?: string;
}

/** One generation that was asked for: who asked, and what the model was shown. */
export interface ScriptedMoment extends ScriptedAgent {
  /** The agent's generation, from 1. */
  readonly turn: number;
  /** Tools, tool choice and output that were asked for. */
  readonly request: GenerateRequest;
  /** The messages shown, by reference, the system message first. */
  readonly messages: Prompt;
}
