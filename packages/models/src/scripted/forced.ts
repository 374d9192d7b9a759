import type { GenerateRequest, Prefix } from "@agentpool/core";
import { exampleOf } from "./example.ts";
import type { ScriptedMoment, ScriptedTurn } from "./script.ts";

/** Whether a turn can be the answer to a forced generation. One that fails can: it never gets that far. */
export function obeys(turn: ScriptedTurn, { toolChoice }: GenerateRequest): boolean {
  if (turn.error !== undefined) return true;
  const calls = turn.calls ?? [];
  if (toolChoice === "none") return calls.length === 0;
  if (typeof toolChoice !== "object") return true;
  return calls.length > 0 && calls.every(({ tool }) => tool === toolChoice.tool);
}

/** The turn made up for a forced generation that the script has no turn for; undefined where nothing is forced. */
export function forcedTurn(moment: ScriptedMoment, tools: Prefix["tools"]): ScriptedTurn | undefined {
  const { toolChoice, output } = moment.request;
  const text = `what agent "${moment.key}" has: ${moment.task}`;
  if (toolChoice === "none") {
    return { text: output === undefined ? text : JSON.stringify(exampleOf(output, text)) };
  }
  if (typeof toolChoice !== "object") return undefined;
  const schema = tools.find(({ name }) => name === toolChoice.tool)?.parameters;
  const args = exampleOf({ type: "object", ...schema }, text) as { [key: string]: unknown };
  return { calls: [{ tool: toolChoice.tool, args }] };
}
