import type { Operation } from "effection";
import type { BoundGuard, BoundTool } from "../decisions/bind.ts";
import { CallArgs } from "../decisions/call-args.ts";
import { selects } from "../decisions/names.ts";
import type { Reserved } from "../decisions/overrides.ts";
import { noSuchTool, type Parsed, parseArgs, validateArgs } from "../decisions/parse.ts";
import { words } from "../decisions/words.ts";
import { Later } from "../effects/later.ts";
import type { Outcome } from "../values/call.ts";
import type { PassedCall } from "../values/journal.ts";
import type { Args } from "../values/json.ts";
import type { ProposedCall } from "../values/model.ts";
import type { RecordedCall } from "../values/recorded.ts";
import type { AgentState } from "./agent-state.ts";
import { askGuards, type Verdict } from "./ask-guards.ts";
import { noApproval } from "./ask-person.ts";
import type { Call } from "./call-state.ts";
import { lostSecret } from "./lost-secret.ts";
import type { Pool } from "./pool-state.ts";
import { type Rewrite, rewriteCall } from "./rewrite-call.ts";

/** A call that was proposed, as it left the gates. */
export type Gated =
  | {
      /** It may run. */
      readonly type: "passed";
      readonly call: Call;
      /** Guards to ask again once it has its place in line. */
      readonly lookers: readonly BoundGuard[];
      /** Why a person has to be asked first; undefined: nobody has. */
      readonly approval: string | undefined;
    }
  /** It won't. */
  | { readonly type: "blocked"; readonly tool: string; readonly id: string; readonly outcome: Outcome };

/**
 * The gates of one call: parse, deny, authorise, rewrite, then its guards. Until it has passed them nothing exists for
 * it but this value.
 */
export function gate(
  agent: AgentState,
  proposed: ProposedCall,
  id: string,
  turn: number,
): Gated | Later<Gated> {
  const { tool: name, input } = proposed;
  const past = agent.past?.calls.get(id);
  // the call of a forced report has no step that it passed with
  const passed = past?.passed ?? (past?.dispatched && !past.outcome ? { call: id, lookers: [] } : undefined);
  if (past && passed) return recallGate(agent, proposed, turn, past, passed);
  if (past?.outcome) return block(past.refusal?.tool ?? name, id, past.outcome);
  const form = formOf(agent, name, (bound) => parseArgs(name, input, bound.schema));
  if (form.type === "refused") return block(name, id, form);
  const call: Call = {
    agent,
    id,
    toolCallId: proposed.id,
    tool: name,
    identity: form.bound.identity,
    args: new CallArgs(form.args),
    turn,
    bound: form.bound,
    ticket: undefined,
    approved: false,
    dispatched: false,
  };
  if (lostSecret(call)) return block(name, id, refused("invalid", words.secretLost(name)));
  return call.bound.rewritten || past?.rewrite
    ? new Later(gateRewritten(call, past?.rewrite))
    : gateGuards(call);
}

/** A call that passed its gates, on record: it is as it was, and no hook is asked about it again. */
function recallGate(
  agent: AgentState,
  proposed: ProposedCall,
  turn: number,
  past: RecordedCall,
  { lookers, approval }: PassedCall,
): Gated {
  const { id, rewrite, dispatched } = past;
  const name = rewrite?.tool ?? proposed.tool;
  const bound = agent.options.tools.get(name);
  if (!bound)
    return block(proposed.tool, id, past.outcome ?? refused("invalid", noSuchTool(name, agent.visible)));
  const parsed: Parsed = dispatched
    ? { type: "parsed", args: dispatched.args }
    : rewrite
      ? validateArgs(name, rewrite.args, bound.schema)
      : parseArgs(name, proposed.input, bound.schema);
  if (parsed.type === "invalid")
    return block(proposed.tool, id, past.outcome ?? refused("invalid", parsed.message));
  const call: Call = {
    agent,
    id,
    toolCallId: proposed.id,
    tool: name,
    identity: bound.identity,
    args: new CallArgs(parsed.args),
    turn,
    bound,
    ticket: undefined,
    approved: false,
    dispatched: false,
    past,
  };
  const again = bound.guards.filter((guard) => lookers.includes(guard.name));
  if (dispatched || past.outcome) return { type: "passed", call, lookers: again, approval };
  if (lostSecret(call)) {
    for (const approval of past.approvals)
      agent.pool.run.emit({ type: "approval:void", agent: agent.key, call: id, approval });
    return block(name, id, refused("invalid", words.secretLost(name)));
  }
  // what has not run yet is held to what the run forbids now: a verdict on record lifts no deny
  const now = forbidden(agent.pool, bound);
  if (now) return block(name, id, now);
  const asked = needsApproval(agent.pool, bound) ? words.approvalAsked(bound.name) : undefined;
  return { type: "passed", call, lookers: again, approval: approval ?? asked };
}

