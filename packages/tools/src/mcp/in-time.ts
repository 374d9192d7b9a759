import { createContext, Script } from "node:vm";

/** What was ended because it took too long. */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime";
}

const room: { body?: () => unknown } = {};
const context = createContext(room);
const script = new Script("body()");

/**
 * Runs what is synchronous and, in the worst case, never comes to an end, such as a regular expression that somebody
 * else wrote: V8 [stops it](https://nodejs.org/api/vm.html#scriptrunincontextcontextifiedobject-options) in the middle.
 *
 * @throws OutOfTime after `ms` milliseconds, and whatever `body` throws.
 */
export function inTime<T>(ms: number, body: () => T): T {
  room.body = body;
  try {
    return script.runInContext(context, { timeout: ms }) as T;
  } catch (error) {
    const { code } = (error ?? {}) as { readonly code?: unknown };
    throw code === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? new OutOfTime(`it took more than ${ms} ms`) : error;
  } finally {
    delete room.body;
  }
}
