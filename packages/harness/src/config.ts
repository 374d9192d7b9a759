import { createContext, type Operation } from "effection";
import type { HarnessConfig } from "./harness.ts";

const Config = createContext<HarnessConfig>("@agentpool/harness/config");

/** The configuration of the run this operation belongs to. */
export const useConfig = (): Operation<HarnessConfig> => Config.expect();

const running = new Set<HarnessConfig>();
let stepping: HarnessConfig | undefined;

/**
 * The configuration of the running harness, as a plain value: `guards: config().defaults.guards`.
 *
 * It answers in a harness program's `run`, and in everything that runs while one harness runs in this process. Where
 * several do, code that `run` has spawned takes {@link useConfig}. Throws where no harness runs, or several do.
 */
export function config(): HarnessConfig {
  if (stepping) return stepping;
  const [only, another] = running;
  if (only && !another) return only;
  throw new Error(
    only
      ? "config(): several harnesses run in this process; take `yield* useConfig()` here."
      : "config(): no harness is running; call it in a harness program's `run`.",
  );
}

/** Runs `body` with a configuration that {@link config} and {@link useConfig} give. */
export function* withConfig<T>(value: HarnessConfig, body: () => Operation<T>): Operation<T> {
  // A copy: two runs of one harness are two.
  const own = { ...value };
  running.add(own);
  try {
    return yield* Config.with(own, () => stepped(own, body));
  } finally {
    running.delete(own);
  }
}

/** `body`'s operation, with `stepping` set while its own code runs and never while it waits. */
function stepped<T>(value: HarnessConfig, body: () => Operation<T>): Operation<T> {
  function within<R>(step: () => R): R {
    const outer = stepping;
    stepping = value;
    try {
      return step();
    } finally {
      stepping = outer;
    }
  }
  return {
    [Symbol.iterator]() {
      const inner = within(() => body()[Symbol.iterator]());
      return {
        next: (sent) => within(() => inner.next(sent)),
        throw: (error) => within(() => (inner.throw ? inner.throw(error) : raise(error))),
        return: (result) => within(() => inner.return?.(result) ?? { done: true, value: result as T }),
      };
    },
  };
}

function raise(error: unknown): never {
  throw error;
}
