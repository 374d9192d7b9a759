import type { PoolEvent } from "../values/event.ts";
import type { RecordEntry } from "../values/journal.ts";
import type { RecordedAgent, RecordedTree, RecordedTurn } from "../values/recorded.ts";
import { noUsage } from "../values/usage.ts";
import { addToCall, beginExecution, type CallEvent, callOf } from "./record-call.ts";
import { countPark, countUsage } from "./record-tree.ts";

/** An entry for the record alone that is about an agent. */
export type AgentNote = Extract<RecordEntry, { agent: string }>;

/** An agent as it was spawned. */
export const newAgent = ({
  agent: key,
  pool,
  task,
  parent,
}: Extract<PoolEvent, { type: "agent:spawned" }>): RecordedAgent => ({
  key,
  pool,
  task,
  claimed: false,
  spine: undefined,
  parent: undefined,
  from: parent,
  forkedAt: new Set(),
  turns: new Map(),
  lastTurn: 0,
  generating: false,
  movedTo: undefined,
  attempt: 0,
  forced: false,
  stop: undefined,
  report: undefined,
  limited: undefined,
  calls: new Map(),
  steers: [],
  parks: 0,
  refusals: 0,
  usage: noUsage,
  halted: false,
  result: undefined,
});

/** What an event says about an agent, its calls, and what its run has used. */
export function addToAgent(agent: RecordedAgent, tree: RecordedTree, event: PoolEvent): void {
  switch (event.type) {
    case "turn:started":
      agent.forced = event.forced;
      agent.generating = true;
      return;
    case "model:fallback":
      // a reviewer's model that moved while none of its turns was under way is not its own
      if (agent.generating) agent.movedTo = event.to;
      return;
    case "turn:completed":
      completeTurn(agent, tree, event);
      return;
    case "turn:restarted":
      turnOf(agent, event.turn, event.attempt).restarted = event;
      agent.attempt = event.attempt + 1;
      tree.totals.turns--;
      return;
    case "model:limited":
      // a reviewer's model that cannot be asked while no turn is under way is not its own
      if (agent.generating) {
        const { at, afterMs, attempt, reason = "rate_limit" } = event;
        agent.limited = { until: at + afterMs, attempt, reason };
      }
      countPark(agent, tree);
      if (event.usage) countUsage(agent, tree, event.usage, event.cost);
      return;
    case "turn:failed":
      agent.limited = undefined;
      agent.generating = false;
      if (event.usage) countUsage(agent, tree, event.usage, event.cost);
      return;
    case "agent:steered":
      agent.steers.push(event.message);
      return;
    case "agent:ended":
      agent.result = event.result;
      return;
    case "approval:requested":
      callOf(agent, event.call).approvals.add(event.approval.id);
      return;
    case "approval:decided":
      callOf(agent, event.call).approvals.add(event.approval);
      callOf(agent, event.call).parked = undefined;
      return;
    case "approval:void":
      callOf(agent, event.call).approvals.delete(event.approval);
      callOf(agent, event.call).parked = undefined;
      return;
    case "review:matched":
    case "review:passed":
    case "review:restarted":
    case "review:failed":
      countUsage(agent, tree, event.usage, event.cost);
      turnOf(agent, event.turn, event.type === "review:matched" ? 0 : event.attempt).reviews.push(event);
      return;
  }
  if ("call" in event && "tool" in event)
    addToCall(callOf(agent, event.call!), agent, tree, event as CallEvent);
}

function completeTurn(
  agent: RecordedAgent,
  tree: RecordedTree,
  { turn, result, cost }: Extract<PoolEvent, { type: "turn:completed" }>,
): void {
  countUsage(agent, tree, result.usage, cost);
  tree.longestTurn = Math.max(tree.longestTurn, result.usage.output);
  agent.limited = undefined;
  agent.generating = false;
  agent.movedTo = undefined;
  if (agent.forced) {
    agent.report = result;
    return;
  }
  if (turn !== agent.lastTurn) agent.attempt = 0;
  turnOf(agent, turn, agent.attempt).result = result;
  agent.lastTurn = turn;
  tree.totals.turns++;
}

/** What an entry for the record alone says about an agent. `parent` is the one it forked from. */
export function addNote(agent: RecordedAgent, parent: RecordedAgent | undefined, note: AgentNote): void {
  switch (note.type) {
    case "record:forked":
      agent.spine = note.spine;
      agent.parent = note.parent;
      if (note.parent) parent?.forkedAt.add(note.parent.place);
      return;
    case "record:routed":
      turnOf(agent, note.turn, note.attempt).names = note.names;
      return;
    case "record:heard":
      turnOf(agent, note.turn, note.attempt).heard.push({ messages: note.messages, context: note.context });
      agent.steers.splice(0, note.steers);
      return;
    case "record:step":
      turnOf(agent, note.turn, note.attempt).step = note;
      for (const passed of note.calls) callOf(agent, passed.call).passed = passed;
      return;
    case "record:fitted":
      callOf(agent, note.call).fitted = { outcome: note.outcome, dropped: note.dropped };
      return;
    case "record:followed":
      callOf(agent, note.call).followed = { message: note.message };
      return;
    case "record:intent":
    case "record:executing":
      beginExecution(callOf(agent, note.call), note);
      return;
    case "record:executed":
      callOf(agent, note.call).executed = { outcome: note.outcome, unknown: note.unknown ?? false };
      return;
    case "record:return":
      turnOf(agent, note.turn, note.attempt).returned = note.verdict;
      return;
    case "record:stopped":
      agent.stop = { why: note.stop, heard: note.heard };
      agent.steers.splice(0, note.heard.length);
      return;
    case "record:halted":
      agent.halted = true;
      return;
  }
}

/** What is on record about an attempt at a turn; made where there is nothing. */
function turnOf(agent: RecordedAgent, turn: number, attempt: number): RecordedTurn {
  const key = `${turn}.${attempt}`;
  const known = agent.turns.get(key);
  if (known) return known;
  const made: RecordedTurn = {
    names: undefined,
    heard: [],
    reviews: [],
    result: undefined,
    step: undefined,
    restarted: undefined,
    returned: undefined,
  };
  agent.turns.set(key, made);
  return made;
}
