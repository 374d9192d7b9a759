import type { Outcome } from "../values/call.ts";
import type { PoolEvent } from "../values/event.ts";
import type { RecordedAgent, RecordedCall, RecordedTree } from "../values/recorded.ts";
import { countPark } from "./record-tree.ts";

/** An event about a call. */
export type CallEvent = Extract<PoolEvent, { call: string; tool: string }>;

/** What is on record about one of an agent's calls; made where there is nothing. */
export function callOf(agent: RecordedAgent, id: string): RecordedCall {
  const known = agent.calls.get(id);
  if (known) return known;
  const call: RecordedCall = {
    id,
    agent: agent.key,
    proposed: false,
    discarded: false,
    rewrite: undefined,
    passed: undefined,
    approvals: new Set(),
    dispatched: undefined,
    made: false,
    since: undefined,
    retry: undefined,
    nests: false,
    usedMs: 0,
    executed: undefined,
    parked: undefined,
    outcome: undefined,
    refusal: undefined,
    fitted: undefined,
    admitted: false,
    followed: undefined,
  };
  agent.calls.set(id, call);
  return call;
}

/** What an event says about a call, and about what its run has used. */
export function addToCall(
  call: RecordedCall,
  agent: RecordedAgent,
  tree: RecordedTree,
  event: CallEvent,
): void {
  switch (event.type) {
    case "call:proposed":
      call.proposed = true;
      return;
    case "call:discarded":
      call.discarded = true;
      return;
    case "call:rewritten":
      call.rewrite = event.to;
      return;
    case "call:dispatched":
      if (!call.made) tree.totals.toolCalls++;
      call.made = true;
      beginExecution(call, event);
      return;
    case "call:parked":
      addPark(call, agent, tree, event);
      return;
    case "call:resumed":
      // what ended any other park is on record after this: until then a call that parks again does so in the same one
      if (event.reason === "equal_call") call.parked = undefined;
      return;
    case "call:admitted":
      call.admitted = true;
      if (!event.attended || !call.dispatched) return;
      tree.totals.attended++;
      tree.reads.push({ identity: call.dispatched.identity, args: call.dispatched.args });
      return;
    case "call:refused":
    case "call:cancelled":
      if (!call.outcome) tree.totals.refusals++;
      call.refusal ??= { index: agent.refusals++, tool: event.tool };
      call.outcome = outcomeIn(event);
      return;
    case "call:settled":
    case "call:substituted":
    case "call:withdrawn":
      call.outcome = outcomeIn(event);
      return;
  }
}

/** Its intent: what ran before is over. */
export function beginExecution(
  call: RecordedCall,
  { attempt, identity, args, at }: NonNullable<RecordedCall["dispatched"]> & { readonly at: number },
): void {
  call.dispatched = { attempt, identity, args };
  call.since = at;
  call.parked = undefined;
  call.retry = undefined;
  call.nests = false;
}

/** One that goes on in another process is the same. */
function addPark(
  call: RecordedCall,
  agent: RecordedAgent,
  tree: RecordedTree,
  { reason, at, until }: Extract<CallEvent, { type: "call:parked" }>,
): void {
  if (call.parked === reason) return;
  call.parked = reason;
  countPark(agent, tree);
  if (reason !== "retry") return;
  tree.retries++;
  // a call that had a pool open has no deadline of its own
  if (!call.nests && call.since !== undefined) call.usedMs += Math.max(0, at - call.since);
  if (until !== undefined) call.retry = { attempt: (call.dispatched?.attempt ?? 0) + 1, until };
}

type Final = Extract<
  CallEvent,
  { type: "call:settled" | "call:refused" | "call:cancelled" | "call:substituted" | "call:withdrawn" }
>;

function outcomeIn(event: Final): Outcome {
  switch (event.type) {
    case "call:settled":
      return event.outcome;
    case "call:refused":
      return { type: "refused", guard: event.guard, message: event.message };
    case "call:cancelled":
      return { type: "cancelled", guard: event.guard, message: event.message };
    case "call:substituted":
      return { type: "substituted", guard: event.guard, value: event.value };
    case "call:withdrawn":
      return { type: "withdrawn", message: event.message };
  }
}
