import type { ReviewNote } from "@agentpool/core";
import { oneLine } from "./printable.ts";

/** A review that passed, for a person who is to approve a call of its step. */
export const reviewLine = ({ model, todo }: ReviewNote): string =>
  `Reviewed by ${model}: passed${todo ? `, still to do: ${oneLine(todo).replace(/[.!?]+$/, "")}` : ""}.`;
