import { type Operation, spawn, type Task } from "effection";
import { approvalId, digestOf } from "../decisions/digest.ts";
import { isClosing } from "../decisions/life.ts";
import { words } from "../decisions/words.ts";
import type { Approval, ApprovalDecision } from "../values/approval.ts";
import type { Outcome } from "../values/call.ts";
import type { Call } from "./call-state.ts";
import { parkCall, settleState } from "./park.ts";

/** A call that waits for a person, and why. */
export interface Waiting {
  readonly call: Call;
  readonly approval: string;
}

/** Asks about several calls side by side. Returns, for each, what became of it where it may not run. */
export function* askPeople(waiting: readonly Waiting[]): Operation<readonly (Outcome | undefined)[]> {
  const [only] = waiting;
  if (only && waiting.length === 1) return [yield* askPerson(only)];
  // all of them are under way before the first one waits
  for (const { call } of waiting) begin(call);
  const asking: Task<Outcome | undefined>[] = [];
  for (const at of waiting) asking.push(yield* spawn(() => ask(at)));
  const outcomes: (Outcome | undefined)[] = [];
  for (const task of asking) outcomes.push(yield* task);
  return outcomes;
}

/** Parks a call until a person decides. Undefined: it may run, as it stands and in no other form. */
export function askPerson(at: Waiting): Operation<Outcome | undefined> {
  begin(at.call);
  return ask(at);
}

/** A call that has no place in line yet is under way from here on. */
function begin({ agent, ticket }: Call): void {
  if (!ticket) agent.calling++;
}

function* ask({ call, approval: reason }: Waiting): Operation<Outcome | undefined> {
  const { agent, bound, ticket } = call;
  try {
    if (bound.tool.target === "client") return noApproval(call);
    return yield* decide(call, approvalOf(call, reason));
  } finally {
    if (!ticket) agent.calling--;
    settleState(agent);
  }
}

/** The decision on record, or else a person's. */
function* decide(call: Call, approval: Approval): Operation<Outcome | undefined> {
  const { agent, bound } = call;
  const { run } = agent.pool;
  const about = { agent: agent.key, call: call.id, approval: approval.id };
  const asked = call.past?.approvals.has(approval.id) ?? false;
  // it was asked about in another form: what was decided, or will be, is not about this one
  for (const other of call.past?.approvals ?? [])
    if (other !== approval.id) run.emit({ ...about, approval: other, type: "approval:void" });
  const known = run.decisions.get(approval.id);
  if (known) {
    if (!asked) run.emit({ type: "approval:requested", agent: agent.key, call: call.id, approval });
    if (!run.recorder?.recorded.decisions.has(approval.id))
      run.emit({ ...about, type: "approval:decided", decision: known });
    return heed(call, known);
  }
  let open = false;
  try {
    const woken = yield* parkCall<ApprovalDecision>(call, {
      reason: "approval",
      enter(wake) {
        const leave = run.approvals.ask(approval, wake);
        // announced once it can be answered: an observer may answer at once
        open = true;
        const request = { type: "approval:requested", agent: agent.key, call: call.id, approval } as const;
        if (asked) run.announce({ ...request, again: true });
        else run.emit(request);
        return leave;
      },
    });
    if (woken.type === "withdrawn") return { type: "withdrawn", message: words.withdrawn(bound.name) };
    const decision = run.recorder ? yield* run.recorder.decide(approval.id, woken.value) : woken.value;
    open = false;
    run.emit({ ...about, type: "approval:decided", decision });
    return heed(call, decision);
  } finally {
    // withdrawn or cancelled: whoever shows it has to know; a run that is halted will ask again
    const tell = !isClosing(agent.life) || agent.isCancelled ? run.emit : run.announce;
    if (open) tell({ ...about, type: "approval:void" });
  }
}

function heed(call: Call, decision: ApprovalDecision): Outcome | undefined {
  call.approved = decision.type === "approved";
  if (decision.type === "approved") return undefined;
  const message = words.approvalDenied(call.bound.name, decision.reason);
  return { type: "refused", guard: "approval", message };
}

/** It is bound to what it shows: the call, its tool and its arguments, as they are on record for who decides later. */
function approvalOf(call: Call, reason: string): Approval {
  const { agent, id, tool, identity, reviews } = call;
  const { args } = call.args;
  const { run } = agent.pool;
  const digest = digestOf(identity, run.recorder?.journal.asRecorded?.(args) ?? args);
  return {
    id: approvalId(run.id, id, digest),
    agent: agent.key,
    call: id,
    tool,
    identity,
    args,
    digest,
    reason,
    ...(reviews && reviews.length > 0 ? { reviews } : {}),
  };
}

/** There is nothing on this side that a person could let run. */
export function noApproval({ agent, id, tool }: Call): Outcome {
  const message = words.noApprovalForClients(tool);
  agent.pool.run.emit({ type: "hook:warning", agent: agent.key, call: id, hook: "approval", message });
  return { type: "refused", guard: "approval", message };
}
