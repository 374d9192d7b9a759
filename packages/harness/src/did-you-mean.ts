import { nearest } from "@agentpool/core";

/** `; did you mean model?`, or nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? "" : `; did you mean ${near}?`;
}
