import type { Operation } from "effection";
import { words } from "../decisions/words.ts";
import { Later } from "../effects/later.ts";
import type { ProposedCall } from "../values/model.ts";
import type { AgentState } from "./agent-state.ts";
import { block, type Gated, gate } from "./gate.ts";

/** Takes the calls of a turn through their gates, in the order the model emitted them. */
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
  return oneReturn(agent, gated);
}

function* gateOn(
  agent: AgentState,
  calls: readonly ProposedCall[],
  gated: Gated[],
  pending: Later<Gated>,
): Operation<Gated[]> {
  gated.push(yield* pending.operation);
  while (gated.length < calls.length) {
    const at = propose(agent, calls[gated.length]!, gated.length);
    gated.push(at instanceof Later ? yield* at.operation : at);
  }
  return oneReturn(agent, gated);
}

/** Puts a call on record and takes it through its gates. */
export function propose(
  agent: AgentState,
  call: ProposedCall,
  index: number,
  turn: number = agent.turns,
): Gated | Later<Gated> {
  const { key, attempt } = agent;
  const id = `${key}:${turn}${attempt > 0 ? `.${attempt}` : ""}#${index}`;
  const identity = agent.options.tools.get(call.tool)?.identity;
  if (!agent.past?.calls.get(id)?.proposed)
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

/** Of two terminal calls the first counts. */
function oneReturn(agent: AgentState, gated: Gated[]): Gated[] {
  let returned = false;
  for (const [index, at] of gated.entries()) {
    if (at.type === "blocked" || at.call.bound !== agent.pool.terminal) continue;
    const { tool, id } = at.call;
    if (returned)
      gated[index] = block(tool, id, {
        type: "refused",
        guard: "invalid",
        message: words.secondReturn(tool),
      });
    returned = true;
  }
  return gated;
}
