import type { Readable } from "node:stream";
import { type Operation, until, useAbortSignal } from "effection";
import { LONGEST_QUESTION } from "./question.ts";

/** Standard input as text, up to a little more than a question may have. */
export function* readStdin(stdin: Readable): Operation<string> {
  const signal = yield* useAbortSignal();
  return yield* until(read(stdin, signal));
}

async function read(stdin: Readable, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stdin.iterator({ destroyOnReturn: true })) {
    signal.throwIfAborted();
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > LONGEST_QUESTION * 4) break;
  }
  return text + decoder.decode();
}
