import type { Model } from "@agentpool/core";

/** A model of a list that cannot be used: opening it says why, and the list goes on to the next. */
export function unusable(id: string, error: Error): Model & { readonly error: Error } {
  return {
    id,
    error,
    *open() {
      throw error;
    },
  };
}
