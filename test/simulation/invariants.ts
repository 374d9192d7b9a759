import type { PoolEvent } from "@agentpool/core";
import { digestOf } from "../../packages/core/src/decisions/digest.ts";
import type { Played } from "./drive.ts";
import type { World } from "./world.ts";
import { needsPerson } from "./world-hooks.ts";

/** What is wrong with how a world was played: one sentence each. None is right. */
export function violations(world: World, played: Played): string[] {
  return [
    ...endings(played),
    ...leftovers(played),
    ...limits(world, played),
    ...repetitions(world, played.witness.events),
    ...answers(played),
    ...refusals(played.witness.events),
    ...approvals(world, played.witness.events),
    ...orders(played.witness.events),
    ...transcripts(played),
  ];
}

function* endings({ end, error, result, witness, left }: Played): Iterable<string> {
  if (end === "stuck") yield `deadlock: nothing is due and the pool is not done: ${JSON.stringify(left)}`;
  if (end === "failed") yield `the pool failed: ${error instanceof Error ? error.stack : String(error)}`;
  if (end === "done")
    for (const agent of result?.agents ?? [])
      if (agent.exit === "model_error") yield `${agent.key} ended with an error: ${agent.reason}`;
  for (const late of witness.late) yield `started while everything was stopping: ${late}`;
}

/** What a pool that is over has left behind. */
export function* leftovers({ witness, left }: Played): Iterable<string> {
  const timers = witness.clock.pending - witness.answering;
  if (timers > 0) yield `${timers} timers are left`;
  if (witness.inside > 0) yield `${witness.inside} tool bodies were entered and not left`;
  if (!left) return;
  if (left.inLine > 0) yield `${left.inLine} tickets are left`;
  if (left.parked > 0) yield `${left.parked} calls are parked`;
  if (left.permits.tools > 0) yield `${left.permits.tools} permits of tools are left`;
  if (left.permits.generations > 0) yield `${left.permits.generations} permits of generations are left`;
}

function* limits(world: World, { witness, result }: Played): Iterable<string> {
  if (witness.mostBodies > world.concurrentTools)
    yield `${witness.mostBodies} bodies ran at once; the limit is ${world.concurrentTools}`;
  for (const agent of result?.agents ?? [])
    if (agent.toolCallCount > world.maxToolCalls)
      yield `${agent.key} made ${agent.toolCallCount} calls; the limit is ${world.maxToolCalls}`;
}

interface Known {
  readonly agent: string;
  readonly what: string;
  state: "running" | "succeeded" | "read" | "over";
}

/** In a guard's scope, no call runs while an equal one runs, has succeeded, or was read. */
function* repetitions({ scope }: World, events: readonly PoolEvent[]): Iterable<string> {
  const calls = new Map<string, Known>();
  /** What each agent had read when it was forked. */
  const inherited = new Map<string, ReadonlySet<string>>();
  for (const event of events) {
    if (event.type === "agent:spawned")
      inherited.set(
        event.agent,
        new Set(event.parent ? [...(inherited.get(event.parent) ?? []), ...readBefore(event, calls)] : []),
      );
    if (event.type === "call:dispatched" && event.attempt === 0) {
      const what = `${event.identity} ${String(event.args.k)}`;
      for (const [id, other] of calls)
        if (
          id !== event.call && // one that is taken up runs again
          other.what === what &&
          other.state !== "over" &&
          (scope === "cohort" || other.agent === event.agent || isUnder(event.agent, id))
        )
          yield `${event.call} ran (${what}) although ${id} was ${other.state}`;
      if (inherited.get(event.agent)?.has(what))
        yield `${event.call} ran (${what}), which an ancestor had read`;
      calls.set(event.call, { agent: event.agent, what, state: "running" });
    }
    const call = "call" in event && event.call !== undefined ? calls.get(event.call) : undefined;
    if (!call) {
      if (event.type === "agent:ended")
        for (const known of calls.values())
          if (known.agent === event.agent && known.state !== "read") known.state = "over";
      continue;
    }
    if (event.type === "call:settled") call.state = event.outcome.type === "ok" ? "succeeded" : "over";
    if (event.type === "call:withdrawn" || event.type === "call:refused") call.state = "over";
    if (event.type === "call:admitted") call.state = event.attended ? "read" : "over";
  }
}

/** What a nested agent's caller had read before the step that it was spawned from. */
function readBefore(
  event: Extract<PoolEvent, { type: "agent:spawned" }>,
  calls: ReadonlyMap<string, Known>,
): string[] {
  const step = /:(\d+)(?:\.\d+)?#\d+~[^/]*\/[^/]+$/.exec(event.agent)?.[1];
  return [...calls]
    .filter(([id, call]) => call.agent === event.parent && call.state === "read" && turnOf(id) < Number(step))
    .map(([, call]) => call.what);
}

