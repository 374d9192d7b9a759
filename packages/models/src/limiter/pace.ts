/**
 * How fast a provider may be asked: additive increase, multiplicative decrease, as in TCP's congestion avoidance
 * ([RFC 5681](https://www.rfc-editor.org/rfc/rfc5681#section-3.1)). A value: what happened makes another one.
 */
export interface Pace {
  /** Requests under way at once. A fraction counts towards the next whole one; never below 1. */
  readonly window: number;
  /** Milliseconds between the starts of two requests. */
  readonly spacing: number;
}

export interface PaceLimits {
  /** Most requests at once. */
  readonly concurrency: number;
}

export const firstPace = ({ concurrency }: PaceLimits): Pace => ({ window: concurrency, spacing: 0 });

/** Of a storm the provider is asked at least so often, and after one at least this slowly at first. */
const slowest = 5_000;
const slow = 100;

/** What was under way when the provider asked to slow down, and how fast it had been asked since the last time. */
export interface Load {
  readonly held: number;
  /** Milliseconds between starts, on average. */
  readonly spacing: number;
}

/** Half as many at once as there were, half as often as they came. */
export const slowedDown = ({ window, spacing }: Pace, load: Load): Pace => ({
  window: Math.max(1, Math.min(window, load.held) / 2),
  spacing: Math.min(slowest, Math.max(slow, 2 * Math.max(spacing, load.spacing))),
});

/** One more at once for every window of answers, a tenth less to wait for every answer. */
export function spedUp({ window, spacing }: Pace, { concurrency }: PaceLimits): Pace {
  const less = spacing * 0.9;
  return { window: Math.min(concurrency, window + 1 / window), spacing: less < slow / 10 ? 0 : less };
}
