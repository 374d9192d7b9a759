import type { Operation } from "effection";
import type { BoundTool } from "../decisions/bind.ts";
import { CallArgs } from "../decisions/call-args.ts";
import { parseArgs } from "../decisions/parse.ts";
import type { Args } from "../values/json.ts";
import { ask } from "./ask.ts";
import { block, isDenied } from "./keep.ts";
import type { ReplayState } from "./replay-state.ts";
import { createStanding } from "./standing.ts";

/** A call at its gates, before it has a place in line. */
export function* propose(state: ReplayState, id: string): Operation<void> {
  const { tools, agents, policy, fates } = state;
  const recorded = state.calls.get(id)!;
  const bound = tools.of(recorded);
  const agent = agents.of(recorded.agent);
  if (recorded.fate.type === "other" || !bound || !agent) return;
  recorded.args ??= argsOf(bound, recorded.input);
  if (agent.stopped) {
    fates.set(id, { type: "unmade", by: agent.stopped });
    return;
  }
  if (state.trees.of(recorded.agent)?.isWinding && !agent.isReporting) {
    fates.set(id, { type: "withdrawn", by: "wallClock" });
    return;
  }
  const forbidden = policy.forbids(recorded, bound);
  if (forbidden) {
    fates.set(id, forbidden);
    return;
  }
  if (!recorded.args) return;
  const standing = createStanding({ recorded, agent, bound, args: new CallArgs(recorded.args) });
  const verdict = yield* ask(state, standing, undefined);
  if (verdict.type === "blocked") {
    block(state, standing, verdict.outcome);
    return;
  }
  if (verdict.approval !== undefined) fates.ask(id, verdict.approval);
  standing.lookers = verdict.lookers;
  state.standing.add(standing);
  fates.set(id, isDenied(state, recorded) ? recorded.fate : { type: "ran" });
}

function argsOf(bound: BoundTool, input: string): Args | undefined {
  const parsed = parseArgs(bound.name, input, bound.schema);
  return parsed.type === "parsed" ? parsed.args : undefined;
}
