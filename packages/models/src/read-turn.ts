import type { Delta, Turn } from "@agentpool/core";
import type { Operation, Stream } from "effection";

/** A generation read to its end: the turn, and the deltas that led to it. */
export function* readTurn(
  stream: Stream<Delta, Turn>,
): Operation<{ readonly turn: Turn; readonly deltas: readonly Delta[] }> {
  const subscription = yield* stream;
  const deltas: Delta[] = [];
  let next = yield* subscription.next();
  while (!next.done) {
    deltas.push(next.value);
    next = yield* subscription.next();
  }
  return { turn: next.value, deltas };
}
