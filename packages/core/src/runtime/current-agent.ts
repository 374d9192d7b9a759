import { createContext, type Operation } from "effection";
import type { Agent } from "../values/agent.ts";

/** The agent an operation runs for; a model can tell by it whose turn it plays. */
export const AgentContext = createContext<Agent>("agentpool:agent");

/** The agent this runs for: in tools, hooks and models. */
export const useCurrentAgent = (): Operation<Agent | undefined> => AgentContext.get();
