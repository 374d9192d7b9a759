import { windingOf } from "../decisions/life.ts";
import type { AgentState } from "./agent-state.ts";
import { canAfford } from "./spend-tokens.ts";

/** Whether an agent has another turn, should it not end here. */
export const mayGoOn = (agent: AgentState): boolean =>
  windingOf(agent.life) === undefined &&
  agent.limit === undefined &&
  agent.turns < agent.options.maxTurns &&
  !agent.isFull &&
  canAfford(agent) === "turn";

/** Whether a person spoke to an agent that is about to end and can still hear it. */
export const isSpokenTo = (agent: AgentState): boolean => agent.inbox.length > 0 && mayGoOn(agent);
