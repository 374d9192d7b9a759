import { readOutput } from "../decisions/output.ts";
import type { AgentState } from "./agent-state.ts";

/** An answer in the form that the agent's task asks for, if it asks for one. */
export function inForm(
  agent: AgentState,
  value: unknown,
): { readonly value: unknown } | { readonly invalid: string } {
  const { output } = agent.options;
  if (!output) return { value };
  const read = readOutput(value, output);
  return read.type === "value" ? { value: read.value } : { invalid: read.message };
}
