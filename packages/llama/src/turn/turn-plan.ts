import type { JsonSchema, ToolSchema } from "@agentpool/core";
import type { Syntax, Text } from "../chat/syntax.ts";
import type { Limits } from "../grammar/json-grammar.ts";

/** What kind of turn it is to be. */
export interface TurnPlan {
  readonly syntax: Syntax;
  /** Texts that end the turn. */
  readonly stops: readonly string[];
  /** The tools that may be called. */
  readonly tools: readonly ToolSchema[];
  /** `none`: text only. The others as in the settings. */
  readonly calls: "none" | "free" | "choose" | "always";
  /** What text must be JSON of. */
  readonly output: JsonSchema | undefined;
  /** The name by which `choose` offers text in place of a call. */
  readonly answer: string;
  readonly limits: Limits;
  /** Most tokens of reasoning. */
  readonly reasoning: number;
  /** An id for the next call. */
  nextId(): string;
  /** Plain text as the library takes it. */
  text(plain: string): Text;
}
