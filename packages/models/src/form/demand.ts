import type { GenerateRequest, JsonSchema, Prefix } from "@agentpool/core";

/** What form a turn has to have, where not any will do. */
export type Demand =
  | { readonly type: "tool"; readonly tool: string; readonly schema: JsonSchema | undefined }
  | { readonly type: "anyTool"; readonly tools: readonly string[] }
  | { readonly type: "noTool"; readonly output: JsonSchema | undefined }
  | { readonly type: "output"; readonly output: JsonSchema };

/** The demand in a request; undefined where the model may answer as it likes. */
export function demandOf(request: GenerateRequest, tools: Prefix["tools"]): Demand | undefined {
  const { toolChoice = "auto", output } = request;
  if (typeof toolChoice === "object") {
    const { tool } = toolChoice;
    return { type: "tool", tool, schema: tools.find(({ name }) => name === tool)?.parameters };
  }
  if (toolChoice === "required") return { type: "anyTool", tools: request.tools };
  if (toolChoice === "none") return { type: "noTool", output };
  return output === undefined ? undefined : { type: "output", output };
}
