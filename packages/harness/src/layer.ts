import type { Origin } from "./origin.ts";
import type { Path } from "./schema-path.ts";

/** One source of settings: a file, the environment, the flags or the defaults. */
export interface Layer {
  /** Not yet validated. */
  readonly value: unknown;
  /** Where the value at `path`, or its key, stands; of a value that is missing, where it would stand. */
  origin(path: Path, part: "key" | "value"): Origin;
}

/** One setting with its origin, as flags and environment variables give them. */
export interface Setting {
  readonly origin: Origin;
  readonly path: readonly string[];
  readonly value: unknown;
}

/** A layer made of single settings. A later setting of the same key wins. */
export function layerOf(settings: readonly Setting[]): Layer {
  const value: Record<string, unknown> = {};
  for (const setting of settings) put(value, setting.path, setting.value);
  return {
    value,
    origin: (path) => {
      const covers = (setting: Setting) =>
        setting.path.every((part, i) => i >= path.length || part === path[i]);
      return settings.findLast(covers)?.origin ?? { type: "default" };
    },
  };
}

function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) {
    define(target, key, value);
    return;
  }
  const inner = Object.hasOwn(target, key) ? (target[key] as Record<string, unknown>) : {};
  define(target, key, inner);
  put(inner, rest, value);
}

/** Sets an own key, whatever its name: `__proto__` is a key like any other. */
export function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}
