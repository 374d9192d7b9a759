import type { Model, Prefix, Session } from "@agentpool/core";
import type { Operation } from "effection";
import { Conversation } from "../conversation.ts";
import { Done } from "../done.ts";
import type { ScriptedMoment, Scripts } from "./script.ts";
import { ScriptedSession } from "./session.ts";

/** A model that plays scripts, and remembers what it was shown. */
export interface ScriptedModel extends Model {
  /** Every generation that was asked for, in order. Empty with `keep: false`. */
  readonly requests: readonly ScriptedMoment[];
  /** Those of one agent. */
  requestsOf(key: string): readonly ScriptedMoment[];
}

export interface ScriptedOptions {
  /** The model's name on record. Default `scripted`. */
  readonly id?: string;
  /** Tokens a session can hold, as estimated. Default: not limited. */
  readonly contextWindow?: number;
  /** Whether `requests` keeps what the model was shown. Default true. */
  readonly keep?: boolean;
}

/**
 * A model for tests: it says what you wrote, turn by turn, one script per agent.
 *
 * ```ts
 * const model = scripted(({ key, task }) => [
 *   { reasoning: "Look it up.", calls: [{ tool: "search", args: { query: task } }] },
 *   { calls: [{ tool: "search", args: "{ not JSON" }] },       // played as it is
 *   { error: { limited: 250 } },                              // a 429: the agent parks for 250 ms
 *   { wait: 1_000, text: "Slow." },                           // on the pool's clock
 *   ({ messages }) => ({ calls: [{ tool: "report", args: { result: `${messages.length} messages` } }] }),
 * ]);
 * const result = yield* agentPool({ model, … });
 * model.requestsOf("agent/0")[1].messages;                      // what it was shown, by reference
 * ```
 *
 * - A session follows the script of the agent it generates for, from its first turn; a fork starts its own. Where a
 *   recorded conversation was appended, the script goes on after the turns that it holds.
 * - A generation that was abandoned is played again; one that failed is not.
 * - Generating beyond the end of a script is an error that names the agent and the turn. Only a forced generation
 *   (`toolChoice` a tool or `none`) for which the script has no fitting turn next gets one made up: the smallest
 *   arguments that fit the tool's schema, the same in every run. It uses up no turn of the script.
 */
export function scripted(scripts: Scripts, options: ScriptedOptions = {}): ScriptedModel {
  const requests: ScriptedMoment[] = [];
  const played = { scripts, keep: options.keep === false ? undefined : requests };
  return {
    id: options.id ?? "scripted",
    contextWindow: options.contextWindow,
    lasting: true,
    requests,
    requestsOf: (key) => requests.filter((moment) => moment.key === key),
    open: (prefix: Prefix): Operation<Session> =>
      new Done(new ScriptedSession(played, Conversation.open(prefix), 0)),
  };
}