/** The forms a call may have: it can be read, its tool is there for this turn, and may be used in this run. */
export type Form =
  | { readonly type: "form"; readonly bound: BoundTool; readonly args: Args }
  | Extract<Outcome, { type: "refused" }>;

function formOf(agent: AgentState, name: string, parse: (bound: BoundTool) => Parsed): Form {
  const { pool } = agent;
  const bound = agent.options.tools.get(name);
  if (!bound) return refused("invalid", noSuchTool(name, agent.visible));
  if (!agent.visible.includes(name)) return refused("invalid", words.hidden(name, agent.visible));
  const parsed = parse(bound);
  if (parsed.type === "invalid") return refused("invalid", parsed.message);
  return forbidden(pool, bound) ?? { type: "form", bound, args: parsed.args };
}

/** What the run itself forbids, whatever anybody says; undefined: nothing. */
function forbidden(pool: Pool, bound: BoundTool): Extract<Outcome, { type: "refused" }> | undefined {
  if (pool.deny.some((pattern) => selects(pattern, bound))) return refused("deny", words.denied(bound.name));
  if (!isAuthorised(pool, bound)) return refused("auth_reject", words.protected(bound.name));
  return undefined;
}

/** Whether the run holds the grant that a protected tool needs. */
export const isAuthorised = (pool: Pool, bound: BoundTool): boolean =>
  !pool.protectedTools.has(bound.identity) ||
  pool.grants.every((grants) => grants.some((grant) => selects(grant, bound)));

/** Whether a person has to approve each call of a tool, whatever hooks say. */
export const needsApproval = (pool: Pool, bound: BoundTool): boolean =>
  pool.requireApproval.some((pattern) => selects(pattern, bound));

const refused = (guard: Reserved, message: string): Extract<Outcome, { type: "refused" }> => ({
  type: "refused",
  guard,
  message,
});

/** A rewritten call passes the same gates in its new form. */
function* gateRewritten(call: Call, past: RecordedCall["rewrite"]): Operation<Gated> {
  const rewrite: Rewrite = past ? { type: "rewritten", ...past } : yield* rewriteCall(call);
  if (rewrite.type === "failed") return block(call.tool, call.id, rewrite.outcome);
  if (rewrite.type === "none") return yield* known(gateGuards(call));
  const { tool, args } = rewrite;
  const form = formOf(call.agent, tool, (bound) => validateArgs(tool, args, bound.schema));
  if (form.type === "refused") return block(call.tool, call.id, form);
  const { bound } = form;
  return yield* known(
    gateGuards({ ...call, bound, tool, identity: bound.identity, args: new CallArgs(form.args) }),
  );
}

function* known<T>(answer: T | Later<T>): Operation<T> {
  return answer instanceof Later ? yield* answer.operation : answer;
}

function gateGuards(call: Call): Gated | Later<Gated> {
  const { agent, bound } = call;
  const { cohort, line } = agent.pool.run;
  const view = { lineage: agent.lineage, cohort, line, holder: agent, ticket: undefined };
  const asked = needsApproval(agent.pool, bound) ? words.approvalAsked(bound.name) : undefined;
  const verdict = askGuards(call, bound.guards, view, asked);
  return verdict instanceof Later ? new Later(leaveLater(call, verdict)) : leave(call, verdict);
}

function* leaveLater(call: Call, verdict: Later<Verdict>): Operation<Gated> {
  return leave(call, yield* verdict.operation);
}

function leave(call: Call, verdict: Verdict): Gated {
  if (verdict.type === "blocked") return block(call.tool, call.id, verdict.outcome);
  const { lookers, approval } = verdict;
  if (approval !== undefined && call.bound.tool.target === "client")
    return block(call.tool, call.id, noApproval(call));
  return { type: "passed", call, lookers, approval };
}

export const block = (tool: string, id: string, outcome: Outcome): Gated => ({
  type: "blocked",
  tool,
  id,
  outcome,
});
