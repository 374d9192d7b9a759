import { action, type Operation } from "effection";

/**
 * Lets the event loop turn once in long synchronous work, if the last turn is longer ago than `everyMs`. Work that
 * breathes can be halted and does not hold up other agents.
 */
export function breather(everyMs = 15): () => Operation<void> {
  let last = performance.now();
  return function* breathe() {
    if (performance.now() - last < everyMs) return;
    yield* action<void>((resolve) => {
      const turn = setImmediate(resolve);
      return () => clearImmediate(turn);
    });
    last = performance.now();
  };
}
