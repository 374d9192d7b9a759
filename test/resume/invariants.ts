import { type AgentResult, isEvent, type JournalEntry, type PoolEvent } from "@agentpool/core";
import type { Played } from "../simulation/drive.ts";

/** What is wrong with how a run went on from a part of its record: one sentence each. None is right. */
export function resumeViolations(recorded: readonly JournalEntry[], played: Played): string[] {
  const past = recorded.filter(isEvent);
  const now = played.witness.events.filter((event) => !event.past);
  return [
    ...shown(past, played),
    ...executions(past, now),
    ...closings(recorded, played),
    ...questions(past, now),
    ...generations(past, played),
    ...ends(past, now, played),
  ];
}

/** Who watches is shown all that is on record, in its order, before anything new. */
function* shown(past: readonly PoolEvent[], { witness }: Played): Iterable<string> {
  const events = witness.events.filter((event) => event.past);
  if (events.length !== past.length) yield `${events.length} of ${past.length} events were shown again`;
  if (witness.events.slice(0, events.length).some((event) => !event.past))
    yield "something new was shown before all that is on record was";
}

const FINAL = new Set([
  "call:settled",
  "call:refused",
  "call:cancelled",
  "call:withdrawn",
  "call:substituted",
]);

/** A call whose outcome is on record is over; one that was dispatched is not judged again. */
function* executions(past: readonly PoolEvent[], now: readonly PoolEvent[]): Iterable<string> {
  const over = new Set<string>();
  const dispatched = new Map<string, number>();
  for (const event of past) {
    if ("call" in event && event.call !== undefined && FINAL.has(event.type)) over.add(event.call);
    if (event.type === "call:dispatched") dispatched.set(event.call, event.attempt);
  }
  for (const event of now) {
    if (!("call" in event) || event.call === undefined) continue;
    if (over.has(event.call) && (event.type === "call:dispatched" || FINAL.has(event.type)))
      yield `${event.call} was over, and then: ${event.type}`;
    if (event.type === "call:refused" && dispatched.has(event.call))
      yield `${event.call} was dispatched, and then refused by ${event.guard}`;
    if (event.type === "call:dispatched" && event.attempt < (dispatched.get(event.call) ?? 0))
      yield `${event.call} went back to attempt ${event.attempt}`;
  }
}

/** An execution of a call that ends an agent is not given twice, nor one that was over. */
function* closings(recorded: readonly JournalEntry[], { witness }: Played): Iterable<string> {
  const begun = new Set<string>();
  const over = new Set<string>();
  for (const entry of recorded) {
    if (entry.type === "record:executing") begun.add(`${entry.call} ${entry.attempt}`);
    if (entry.type === "record:executed") over.add(entry.call);
  }
  const now = new Set<string>();
  for (const execution of witness.closed) {
    if (begun.has(execution) || now.has(execution)) yield `${execution} ended its agent twice`;
    if (over.has(execution.split(" ")[0]!)) yield `${execution} ran although what it came to is on record`;
    now.add(execution);
  }
}

/** Nobody is asked twice, unless it was called off in between. */
function* questions(past: readonly PoolEvent[], now: readonly PoolEvent[]): Iterable<string> {
  const asked = new Set<string>();
  const decided = new Set<string>();
  for (const event of past) {
    if (event.type === "approval:requested") asked.add(event.approval.id);
    if (event.type === "approval:void") asked.delete(event.approval);
    if (event.type === "approval:decided") decided.add(event.approval);
  }
  for (const event of now) {
    if (event.type === "approval:requested" && !event.again && asked.has(event.approval.id))
      yield `somebody was asked again about ${event.call}`;
    if (event.type === "approval:decided" && decided.has(event.approval))
      yield `${event.call} was decided again`;
  }
}

/** A turn on record is not generated again. */
function* generations(past: readonly PoolEvent[], { witness }: Played): Iterable<string> {
  const completed = new Map<string, number>();
  for (const event of past)
    if (event.type === "turn:completed") completed.set(event.agent, (completed.get(event.agent) ?? 0) + 1);
  const restarted = new Set(past.flatMap((event) => (event.type === "turn:restarted" ? [event.agent] : [])));
  for (const { key, turn } of witness.moments)
    if (!restarted.has(key) && turn <= (completed.get(key) ?? 0)) yield `${key} generated turn ${turn} again`;
}

/** An end on record stands. */
function* ends(past: readonly PoolEvent[], now: readonly PoolEvent[], { result }: Played): Iterable<string> {
  const ended = new Map<string, AgentResult>();
  for (const event of past) if (event.type === "agent:ended") ended.set(event.agent, event.result);
  for (const event of now) {
    if ((event.type === "agent:ended" || event.type === "turn:started") && ended.has(event.agent))
      yield `${event.agent} was over, and then: ${event.type}`;
  }
  for (const agent of result?.agents ?? []) {
    const before = ended.get(agent.key);
    if (before && JSON.stringify(before) !== JSON.stringify(agent))
      yield `${agent.key} has another result than on record`;
  }
}

/** What is wrong with a record, however many processes wrote it: one sentence each. */
export function recordViolations(entries: readonly JournalEntry[]): string[] {
  const wrong: string[] = [];
  const once = new Map<string, string>();
  const note = (what: string): void => {
    if (once.has(what)) wrong.push(`${what}: twice on record`);
    once.set(what, what);
  };
  const over = new Set<string>();
  for (const entry of entries) {
    switch (entry.type) {
      case "pool:opened":
      case "pool:closed":
        note(`${entry.type} ${entry.pool}`);
        break;
      case "agent:spawned":
      case "agent:ended":
        note(`${entry.type} ${entry.agent}`);
        break;
      case "approval:requested":
        note(`${entry.type} ${entry.approval.id}`);
        break;
      case "approval:decided":
        note(`${entry.type} ${entry.approval}`);
        break;
      case "call:proposed":
      case "call:admitted":
        note(`${entry.type} ${entry.call}`);
        break;
      case "call:dispatched":
        if (over.has(entry.call)) wrong.push(`${entry.call} was over, and dispatched again`);
        break;
    }
    if (!FINAL.has(entry.type) || !("call" in entry) || entry.call === undefined) continue;
    if (over.has(entry.call)) wrong.push(`${entry.call} was settled twice`);
    over.add(entry.call);
  }
  return wrong;
}
