import type { Operation } from "effection";
import type { HarnessProgram, ProgramContext } from "./program.ts";

const FORM = "*run(question, { pool }) { const { agents } = yield* pool({ … }); … }";

/**
 * What a program answers. Throws an error that says how `run` is written where it was written as something else, and
 * one that says what of its answer is no JSON.
 */
export function* answerOf(
  program: HarnessProgram,
  question: string,
  context: ProgramContext,
): Operation<unknown> {
  const operation: unknown = program.run(question, context);
  if (!isOperation(operation)) {
    if (operation instanceof Promise) operation.catch(() => {}); // what it fails with is not what is wrong here
    const found = operation instanceof Promise ? "an async function" : "a plain function";
    throw new TypeError(`run of the program is ${found}, and takes a generator function: ${FORM}`);
  }
  const answer = yield* operation as Operation<unknown>;
  if (isOperation(answer))
    throw new TypeError(
      "run of the program returned an operation that nobody ran: return yield* …, not return …",
    );
  try {
    JSON.stringify(answer);
  } catch (error) {
    throw new TypeError(`what run of the program returned is no JSON: ${(error as Error).message}`);
  }
  return answer;
}

/** Something to `yield*`, and not a value that can be iterated. */
const isOperation = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { [Symbol.iterator]?: unknown })[Symbol.iterator] === "function" &&
  !Array.isArray(value) &&
  !(value instanceof Map || value instanceof Set || ArrayBuffer.isView(value));
