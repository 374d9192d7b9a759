import type { Operation } from "effection";
import { isMessage, readAnswer } from "../decisions/answers.ts";
import { copy } from "../decisions/copy.ts";
import { outcomeTokens } from "../decisions/result.ts";
import { words } from "../decisions/words.ts";
import type { Outcome } from "../values/call.ts";
import type { AdmitAnswer } from "../values/hooks.ts";
import type { Settled } from "./admit-call.ts";
import type { AgentState } from "./agent-state.ts";
import { askHooks } from "./ask-hooks.ts";
import { infoOf } from "./call-state.ts";

/** By how much a result does not fit. In tokens. */
export interface Short {
  readonly window: number;
  readonly tokens: number;
  readonly room: number;
}

/** Whether a result fits what is left of the context; undefined: it does. */
export function shortOfRoom(agent: AgentState, outcome: Outcome): Short | undefined {
  const window = agent.model.contextWindow;
  if (window === undefined) return undefined;
  const room = Math.max(0, Math.floor(window * agent.pool.budget.context.hard) - agent.session.tokens);
  const tokens = outcomeTokens(outcome);
  return tokens > room ? { window, tokens, room } : undefined;
}

/**
 * What enters the context in place of a result that does not fit: what a hook says instead, else as much of it as
 * there is room for, with a word on what was left out. Where there is hardly any, it is dropped and the agent reports.
 */
export function* fitResult(
  agent: AgentState,
  settled: Settled,
  short: Short,
): Operation<{ readonly outcome: Outcome; readonly dropped: boolean }> {
  const { outcome, call, tool } = settled;
  const { tokens, room } = short;
  const answer =
    call && outcome.type === "ok"
      ? yield* askHooks(call.bound.hooks, {
          agent,
          call: call.id,
          moment: "beforeAdmit",
          input: () => ({
            agent: agent.view,
            call: infoOf(call),
            run: agent.pool.run.id,
            result: copy(outcome.value),
            tokens,
            room,
          }),
          read: readAdmit,
        })
      : undefined;
  if (answer?.type === "nudge")
    return { outcome: { type: "error", message: answer.message }, dropped: false };
  if (!answer && room >= WORTHWHILE) return { outcome: cutToFit(outcome, room), dropped: false };
  agent.limit = "context";
  agent.pool.run.emit({ type: "budget:exhausted", agent: agent.key, budget: "context", limit: short.window });
  return { outcome: { type: "error", message: words.dropped(tool, tokens, room) }, dropped: true };
}

const readAdmit = (given: unknown): AdmitAnswer | undefined =>
  readAnswer<AdmitAnswer>(given, { nudge: ({ message }) => isMessage(message), drop: () => true });

/** Tokens that have to be free for a part of a result to be worth reading. */
const WORTHWHILE = 200;

function cutToFit(outcome: Outcome, room: number): Outcome {
  if (outcome.type !== "ok" && outcome.type !== "substituted")
    return { ...outcome, message: cut(outcome.message, room) };
  const { value } = outcome;
  return { ...outcome, value: cut(typeof value === "string" ? value : JSON.stringify(value), room) };
}

/** The beginning of a text, leaving room for the word on what was left out. */
function cut(text: string, room: number): string {
  const kept = room * 4 - 160;
  return text.slice(0, kept) + words.leftOut(kept, text.length);
}
