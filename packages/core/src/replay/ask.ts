import type { Operation } from "effection";
import type { Ticket } from "../decisions/line.ts";
import type { View } from "../decisions/view.ts";
import { Later } from "../effects/later.ts";
import { askGuards, type Verdict } from "../runtime/ask-guards.ts";
import type { ReplayState } from "./replay-state.ts";
import type { Standing } from "./standing.ts";

/** Asks a call's guards as a run does: at the gates (no ticket), or from its place in line. */
export function* ask(
  { line, cohort, policy }: ReplayState,
  { recorded, agent, bound, args, lookers }: Standing,
  ticket: Ticket | undefined,
): Operation<Verdict> {
  const view: View = { lineage: agent.lineage, cohort, line, holder: agent.holder, ticket };
  const { call: id, tool, turn } = recorded;
  const call = { id, tool, identity: bound.identity, args, turn, bound, agent: agent.asked };
  const verdict = askGuards(call, lookers, view, policy.asks(recorded, bound));
  return verdict instanceof Later ? yield* verdict.operation : verdict;
}
