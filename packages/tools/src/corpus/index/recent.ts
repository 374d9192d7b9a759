/** How many answers are kept, and how much they may weigh together. */
export interface Keep<Value> {
  readonly most: number;
  readonly weight?: number;
  weigh?(value: Value): number;
}

/** Keeps a function's latest answers, so that asking again soon costs nothing. */
export function recent<Key, Value>(compute: (key: Key) => Value, keep: Keep<Value>): (key: Key) => Value {
  const kept = new Map<Key, Value>();
  const { most, weight = Number.POSITIVE_INFINITY, weigh = () => 0 } = keep;
  let total = 0;
  const forget = (key: Key) => {
    total -= weigh(kept.get(key) as Value);
    kept.delete(key);
  };
  return (key) => {
    const value = kept.has(key) ? (kept.get(key) as Value) : compute(key);
    if (kept.has(key)) forget(key);
    kept.set(key, value);
    total += weigh(value);
    while (kept.size > 1 && (kept.size > most || total > weight)) forget(kept.keys().next().value as Key);
    return value;
  };
}
