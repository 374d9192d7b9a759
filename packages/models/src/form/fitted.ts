import type { JsonSchema, ProposedCall } from "@agentpool/core";
import type { Demand } from "./demand.ts";
import { misfit } from "./misfit.ts";
import { withoutNulls } from "./without-nulls.ts";

/** What a model said and called. */
export interface Said {
  readonly text?: string;
  readonly calls: readonly ProposedCall[];
}

/** A turn held against what was demanded. */
export type Fitted =
  /** It fits, once what was not asked for is left out. */
  | { readonly type: "fits"; readonly said: Said }
  /** It does not; `best` is what can be used of it all the same, where there is anything. */
  | { readonly type: "misfit"; readonly problem: string; readonly best: Said | undefined };

/** Holds a turn against a demand. Nothing is demanded of a turn but its form: arguments are judged by the tool. */
export function fitted(said: Said, demand: Demand): Fitted {
  switch (demand.type) {
    case "tool":
      return calling(said, demand.tool, demand.schema);
    case "anyTool": {
      const isAllowed = ({ tool }: ProposedCall) => demand.tools.includes(tool);
      if (said.calls.some(isAllowed)) return fits(said);
      return misfits("No tool was called.", withoutCalls(said));
    }
    case "noTool":
      if (said.calls.length > 0) return misfits("A tool was called, and none may be.", withoutCalls(said));
      return demand.output === undefined ? fits(said) : stating(said, demand.output);
    case "output":
      return said.calls.length > 0 ? fits(said) : stating(said, demand.output);
  }
}

/** The tool must be called, and no other is. */
function calling(said: Said, tool: string, schema: JsonSchema | undefined): Fitted {
  const calls = said.calls.filter((call) => call.tool === tool);
  if (calls.length === 0) return misfits(`${tool} was not called.`, withoutCalls(said));
  const kept = { ...said, calls };
  const problem = calls.map(({ input }) => argumentsProblem(input, schema)).find((found) => found);
  if (problem === undefined) return fits(kept);
  return misfits(`The arguments of ${tool} cannot be used: ${problem}`, kept);
}

function argumentsProblem(input: string, schema: JsonSchema | undefined): string | undefined {
  const value = parsed(input);
  if (value === undefined) return "they are not valid JSON";
  if (schema === undefined) return undefined;
  return misfit(withoutNulls(value.value, schema), schema);
}

/** The text must be JSON of the schema; a code fence around it is taken off. */
function stating(said: Said, schema: JsonSchema): Fitted {
  const text = said.text?.trim() ?? "";
  const bare = /^```(?:json)?\s*\n([\s\S]*?)\n\s*```$/.exec(text)?.[1] ?? text;
  const value = parsed(bare);
  if (value === undefined) return misfits("The answer is not valid JSON.", undefined);
  const clean = withoutNulls(value.value, schema);
  const problem = misfit(clean, schema);
  if (problem !== undefined) return misfits(problem, undefined);
  const same = clean === value.value && bare === text;
  return fits(same ? said : { ...said, text: clean === value.value ? bare : JSON.stringify(clean) });
}

const fits = (said: Said): Fitted => ({ type: "fits", said });
const misfits = (problem: string, best: Said | undefined): Fitted => ({ type: "misfit", problem, best });

/** What it said is not lost; where it said nothing, there is nothing to use. */
const withoutCalls = ({ text, ...said }: Said): Said | undefined =>
  text?.trim() ? { ...said, text, calls: [] } : undefined;

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
