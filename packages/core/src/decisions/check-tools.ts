import { ConfigurationError } from "../values/errors.ts";
import type { AgentPoolOptions } from "../values/options.ts";
import { parametersOf, type Tool, validatorOf } from "../values/tool.ts";
import { isChecked } from "./overrides.ts";
import { reasonOf } from "./reason.ts";

/** Throws where an option that has to be a list is none. */
export function checkList(place: string, value: unknown): void {
  if (value !== undefined && !Array.isArray(value))
    throw new ConfigurationError(
      `${place}: found ${value === null ? "null" : typeof value}; accepted is a list.`,
    );
}

/** Throws where something is to gate the calls of a pool that has no tools. */
export function checkIdle({ guards, deny, policy, requireApproval }: AgentPoolOptions): void {
  if (policy)
    throw new ConfigurationError(
      "policy: this pool has no tools, so there is nothing to decide. Give it tools, or leave policy out.",
    );
  if (requireApproval && !isChecked(requireApproval) && requireApproval.length > 0)
    throw new ConfigurationError(
      "requireApproval: this pool has no tools, so there is nothing to approve. Give it tools, or leave requireApproval out.",
    );
  if (guards && !isChecked(guards) && Object.keys(guards).length > 0)
    throw new ConfigurationError(
      "guards: this pool has no tools, so there is nothing to guard. Give it tools, or leave guards out.",
    );
  if (deny && !isChecked(deny) && deny.length > 0)
    throw new ConfigurationError(
      "deny: this pool has no tools, so there is nothing to deny. Give it tools, or leave deny out.",
    );
}

const NAME = /^[\w.:-]{1,128}$/;

/** Throws where tools cannot work, or cannot be told apart. Names the tool, what was found and what is accepted. */
export function checkTools(tools: readonly Tool[]): void {
  const names = new Set<string>();
  tools.forEach((tool, index) => {
    const place = `tools[${index}]`;
    if (typeof tool?.name !== "string" || tool.name === "")
      throw new ConfigurationError(`${place}.name: missing; a tool needs a name.`);
    if (!NAME.test(tool.name))
      throw new ConfigurationError(
        `${place}.name: found ${JSON.stringify(tool.name)}; accepted are letters, digits, _, -, . and :, at most 128, as models take them.`,
      );
    if (typeof tool.description !== "string")
      throw new ConfigurationError(
        `${place} "${tool.name}": needs a description, by which a model knows when to call it.`,
      );
    if (typeof tool.execute !== "function")
      throw new ConfigurationError(`${place} "${tool.name}": needs execute, a function.`);
    if (typeof tool.parameters !== "object" || tool.parameters === null)
      throw new ConfigurationError(
        `${place} "${tool.name}": needs parameters, a zod object or a JSON Schema.`,
      );
    if (tool.timeoutMs !== undefined && !(tool.timeoutMs > 0))
      throw new ConfigurationError(
        `${place} "${tool.name}".timeoutMs: found ${tool.timeoutMs}; accepted are milliseconds above 0.`,
      );
    checkSchema(tool, place);
    if (names.has(tool.name))
      throw new ConfigurationError(
        `${place}: two tools are called "${tool.name}"; the model could not tell them apart.`,
      );
    names.add(tool.name);
  });
}

/** A schema has to be one that a model can be shown, and that arguments can be checked by. */
function checkSchema(tool: Tool, place: string): void {
  try {
    parametersOf(tool);
    validatorOf(tool);
  } catch (error) {
    throw new ConfigurationError(
      `${place} "${tool.name}".parameters: cannot be used (${reasonOf(error)}); accepted are a zod object that JSON Schema can say, or a JSON Schema of type object.`,
    );
  }
}
