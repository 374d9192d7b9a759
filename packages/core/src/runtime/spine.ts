import type { Operation } from "effection";
import type { Message } from "../values/model.ts";
import type { Pool } from "./pool-state.ts";

/** Adds a message pair to a pool's shared prefix. On a recorded run, what it was extended with is there already. */
export function* extendSpine(pool: Pool, user: string, assistant: string): Operation<void> {
  if (isRecalled(pool, user, assistant)) return;
  yield* append(pool, user, assistant);
  pool.extended++;
  pool.run.emit({ type: "spine:extended", pool: pool.key, user, assistant });
}

/**
 * Extends the spine with all that is on record, if anything is, before anybody forks from it, in the order of the record:
 * agents are back in whatever order, and each starts from the spine as it stood then.
 */
export function* recallSpine(pool: Pool): Operation<void> {
  note(pool);
  for (const { user, assistant } of pool.past?.extensions ?? []) yield* append(pool, user, assistant);
}

/** Tokens of the spine as the orchestrator knows it: what it has not yet added again does not count. */
export function spineTokens({ spine, places, extended }: Pool): number {
  return extended + 1 < places.length ? places[extended]!.tokens : spine!.tokens;
}

/** How many extensions the spine has. */
export const extensionsOf = ({ extension }: Pool): number => extension.length / 2;

function isRecalled(pool: Pool, user: string, assistant: string): boolean {
  const open = pool.recalled;
  const index = open.findIndex((pair) => pair.user === user && pair.assistant === assistant);
  if (index < 0) return false;
  open.splice(index, 1);
  pool.extended++;
  return true;
}

function* append(pool: Pool, user: string, assistant: string): Operation<void> {
  const pair: Message[] = [
    { role: "user", content: [{ type: "text", text: user }] },
    { role: "assistant", content: [{ type: "text", text: assistant }] },
  ];
  yield* pool.spine!.append(pair);
  pool.extension.push(...pair); // who forks meanwhile starts without it
  note(pool);
}

const note = ({ places, spine }: Pool): void => {
  places.push({ mark: spine!.mark(), tokens: spine!.tokens });
};
