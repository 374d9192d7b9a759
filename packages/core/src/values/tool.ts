import { toJSONSchema, type ZodObject, type ZodType, z } from "zod";
import type { Agent } from "./agent.ts";
import type { Answerable } from "./answer.ts";
import type { ToolLifecycleHooks } from "./hooks.ts";
import type { Args, JsonSchema } from "./json.ts";
import { jsonValidator, ofOwnProperties } from "./validator.ts";

export type ToolSource = "local" | "mcp" | "skill";

/** What a tool's server declared about it. */
export interface ToolMeta {
  readonly annotations: { readonly [key: string]: unknown } | null;
  readonly [key: string]: unknown;
}

/** Something an agent can call. Any object of this shape is a tool; {@link defineTool} types its arguments. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** A zod object or a JSON Schema of type object. Arguments are validated before anyone is asked about them. */
  readonly parameters: ZodObject | JsonSchema;
  /** Returns JSON, or a promise or an operation of it. Throw {@link ToolRetryError} for a transient failure. */
  execute(args: Args, ctx: ToolContext): Answerable<unknown>;
  readonly hooks?: ToolLifecycleHooks | readonly ToolLifecycleHooks[];
  /** Refused unless the run holds a grant for it. */
  readonly protected?: boolean;
  /**
   * Its effect is hard to undo: every step that calls it is reviewed before any of its calls runs. Default: whether
   * it is a tool of an MCP server that declares it with `destructiveHint: true`.
   */
  readonly consequential?: boolean;
  /** Calling it again with the same arguments is no sign of an agent going round in circles: polling, for example. */
  readonly repeatable?: boolean;
  /**
   * A call of it may run twice with no harm, as one that only reads. Where a process ends in the middle of a call, the
   * run that is taken up runs it again; of any other tool the model is told that nobody knows whether it ran. Default
   * false.
   */
  readonly idempotent?: boolean;
  /**
   * `client`: its calls park until their results are submitted, see `PoolHandle.submit`; `execute` is not called.
   * Default `server`.
   */
  readonly target?: "server" | "client";
  /** `false`: a barrier within its turn; earlier calls finish first, later ones wait. Default true. */
  readonly parallel?: boolean;
  /** Milliseconds for its executions together, parks not counted. Default 120,000. */
  readonly timeoutMs?: number;
  /** Default `local`. */
  readonly source?: ToolSource;
  /** The canonical name. Default `source:name`. */
  readonly identity?: string;
  readonly meta?: { readonly [key: string]: unknown };
}

/** What a tool gets beside its arguments. */
export interface ToolContext {
  readonly agent: Agent;
  readonly run: string;
  /** The call's id, stable across retries and resumes: use it as an idempotency key. */
  readonly id: string;
  /** From 0; counts the retries of this call. */
  readonly attempt: number;
  /** Aborts at the deadline and whenever the call's scope ends. */
  readonly signal: AbortSignal;
  /** What this tool's guard would see: arguments of its calls that the agent and its ancestors have read. */
  attended(): readonly Args[];
  /** Says how far a long execution is; observers see it, the model does not. */
  progress(message: string): void;
}

/** What {@link defineTool} takes: a tool whose `execute` has the type of its zod schema. */
export type ToolDefinition<S extends ZodObject> = Omit<Tool, "parameters" | "execute"> & {
  readonly parameters: S;
  execute(args: z.output<S>, ctx: ToolContext): Answerable<unknown>;
};

/**
 * A tool whose `execute` is typed by its `parameters`.
 *
 * ```ts
 * const add = defineTool({
 *   name: "add",
 *   description: "Adds two numbers.",
 *   parameters: z.object({ a: z.number(), b: z.number() }),
 *   execute: ({ a, b }) => a + b,
 * });
 * ```
 */
export function defineTool<S extends ZodObject>(definition: ToolDefinition<S>): Tool {
  return definition as unknown as Tool;
}

/** The canonical name that denies, guards and records use. */
export const identityOf = (tool: Tool): string => tool.identity ?? `${tool.source ?? "local"}:${tool.name}`;

/** A tool's parameters as JSON Schema. */
export const parametersOf = (tool: Tool): JsonSchema =>
  tool.parameters instanceof z.ZodType
    ? (toJSONSchema(tool.parameters, { io: "input" }) as JsonSchema)
    : tool.parameters;

/** A validator for a tool's arguments. */
export const validatorOf = (tool: Tool): ZodType =>
  tool.parameters instanceof z.ZodType
    ? ofOwnProperties(tool.parameters, () => parametersOf(tool))
    : jsonValidator(tool.parameters);

/** A temporary failure: the agent parks, and the same call runs again after the delay. */
export class ToolRetryError extends Error {
  override readonly name = "ToolRetryError";
  /** Milliseconds to wait before the next attempt. */
  readonly retryAfterMs: number;
  constructor(message: string, retryAfterMs: number, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}
