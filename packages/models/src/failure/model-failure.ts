import { GenerationError, MisformedError, ModelLimitError } from "@agentpool/core";

/**
 * Why a generation failed, as far as it matters for what to do next:
 *
 * | kind | what happened | what helps |
 * | --- | --- | --- |
 * | `limited` | the provider asks to be asked less often, or has too much to do | to wait |
 * | `interrupted` | the connection broke, the server failed (5xx), or nothing came for too long | to ask again |
 * | `unreachable` | nobody answers at the address | another model; to ask again, where somebody did before |
 * | `unauthorised` | the key is missing or was refused | another model |
 * | `spent` | the account has no money or quota left | another model |
 * | `missing` | the provider has no such model | another model |
 * | `misformed` | the answer did not have the form that was asked for, twice | another model, or another request |
 * | `rejected` | the request cannot be answered: it is too long, or wrong | another request |
 */
export type FailureKind =
  | "limited"
  | "interrupted"
  | "unreachable"
  | "unauthorised"
  | "spent"
  | "missing"
  | "misformed"
  | "rejected";

/** A generation that failed and that waiting will not mend. The message names model, status and what was said. */
export class ModelError extends GenerationError {
  override readonly name = "ModelError";
  readonly kind: Exclude<FailureKind, "limited" | "interrupted" | "misformed">;
  constructor(kind: ModelError["kind"], message: string, options?: ErrorOptions) {
    super(message, undefined, options);
    this.kind = kind;
  }
}

/**
 * The connection broke, the server failed, or nothing came for too long. Nothing of the turn was kept, so it is safe
 * to generate again: a pool parks the agent for a growing while, says that its model is unavailable, and does.
 */
export class InterruptedError extends ModelLimitError {
  readonly kind: "interrupted" | "unreachable";
  constructor(
    message: string,
    retryAfterMs?: number,
    options?: ErrorOptions,
    kind: InterruptedError["kind"] = "interrupted",
  ) {
    super(message, retryAfterMs, { ...options, reason: "unavailable" });
    this.kind = kind;
  }
}

/** The kind of anything a generation may throw. What is not known to be mended by waiting is `rejected`. */
export function failureKind(error: unknown): FailureKind {
  if (error instanceof InterruptedError || error instanceof ModelError) return error.kind;
  if (error instanceof MisformedError) return "misformed";
  return error instanceof ModelLimitError ? "limited" : "rejected";
}
