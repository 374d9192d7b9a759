import type { Operation } from "effection";
import type { BoundGuard } from "../decisions/bind.ts";
import { CallArgs } from "../decisions/call-args.ts";
import { frozenCopy } from "../decisions/copy.ts";
import { selects } from "../decisions/names.ts";
import type { Reserved } from "../decisions/overrides.ts";
import { noSuchTool, parseArgs } from "../decisions/parse.ts";
import { words } from "../decisions/words.ts";
import { Later } from "../effects/later.ts";
import type { Outcome } from "../values/call.ts";
import type { ProposedCall } from "../values/model.ts";
import type { AgentState } from "./agent-state.ts";
import { askGuards, type Verdict } from "./ask-guards.ts";
import type { Call } from "./call-state.ts";

/** A call that was proposed, as it left the gates. */
export type Gated =
  /** It may run; `lookers` are asked again once it has its place in line. */
  | { readonly type: "passed"; readonly call: Call; readonly lookers: readonly BoundGuard[] }
  /** It won't. */
  | { readonly type: "blocked"; readonly tool: string; readonly id: string; readonly outcome: Outcome };

/**
 * The gates of one call: parse, deny, authorise, then its guards. Until it has passed them nothing exists for it but
 * this value.
 */
export function gate(
  agent: AgentState,
  proposed: ProposedCall,
  id: string,
  turn: number,
): Gated | Later<Gated> {
  const { pool } = agent;
  const refused = (guard: Reserved, message: string): Gated =>
    block(proposed.tool, id, { type: "refused", guard, message });

  const bound = agent.options.tools.get(proposed.tool);
  if (!bound) return refused("invalid", noSuchTool(proposed.tool, agent.toolNames));
  const parsed = parseArgs(proposed.tool, proposed.input, bound.schema);
  if (parsed.type === "invalid") return refused("invalid", parsed.message);
  if (pool.deny.some((pattern) => selects(pattern, bound))) return refused("deny", words.denied(bound.name));
  if (bound.tool.protected && !pool.grants.some((grant) => selects(grant, bound)))
    return refused("auth_reject", words.protected(bound.name));

  const call: Call = {
    agent,
    id,
    toolCallId: proposed.id,
    tool: proposed.tool,
    identity: bound.identity,
    args: new CallArgs(frozenCopy(parsed.args)),
    turn,
    bound,
    ticket: undefined,
    dispatched: false,
  };
  const { cohort, line } = pool.run;
  const view = { lineage: agent.lineage, cohort, line, holder: agent, ticket: undefined };
  const verdict = askGuards(call, bound.guards, view);
  return verdict instanceof Later ? new Later(gateOn(call, verdict)) : leave(call, verdict);
}

function* gateOn(call: Call, verdict: Later<Verdict>): Operation<Gated> {
  return leave(call, yield* verdict.operation);
}

const leave = (call: Call, verdict: Verdict): Gated =>
  verdict.type === "blocked"
    ? block(call.tool, call.id, verdict.outcome)
    : { type: "passed", call, lookers: verdict.lookers };

export const block = (tool: string, id: string, outcome: Outcome): Gated => ({
  type: "blocked",
  tool,
  id,
  outcome,
});
