import type { Operation } from "effection";
import { words } from "../decisions/words.ts";
import type { Outcome } from "../values/call.ts";
import type { ProposedCall } from "../values/model.ts";
import type { AgentState } from "./agent-state.ts";
import { type Gated, gate } from "./gate.ts";

/**
 * Takes the calls of a turn through their gates, in the order the model emitted them, and reserves what will run: of a
 * limit no call is let past, whatever runs side by side.
 */
export function* gateStep(agent: AgentState, proposed: readonly ProposedCall[]): Operation<Gated[]> {
  const { run, terminal } = agent.pool;
  const turn = agent.turns;
  const gated: Gated[] = [];
  for (let index = 0; index < proposed.length; index++) {
    const call = proposed[index]!;
    const id = `${agent.key}:${turn}#${index}`;
    const identity = agent.options.tools.get(call.tool)?.identity;
    run.emit({
      type: "call:proposed",
      agent: agent.key,
      call: id,
      tool: call.tool,
      identity,
      input: call.input,
      turn,
    });
    gated.push(yield* gate(agent, call, id, turn));
  }
  let returned = false;
  return gated.map((at, index) => {
    if (at.type === "blocked") return at;
    const block = (outcome: Outcome): Gated => ({
      type: "blocked",
      proposed: proposed[index]!,
      id: at.call.id,
      outcome,
    });
    if (at.call.bound === terminal) {
      if (returned)
        return block({ type: "refused", guard: "invalid", message: words.secondReturn(at.call.tool) });
      returned = true;
      return at;
    }
    if (agent.reserved < agent.options.maxToolCalls) {
      agent.reserved++;
      return at;
    }
    agent.limit ??= "max_calls";
    return block({ type: "refused", guard: "limit", message: words.callLimit(agent.options.maxToolCalls) });
  });
}
