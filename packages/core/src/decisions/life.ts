/**
 * Whether something that others depend on is still going: a pool, an agent, and whatever runs under them.
 *
 * `closing` is set first thing in the `finally` of its owner's body, before anything that the owner started ends. From
 * then on nothing that belongs to it is let in, woken or admitted. `winding` asks it to finish with what it has.
 */
export interface Life {
  readonly under: Life | undefined;
  closing: boolean;
  winding: WindingReason | undefined;
  /** Who is told that it is closing. */
  closers: Set<() => void> | undefined;
}

/** Why something is asked to finish. */
export type WindingReason = "cancelled" | "deadline";

export const createLife = (under?: Life): Life => ({
  under,
  closing: false,
  winding: undefined,
  closers: undefined,
});

/** From here on it is ending. */
export function close(life: Life): void {
  if (life.closing) return;
  life.closing = true;
  for (const tell of [...(life.closers ?? [])]) tell();
}

/** Calls `tell` once it, or anything it runs under, is ending: at once where it is. Returns how to take that back. */
export function whenClosing(life: Life, tell: () => void): () => void {
  if (isClosing(life)) {
    tell();
    return () => {};
  }
  for (let at: Life | undefined = life; at; at = at.under) {
    at.closers ??= new Set();
    at.closers.add(tell);
  }
  return () => {
    for (let at: Life | undefined = life; at; at = at.under) at.closers?.delete(tell);
  };
}

/** Whether it, or anything it runs under, is ending. */
export function isClosing(life: Life): boolean {
  for (let at: Life | undefined = life; at; at = at.under) if (at.closing) return true;
  return false;
}

/** Why it, or anything it runs under, was asked to finish; undefined: it was not. */
export function windingOf(life: Life): WindingReason | undefined {
  for (let at: Life | undefined = life; at; at = at.under) if (at.winding) return at.winding;
  return undefined;
}

/** Whether `life` is `other` or runs under it. */
export function isWithin(life: Life, other: Life): boolean {
  for (let at: Life | undefined = life; at; at = at.under) if (at === other) return true;
  return false;
}
