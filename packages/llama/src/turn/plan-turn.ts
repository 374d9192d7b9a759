import type { GenerateRequest, ToolSchema } from "@agentpool/core";
import type { CheckedSettings } from "../settings.ts";
import type { TurnPlan } from "./turn-plan.ts";

/** Which tools a turn may call, and how it comes to a call. */
export function callsOf(
  { tools, toolChoice = "auto", output }: GenerateRequest,
  known: readonly ToolSchema[],
  mode: NonNullable<CheckedSettings["calls"]>,
): Pick<TurnPlan, "tools" | "calls"> {
  const listed = known.filter(({ name }) => tools.includes(name));
  if (typeof toolChoice === "object") {
    const tool = known.find(({ name }) => name === toolChoice.tool);
    if (tool === undefined) throw new Error(`there is no tool "${toolChoice.tool}" to call in this session`);
    return { tools: [tool], calls: "always" };
  }
  if (toolChoice === "none" || (listed.length === 0 && toolChoice === "auto"))
    return { tools: [], calls: "none" };
  if (listed.length === 0) throw new Error("a call is required, and the turn lists no tool of this session");
  if (toolChoice === "required") return { tools: listed, calls: "always" };
  // Text of a form cannot be told from a call's beginning: whether it is to be one is decided first.
  return { tools: listed, calls: output !== undefined && mode === "free" ? "choose" : mode };
}

/** A tool's name that stands for an answer in text, and is no tool's. */
export function answerName(tools: readonly ToolSchema[]): string {
  let name = "answer";
  while (tools.some((tool) => tool.name === name)) name += "_in_text";
  return name;
}
