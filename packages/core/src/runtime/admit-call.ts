import type { Operation } from "effection";
import { isMessage, readAnswer } from "../decisions/answers.ts";
import { copy } from "../decisions/copy.ts";
import { outcomeTokens, resultMessage } from "../decisions/result.ts";
import { words } from "../decisions/words.ts";
import type { Outcome } from "../values/call.ts";
import type { AdmitAnswer, AdmittedAnswer } from "../values/hooks.ts";
import type { AgentState } from "./agent-state.ts";
import { askHooks } from "./ask-hooks.ts";
import { type Call, infoOf } from "./call-state.ts";

/** A call with what became of it, on its way into the context. `call` is absent where it did not pass the gates. */
export interface Settled {
  readonly id: string;
  readonly toolCallId: string;
  readonly tool: string;
  readonly call: Call | undefined;
  readonly outcome: Outcome;
}

/** The model reads a result. From here on a success is attended. Returns what a hook wants to say next. */
export function* admitCall(agent: AgentState, settled: Settled): Operation<string | undefined> {
  const { call } = settled;
  const { run } = agent.pool;
  const short = call && shortOfRoom(agent, settled.outcome);
  const outcome = short ? yield* shrink(agent, call, short) : settled.outcome;
  yield* agent.session.append([resultMessage(settled, outcome)]);
  const attended = call !== undefined && outcome.type === "ok";
  if (attended) {
    agent.lineage.attend(call.identity, call.args);
    run.cohort.attend(call.identity, call.args);
    agent.attendedCount++;
    run.totals.attended++;
  }
  if (call?.ticket) run.line.leave(call.ticket);
  run.emit({
    type: "call:admitted",
    agent: agent.key,
    call: settled.id,
    tool: settled.tool,
    outcome: outcome.type,
    attended,
  });
  return attended && call.bound.followed ? yield* followUp(agent, call, outcome.value) : undefined;
}

interface Short {
  readonly result: unknown;
  readonly window: number;
  readonly tokens: number;
  readonly room: number;
}

/** By how much a result does not fit; undefined: it does. */
function shortOfRoom(agent: AgentState, outcome: Outcome): Short | undefined {
  const window = agent.model.contextWindow;
  if (window === undefined || outcome.type !== "ok") return undefined;
  const room = Math.max(0, Math.floor(window * agent.pool.budget.context.hard) - agent.session.tokens);
  const tokens = outcomeTokens(outcome);
  return tokens > room ? { result: outcome.value, window, tokens, room } : undefined;
}

/** What enters the context in place of a result that does not fit. */
function* shrink(agent: AgentState, call: Call, { result, window, tokens, room }: Short): Operation<Outcome> {
  const answer = yield* askHooks(call.bound.hooks, {
    agent,
    call: call.id,
    moment: "beforeAdmit",
    input: () => ({ ...about(call), result: copy(result), tokens, room }),
    read: (given) =>
      readAnswer<AdmitAnswer>(given, { nudge: ({ message }) => isMessage(message), drop: () => true }),
  });
  if (answer?.type === "nudge") return { type: "error", message: answer.message };
  const cut = answer ? undefined : cutToFit(result, room);
  if (cut !== undefined) return { type: "ok", value: cut };
  agent.limit = "context";
  agent.pool.run.emit({ type: "budget:exhausted", agent: agent.key, budget: "context", limit: window });
  return { type: "error", message: words.dropped(call.tool, tokens, room) };
}

/** Tokens that have to be free for a part of a result to be worth reading. */
const WORTHWHILE = 200;

/** As much of a result as fits, and a word on what was left out; undefined: too little would. */
function cutToFit(result: unknown, room: number): string | undefined {
  if (room < WORTHWHILE) return undefined;
  const text = typeof result === "string" ? result : JSON.stringify(result);
  const kept = room * 4 - 160;
  return text.slice(0, kept) + words.leftOut(kept, text.length);
}

function* followUp(agent: AgentState, call: Call, result: unknown): Operation<string | undefined> {
  const answer = yield* askHooks(call.bound.hooks, {
    agent,
    call: call.id,
    moment: "afterAdmit",
    input: () => ({ ...about(call), result: copy(result) }),
    read: (given) =>
      readAnswer<AdmittedAnswer>(given, { followUp: ({ message }) => isMessage(message), none: () => true }),
  });
  return answer?.type === "followUp" ? answer.message : undefined;
}

const about = (call: Call) => ({ agent: call.agent.view, call: infoOf(call), run: call.agent.pool.run.id });
