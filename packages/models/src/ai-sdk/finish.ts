/** Why a provider ended its turn. `cut`: it did not, the stream just stopped. */
export type FinishReason = "stop" | "length" | "refusal" | "failed" | "cut";

/** Reads the finish reason of any version: a string in v2, since v3 an object with the provider's own word for it. */
export function finishIn(value: unknown): FinishReason {
  const { unified, raw } =
    typeof value === "object" && value !== null
      ? (value as { readonly unified?: unknown; readonly raw?: unknown })
      : { unified: value, raw: undefined };
  switch (unified) {
    case "length":
      return "length";
    case "content-filter":
      return "refusal";
    case "error":
      return "failed";
    case "interrupted":
    case "unknown":
    case undefined:
      return "cut";
    case "other":
      // Providers start out with this and replace it by what they are told. A v2 string has no second word.
      return typeof value === "object" && raw === undefined ? "cut" : "stop";
    default:
      return "stop";
  }
}
