/**
 * A deep copy of plain data, dates, maps and sets. What else is not plain (an instance of a class) is shared: it came
 * from a schema's own transform. A key called `__proto__` is left out.
 */
export function copy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copy) as T;
  if (!isPlain(value)) return copyBuiltIn(value) as T;
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value))
    if (key !== "__proto__") out[key] = copy((value as Record<string, unknown>)[key]);
  return out as T;
}

/** Values that schemas make of JSON, and that freezing does not protect. */
function copyBuiltIn(value: object): object {
  if (value instanceof Date) return new Date(value);
  if (value instanceof Map) return new Map([...value].map(([key, inner]) => [copy(key), copy(inner)]));
  if (value instanceof Set) return new Set([...value].map(copy));
  return value;
}

/** A deep copy nobody can change: of dates, maps and sets give away copies. */
export function frozenCopy<T>(value: T): T {
  return freeze(copy(value));
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || !(Array.isArray(value) || isPlain(value))) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
