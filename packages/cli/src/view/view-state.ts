import type { AgentState, Exit, ParkReason, PoolEvent } from "@agentpool/core";
import { callLabel } from "../call-label.ts";
import { progressLine } from "../progress-line.ts";

/** One agent as the view shows it. */
export interface AgentRow {
  readonly key: string;
  readonly parent: string | undefined;
  readonly task: string;
  readonly state: AgentState;
  /** What it waits for, and until when (milliseconds since the epoch) where that is known. */
  readonly parked: { readonly reason: ParkReason; readonly until: number | undefined } | undefined;
  /** Its running calls by id, in words. */
  readonly running: ReadonlyMap<string, string>;
  readonly turns: number;
  readonly calls: number;
  /** By guard. */
  readonly refusals: ReadonlyMap<string, number>;
  readonly tokens: number;
  readonly exit: Exit | undefined;
  /** What went wrong, where it ended with a failure. */
  readonly reason: string | undefined;
}

/** What the view shows, folded from the events of a run. */
export interface ViewState {
  /** In the order they were spawned. */
  readonly agents: ReadonlyMap<string, AgentRow>;
  readonly startedAt: number | undefined;
  /** Until when earlier processes had it, while nothing new has happened: the time since then does not count. */
  readonly pastUntil: number | undefined;
  /** The last thing said that is about the run as a whole. */
  readonly notice: string | undefined;
}

export const nothingYet: ViewState = {
  agents: new Map(),
  startedAt: undefined,
  pastUntil: undefined,
  notice: undefined,
};

/** The state after these events. Takes many at once, so that a busy second costs one copy. */
export function fold(state: ViewState, events: readonly PoolEvent[]): ViewState {
  if (events.length === 0) return state;
  const agents = new Map(state.agents);
  let { startedAt, pastUntil, notice } = state;
  for (const event of events) {
    startedAt ??= event.at;
    if (event.past) pastUntil = event.at;
    else if (pastUntil !== undefined) {
      startedAt += event.at - pastUntil;
      pastUntil = undefined;
    }
    if (isAboutTheRun(event)) notice = progressLine(event) ?? notice;
    if (event.type === "agent:spawned") agents.set(event.agent, newcomer(event));
    else if ("agent" in event && event.agent !== undefined) {
      const row = agents.get(event.agent);
      if (row) agents.set(event.agent, { ...row, ...change(row, event) });
    }
  }
  return { agents, startedAt, pastUntil, notice };
}

/** What an agent's own row does not say. */
const isAboutTheRun = (event: PoolEvent): boolean =>
  event.type === "notice" ||
  event.type === "budget:threshold" ||
  event.type === "model:fallback" ||
  (event.type === "budget:exhausted" && event.agent === undefined);

const newcomer = (event: Extract<PoolEvent, { type: "agent:spawned" }>): AgentRow => ({
  key: event.agent,
  parent: event.parent,
  task: event.task,
  state: "ready",
  parked: undefined,
  running: new Map(),
  turns: 0,
  calls: 0,
  refusals: new Map(),
  tokens: 0,
  exit: undefined,
  reason: undefined,
});

function change(row: AgentRow, event: PoolEvent): Partial<AgentRow> {
  switch (event.type) {
    case "agent:state":
      return {
        state: event.state,
        parked:
          event.state === "parked" && event.reason ? { reason: event.reason, until: event.until } : undefined,
      };
    case "turn:started":
      return { turns: event.turn };
    case "turn:completed":
      return { tokens: row.tokens + event.result.usage.input + event.result.usage.output };
    case "turn:failed":
    case "model:limited":
      return { tokens: row.tokens + (event.usage ? tokensOf({ usage: event.usage }) : 0) };
    case "call:dispatched":
      return {
        running: new Map(row.running).set(event.call, callLabel(event.tool, event.args)),
        calls: row.calls + (event.attempt === 0 ? 1 : 0),
      };
    case "call:settled":
      return { running: without(row.running, event.call) };
    case "review:started":
      return { running: new Map(row.running).set(REVIEW, `${event.subject} under review by ${event.model}`) };
    case "review:passed":
    case "review:restarted":
    case "review:failed":
      return { running: without(row.running, REVIEW), tokens: row.tokens + tokensOf(event) };
    case "review:matched":
      return { tokens: row.tokens + tokensOf(event) };
    case "call:refused":
    case "call:cancelled":
      return { refusals: new Map(row.refusals).set(event.guard, (row.refusals.get(event.guard) ?? 0) + 1) };
    case "agent:ended":
      return {
        state: "done",
        parked: undefined,
        running: new Map(),
        exit: event.result.exit,
        reason: event.result.reason,
        turns: event.result.turns,
        calls: event.result.toolCallCount,
      };
    default:
      return {};
  }
}

/** Where a review stands among the calls that run: it is no call's id. */
const REVIEW = "review";

const tokensOf = ({
  usage,
}: {
  readonly usage: { readonly input: number; readonly output: number };
}): number => usage.input + usage.output;

function without<V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> {
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}
