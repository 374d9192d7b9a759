import { canonicalText, dedup, type ToolGuard } from "@agentpool/core";

/** `query_dedup`: a search is not made twice in the same words, whatever their case and spacing. */
export const queryDedup = (): ToolGuard =>
  dedup(
    "query_dedup",
    ({ query }) => (typeof query === "string" ? canonicalText(query.toLowerCase()) : undefined),
    {
      message:
        "This search was made already and its result was read. Search in other words, for something more particular, " +
        "or read one of the documents that it found.",
    },
  );
