import type { Operation } from "effection";
import { words } from "../decisions/words.ts";
import { Later } from "../effects/later.ts";
import type { Outcome } from "../values/call.ts";
import type { ProposedCall } from "../values/model.ts";
import type { AgentState } from "./agent-state.ts";
import { block, type Gated, gate } from "./gate.ts";

/**
 * Takes the calls of a turn through their gates, in the order the model emitted them, and reserves what will run: of a
 * limit no call is let past, whatever runs side by side.
 */
export function gateStep(agent: AgentState, calls: readonly ProposedCall[]): Gated[] | Later<Gated[]> {
  return gateFrom(agent, calls, []);
}

function gateFrom(
  agent: AgentState,
  calls: readonly ProposedCall[],
  gated: Gated[],
): Gated[] | Later<Gated[]> {
  while (gated.length < calls.length) {
    const at = propose(agent, calls[gated.length]!, gated.length);
    if (at instanceof Later) return new Later(gateOn(agent, calls, gated, at));
    gated.push(at);
  }
  return reserve(agent, gated);
}

function* gateOn(
  agent: AgentState,
  calls: readonly ProposedCall[],
  gated: Gated[],
  pending: Later<Gated>,
): Operation<Gated[]> {
  gated.push(yield* pending.operation);
  const rest = gateFrom(agent, calls, gated);
  return rest instanceof Later ? yield* rest.operation : rest;
}

function propose(agent: AgentState, call: ProposedCall, index: number): Gated | Later<Gated> {
  const { turns: turn, key } = agent;
  const id = `${key}:${turn}#${index}`;
  const identity = agent.options.tools.get(call.tool)?.identity;
  agent.pool.run.emit({
    type: "call:proposed",
    agent: key,
    call: id,
    tool: call.tool,
    identity,
    input: call.input,
    turn,
  });
  return gate(agent, call, id, turn);
}

/** Of two terminal calls the first counts; every other call takes its part of the agent's limit, or is refused. */
function reserve(agent: AgentState, gated: Gated[]): Gated[] {
  const { terminal } = agent.pool;
  const { maxToolCalls } = agent.options;
  let returned = false;
  for (let index = 0; index < gated.length; index++) {
    const at = gated[index]!;
    if (at.type === "blocked") continue;
    const refused = (guard: "invalid" | "limit", message: string): Gated =>
      block(at.call.tool, at.call.id, { type: "refused", guard, message } satisfies Outcome);
    if (at.call.bound === terminal) {
      if (returned) gated[index] = refused("invalid", words.secondReturn(at.call.tool));
      returned = true;
    } else if (agent.reserved < maxToolCalls) {
      agent.reserved++;
    } else {
      agent.limit ??= "max_calls";
      gated[index] = refused("limit", words.callLimit(maxToolCalls));
    }
  }
  return gated;
}
