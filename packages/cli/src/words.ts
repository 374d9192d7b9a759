/** `1 turn`, `3 turns`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** `950`, `12.3k`, `4.1M`. */
export function short(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${trim(count / 1_000)}k`;
  return `${trim(count / 1_000_000)}M`;
}
const trim = (value: number): string =>
  value < 100 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(0);

/** A duration as people read it: `0.4 s`, `12 s`, `3:05`, `1:02:03`. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  if (parts[0] === 0) parts.shift();
  return parts.map((part, i) => (i === 0 ? String(part) : String(part).padStart(2, "0"))).join(":");
}

/** The same in whole seconds, for what is shown while it passes. */
export const ticking = (ms: number): string => {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return seconds < 60 ? `${seconds} s` : lasting(seconds * 1_000);
};

export const readingLine = (done: number, total: number): string =>
  `reading documents: ${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;

/** `$0.0042`, `$1.27`. */
export const dollars = (amount: number): string =>
  `$${amount === 0 ? "0" : amount.toFixed(amount < 0.1 ? 4 : 2)}`;
