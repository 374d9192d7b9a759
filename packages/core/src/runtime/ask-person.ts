import { type Operation, spawn, type Task } from "effection";
import { approvalId, digestOf } from "../decisions/digest.ts";
import { words } from "../decisions/words.ts";
import type { Approval, ApprovalDecision } from "../values/approval.ts";
import type { Outcome } from "../values/call.ts";
import type { Call } from "./call-state.ts";
import { parkCall } from "./park.ts";

/** A call that waits for a person, and why. */
export interface Waiting {
  readonly call: Call;
  readonly approval: string;
}

/** Asks about several calls side by side. Returns, for each, what became of it where it may not run. */
export function* askPeople(waiting: readonly Waiting[]): Operation<readonly (Outcome | undefined)[]> {
  const [only] = waiting;
  if (only && waiting.length === 1) return [yield* askPerson(only)];
  const asking: Task<Outcome | undefined>[] = [];
  for (const at of waiting) asking.push(yield* spawn(() => askPerson(at)));
  const outcomes: (Outcome | undefined)[] = [];
  for (const task of asking) outcomes.push(yield* task);
  return outcomes;
}

/** Parks a call until a person decides. Undefined: it may run, as it stands and in no other form. */
export function* askPerson({ call, approval: reason }: Waiting): Operation<Outcome | undefined> {
  const { agent, bound, identity } = call;
  const { run } = agent.pool;
  const { args } = call.args;
  const digest = digestOf(identity, args);
  const id = approvalId(run.id, call.id, digest);
  const approval: Approval = {
    id,
    agent: agent.key,
    call: call.id,
    tool: call.tool,
    identity,
    args,
    digest,
    reason,
  };
  agent.calling++;
  try {
    const woken = yield* parkCall<ApprovalDecision>(call, {
      reason: "approval",
      enter(wake) {
        const leave = run.approvals.ask(approval, wake);
        // announced once it can be answered: an observer may answer at once
        run.emit({ type: "approval:requested", agent: agent.key, call: call.id, approval });
        return leave;
      },
    });
    if (woken.type === "withdrawn") {
      run.emit({ type: "approval:void", agent: agent.key, call: call.id, approval: id });
      return { type: "withdrawn", message: words.withdrawn(bound.name) };
    }
    const decision = woken.value;
    run.emit({ type: "approval:decided", agent: agent.key, call: call.id, approval: id, decision });
    if (decision.type === "approved") return undefined;
    return { type: "refused", guard: "approval", message: words.approvalDenied(bound.name, decision.reason) };
  } finally {
    agent.calling--;
  }
}
