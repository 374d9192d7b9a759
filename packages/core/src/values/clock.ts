/** A pool's only source of time. One per tree of pools; tests drive it by hand. */
export interface Clock {
  /** Milliseconds since the epoch, never going back. */
  now(): number;
  /** Calls `fire` once at `when`; the function it returns takes that back. */
  at(when: number, fire: () => void): () => void;
}
