import type { Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { type Operation, resource } from "effection";

type Done = (error?: Error | null) => void;

/** What is written to these streams as long as this lives, by whomever, comes to `onText` in place of the screen. */
export const useOtherWrites = (
  streams: readonly Writable[],
  onText: (text: string) => void,
): Operation<void> =>
  resource(function* (provide) {
    const taken = [...new Set(streams)].map((stream) => takeOver(stream, onText));
    try {
      yield* provide();
    } finally {
      for (const { giveBack } of taken) giveBack();
    }
  });

/** Lines are handed on whole, and what is left of one at the end. */
function takeOver(stream: Writable, onText: (text: string) => void): { giveBack(): void } {
  const before = Object.getOwnPropertyDescriptor(stream, "write");
  const decoder = new StringDecoder("utf8");
  let open = "";
  const write = (chunk: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done): boolean => {
    open += typeof chunk === "string" ? chunk : decoder.write(chunk as Buffer);
    const end = open.lastIndexOf("\n") + 1;
    if (end > 0) onText(open.slice(0, end));
    open = open.slice(end);
    const callback = typeof encoding === "function" ? encoding : done;
    if (callback) process.nextTick(callback);
    return true;
  };
  Object.defineProperty(stream, "write", { value: write, configurable: true, writable: true });
  return {
    giveBack() {
      if (before) Object.defineProperty(stream, "write", before);
      else delete (stream as { write?: unknown }).write;
      if (open !== "") onText(open);
    },
  };
}