const turnOf = (id: string): number => Number(/:(\d+)(?:\.\d+)?#\d+$/.exec(id)?.[1]);

/** Whether an agent works for a call: its key begins with the call's. */
const isUnder = (agent: string, call: string): boolean => agent.startsWith(`${call}~`);

const FINAL = new Set([
  "call:settled",
  "call:refused",
  "call:cancelled",
  "call:withdrawn",
  "call:substituted",
]);

/** A call that was refused, called off or answered for never ran, and one that was sent back did not either. */
function* refusals(events: readonly PoolEvent[]): Iterable<string> {
  const ran = new Set<string>();
  for (const event of events) {
    if (event.type === "call:dispatched") ran.add(event.call);
    if (
      (event.type === "call:refused" ||
        event.type === "call:cancelled" ||
        event.type === "call:substituted" ||
        event.type === "call:discarded") &&
      ran.has(event.call)
    )
      yield `${event.call} ran, and then: ${event.type}`;
  }
  const blocked = new Set<string>();
  for (const event of events) {
    if (event.type === "call:refused" || event.type === "call:discarded") blocked.add(event.call);
    if (event.type === "call:dispatched" && blocked.has(event.call))
      yield `${event.call} was refused, and ran`;
  }
}

/** What needs a person runs after one approved it, as it was shown, and not otherwise. */
function* approvals(world: World, events: readonly PoolEvent[]): Iterable<string> {
  const asked = new Map<string, { readonly call: string; readonly digest: string }>();
  const approved = new Map<string, string>();
  for (const event of events) {
    if (event.type === "approval:requested") asked.set(event.approval.id, event.approval);
    if (event.type === "approval:decided" && event.decision.type === "approved") {
      const { call, digest } = asked.get(event.approval)!;
      approved.set(call, digest);
    }
    if (
      event.type === "call:dispatched" &&
      event.identity !== "local:pick" &&
      needsPerson(world, event.identity, event.args.k) &&
      approved.get(event.call) !== digestOf(event.identity, event.args)
    )
      yield `${event.call} ran, and nobody had approved that`;
  }
}

/** Every call that was proposed is answered once, or sent back, unless its agent was stopped. */
function* answers({ witness: { events }, end }: Played): Iterable<string> {
  const settled = new Map<string, number>();
  const admitted = new Map<string, number>();
  const stopped = new Set<string>();
  const discarded = new Set<string>();
  const reporting = new Set<string>();
  const forced = new Set<string>();
  for (const event of events) {
    if (event.type === "agent:ended" && event.result.exit === "cancelled") stopped.add(event.agent);
    if (event.type === "turn:started" && event.forced) reporting.add(event.agent);
    if (event.type === "call:proposed" && reporting.has(event.agent)) forced.add(event.call);
    if (!("call" in event) || event.call === undefined) continue;
    if (event.type === "call:discarded") discarded.add(event.call);
    if (FINAL.has(event.type)) settled.set(event.call, (settled.get(event.call) ?? 0) + 1);
    if (event.type === "call:admitted") admitted.set(event.call, (admitted.get(event.call) ?? 0) + 1);
  }
  for (const event of events) {
    if (event.type !== "call:proposed") continue;
    const times = settled.get(event.call) ?? 0;
    const read = admitted.get(event.call) ?? 0;
    if (times > 1) yield `${event.call} was settled ${times} times`;
    if (read > 1) yield `${event.call} was admitted ${read} times`;
    if (discarded.has(event.call)) {
      if (times + read > 0) yield `${event.call} was sent back, and answered`;
      continue;
    }
    // nobody reads what became of a forced report: its agent is over
    const due = forced.has(event.call) ? 0 : 1;
    if (end === "done" && !stopped.has(event.agent) && (times !== 1 || read !== due))
      yield `${event.call} was settled ${times} times and admitted ${read} times`;
  }
}

/** Results enter the context in the order the calls were emitted. */
function* orders(events: readonly PoolEvent[]): Iterable<string> {
  const next = new Map<string, number>();
  for (const event of events) {
    if (event.type !== "call:admitted") continue;
    const [step, index] = event.call.split(/#(?=\d+$)/) as [string, string];
    const expected = next.get(step) ?? 0;
    if (Number(index) !== expected) yield `${event.call} was admitted in place ${expected} of its step`;
    next.set(step, expected + 1);
  }
}

/** What a model is shown is a conversation: every call in it was answered, in order, before anything else is said. */
function* transcripts({ witness }: Played): Iterable<string> {
  for (const { key, turn, messages } of witness.moments) {
    let open: string[] = [];
    for (const message of messages) {
      if (message.role === "tool") {
        for (const part of message.content)
          if (part.type === "tool-result" && open.shift() !== part.toolCallId)
            yield `${key} was shown in turn ${turn} an answer out of order: ${part.toolCallId}`;
        continue;
      }
      if (open.length > 0)
        yield `${key} was shown in turn ${turn} calls without an answer: ${open.join(", ")}`;
      open =
        message.role === "assistant"
          ? message.content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []))
          : [];
    }
    if (open.length > 0) yield `${key} was shown in turn ${turn} calls without an answer: ${open.join(", ")}`;
  }
}
