import type { LanguageModelV3Message, LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { Operation, Stream } from "effection";
import type { JsonSchema } from "./json.ts";
import type { Usage } from "./usage.ts";

/** One message of a session: the AI SDK's `LanguageModelV3Message`. */
export type Message = LanguageModelV3Message;
/** Messages in order: the AI SDK's `LanguageModelV3Prompt`. */
export type Prompt = LanguageModelV3Prompt;

/**
 * Anything that can hold conversations: a hosted model, a local one, the embedded engine, a script.
 *
 * `open` is a resource: the session it gives ends with the scope it was opened in.
 */
export interface Model {
  /** How the model is named in configuration and on record, for example `anthropic/claude-haiku-4-5`. */
  readonly id: string;
  /** Tokens a session can hold. Absent: not limited, and no context limit applies. */
  readonly contextWindow?: number;
  /**
   * The memory that all its sessions share, where they do: agents then wait for room in it, instead of failing. Models
   * that share a memory share this object. Absent: each session has a window of its own.
   */
  readonly capacity?: Capacity;
  /** What it costs. Absent: not known, and a budget in dollars cannot be kept with it. */
  readonly price?: Price;
  /**
   * Whether its sessions hold nothing that has to be released, so that they can be used after the scope they were
   * opened in has ended. Default false: a pool then keeps the sessions of its agents open to its own end.
   */
  readonly lasting?: boolean;
  open(prefix: Prefix): Operation<Session>;
  /** Frees what it holds beside its sessions, such as memory. Absent: it holds nothing. */
  close?(): Operation<void>;
}

/** How much the sessions of one or more models can hold together. */
export interface Capacity {
  readonly tokens: number;
}

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Of input that a prefix cache served. Default: as other input. */
  readonly cached?: number;
}

/** What every session of a pool starts with. It is never edited, so that what forks share is paid for once. */
export interface Prefix {
  readonly system: string;
  readonly tools: readonly ToolSchema[];
}

/** A tool as the model sees it. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/**
 * One conversation with a model.
 *
 * - After `generate` was read to its end the session holds the assistant's turn; one that failed or was
 *   abandoned leaves the session as it was.
 * - A mark is a place in the conversation. It stays valid in every fork made at or after it.
 * - What a generation holds (a request, a stream) is released when it is read to the end, fails, or its reader
 *   is halted.
 */
export interface Session {
  /** Tokens held, prefix included. An estimate where the model does not count. */
  readonly tokens: number;
  append(messages: Prompt): Operation<void>;
  /** A session that starts with this one's content as it stands now. A resource of the caller's scope. */
  fork(): Operation<Session>;
  mark(): Mark;
  /** Forgets everything after the mark. */
  rewind(to: Mark): Operation<void>;
  /**
   * Nobody speaks here any more: what it holds may go to others, as long as it can be forked still. Asked once its agent
   * is over. Absent: it holds nothing that others could use.
   */
  rest?(): Operation<void>;
  /**
   * The conversation is taken up from its record, and had this model last ({@link Turn.model}): it goes on with it, or
   * with one after it where that is down. Absent: there is one model.
   */
  goOnWith?(model: string): void;
  /**
   * One turn: a stream of deltas that closes with the turn.
   *
   * Throws {@link ModelLimitError} where asking again later may help, and {@link MisformedError} where what was said is
   * of no use. Anything else that it throws ends its agent too.
   */
  generate(request: GenerateRequest): Stream<Delta, Turn>;
}

declare const mark: unique symbol;
/** A place in a session. Opaque: what it is belongs to the model. */
export type Mark = { readonly [mark]?: never } & object;

export interface GenerateRequest {
  /** Names of the prefix' tools that may be called in this turn. */
  readonly tools: readonly string[];
  /** Default `auto`. */
  readonly toolChoice?: ToolChoice;
  /** The turn's text must be JSON of this schema. */
  readonly output?: JsonSchema;
  /** Most tokens to generate. */
  readonly maxTokens?: number;
}

export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string };

/** A piece of a turn as it is generated. Calls are only announced here: they exist once the turn is complete. */
export type Delta =
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly id: string; readonly tool: string };

/** A complete generation. */
export interface Turn {
  readonly reasoning?: string;
  readonly text?: string;
  /** Complete calls in the order the model emitted them. `input` is the arguments as text, usually JSON. */
  readonly calls: readonly ProposedCall[];
  readonly usage: Usage;
  readonly finish: "stop" | "calls" | "length" | "refusal";
  /** The id of the model that generated it, where its session may have several. */
  readonly model?: string;
  /**
   * The message that the conversation keeps of it, where that is more than what is said here: what its provider wants
   * back. A recorded turn is put into a conversation as this.
   */
  readonly kept?: Message;
}

export interface ProposedCall {
  /** The model's id for the call; unique within its session. Results are matched by it. */
  readonly id: string;
  readonly tool: string;
  readonly input: string;
}

/** A generation that came to no turn. */
export class GenerationError extends Error {
  override readonly name: string = "GenerationError";
  /** What it used all the same: it counts in usage and in budgets. Undefined: nothing, as far as is known. */
  usage: Usage | undefined;
  constructor(message: string, usage?: Usage, options?: ErrorOptions) {
    super(message, options);
    this.usage = usage;
  }
}

/** What a model said did not have the form that was asked for, also when it was told so: paid for, and of no use. */
export class MisformedError extends GenerationError {
  override readonly name = "MisformedError";
  constructor(message: string, usage: Usage, options?: ErrorOptions) {
    super(message, usage, options);
  }
}

/**
 * Why a model cannot be asked right now: it was asked too often (429); it has too much to do (503, 529); it is in
 * trouble or out of reach (another 5xx, a connection that broke, silence).
 */
export type LimitReason = "rate_limit" | "overloaded" | "unavailable";

/** The model cannot be asked right now: the agent parks and the generation runs again. */
export class ModelLimitError extends GenerationError {
  override readonly name = "ModelLimitError";
  /** Milliseconds to wait; absent where the provider does not say. */
  readonly retryAfterMs: number | undefined;
  /** Default `rate_limit`. */
  readonly reason: LimitReason;
  constructor(
    message: string,
    retryAfterMs?: number,
    { reason = "rate_limit", ...options }: ErrorOptions & { readonly reason?: LimitReason } = {},
  ) {
    super(message, undefined, options);
    this.retryAfterMs = retryAfterMs;
    this.reason = reason;
  }
}
