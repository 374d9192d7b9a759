import type { Operation, Stream } from "effection";

/** Reads a stream to its end, and says how much there was. */
export function* readAll(stream: Stream<unknown, unknown>): Operation<number> {
  const subscription = yield* stream;
  let read = 0;
  while (!(yield* subscription.next()).done) read++;
  return read;
}
