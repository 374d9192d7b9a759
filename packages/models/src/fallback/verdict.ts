import { ModelLimitError } from "@agentpool/core";
import { failureKind } from "../failure/model-failure.ts";
import { HeldBackError } from "../limiter/limiter.ts";

/** What a failed generation means to a conversation that could go on with another model. */
export type Verdict =
  /** It stays where it is: the failure is its own, or waiting helps. */
  | { readonly type: "stay"; readonly counts: boolean }
  /** It moves. For so many milliseconds nobody else needs to try that model. */
  | { readonly type: "move"; readonly outForMs: number };

export interface Patience {
  /** Failures that waiting may mend, in a row, before a conversation moves. */
  readonly retries: number;
  /** Longest wait that it puts up with, in milliseconds. */
  readonly patienceMs: number;
}

/** Down for so long, as far as is known. */
const whileDown = 60_000;

/** Judges a failure after so many in a row before it. */
export function verdictOn(error: unknown, before: number, { retries, patienceMs }: Patience): Verdict {
  const kind = failureKind(error);
  switch (kind) {
    case "unauthorised":
    case "spent":
    case "missing":
      return { type: "move", outForMs: Number.POSITIVE_INFINITY };
    case "unreachable":
      return { type: "move", outForMs: whileDown };
    case "misformed":
      return { type: "move", outForMs: 0 };
    case "rejected":
      return { type: "stay", counts: false };
    case "limited":
    case "interrupted": {
      const waitMs = (error instanceof ModelLimitError && error.retryAfterMs) || 0;
      if (waitMs > patienceMs) return { type: "move", outForMs: waitMs };
      const counts = !(error instanceof HeldBackError);
      return counts && before >= retries
        ? { type: "move", outForMs: Math.max(waitMs, whileDown) }
        : { type: "stay", counts };
    }
  }
}
