import type { Delta, Prompt, Turn } from "@agentpool/core";
import { type Operation, type Subscription, until } from "effection";
import type { Conversation } from "../conversation.ts";
import { Assembly, type Finished, type Part } from "./assembly.ts";
import { failureOf } from "./failure.ts";
import type { CallOptions } from "./language-model.ts";
import type { AiSdkRuntime } from "./session.ts";
import { completeUsage } from "./usage.ts";

/**
 * One turn of a provider as it is read: the request starts with the first `next`.
 *
 * No scope and no task is made for it. Each step aborts the request if it is left in any way but with a value; and
 * a reader that is halted between two steps is covered by its session, which releases what is open when it ends.
 */
export class Generation implements Subscription<Delta, Turn> {
  readonly #runtime: AiSdkRuntime;
  readonly #conversation: Conversation;
  readonly #call: (signal: AbortSignal) => CallOptions;
  readonly #controller = new AbortController();
  #reader: ReadableStreamDefaultReader<unknown> | undefined;
  #assembly: Assembly | undefined;
  #turn: Turn | undefined;
  #released = false;

  constructor(runtime: AiSdkRuntime, conversation: Conversation, call: (signal: AbortSignal) => CallOptions) {
    this.#runtime = runtime;
    this.#conversation = conversation;
    this.#call = call;
  }

  *next(): Operation<IteratorResult<Delta, Turn>> {
    if (this.#turn !== undefined) return { done: true, value: this.#turn };
    if (this.#released) throw new Error(`${this.#runtime.id}: this generation has ended; generate again`);
    let left = true;
    try {
      const result = yield* this.#advance();
      left = false;
      return result;
    } finally {
      if (left) this.release();
    }
  }

  /** Lets go of the request and the stream. What they still bring is dropped. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#controller.abort(new Error("the generation was abandoned"));
    this.#reader?.cancel().catch(ignore);
  }

  *#advance(): Operation<IteratorResult<Delta, Turn>> {
    this.#assembly ??= new Assembly(callIdsIn(this.#conversation.messages()));
    const assembly = this.#assembly;
    for (;;) {
      const part = yield* this.#read();
      if (part === undefined) return { done: true, value: this.#complete(assembly) };
      if (part.type === "error") throw failureOf(part.error, this.#runtime.id);
      const delta = assembly.take(part);
      if (delta !== undefined) return { done: false, value: delta };
    }
  }

  /** The next part; undefined at the end of the stream. */
  *#read(): Operation<(Part & { readonly error?: unknown }) | undefined> {
    try {
      this.#reader ??= yield* this.#open();
      const { done, value } = yield* until(this.#reader.read());
      if (done) return undefined;
      return typeof value === "object" && value !== null ? value : {};
    } catch (error) {
      throw failureOf(error, this.#runtime.id);
    }
  }

  *#open(): Operation<ReadableStreamDefaultReader<unknown>> {
    const { model } = this.#runtime;
    const opening = Promise.resolve().then(() => model.doStream(this.#call(this.#controller.signal)));
    let stream: ReadableStream<unknown> | undefined;
    try {
      ({ stream } = yield* until(opening));
    } finally {
      // A model that does not heed the signal may still answer.
      if (stream === undefined) opening.then((late) => late.stream.cancel(), ignore).catch(ignore);
    }
    return stream.getReader();
  }

  #complete(assembly: Assembly): Turn {
    this.#released = true;
    const finished = completed(assembly.finished, this.#runtime.id);
    const conversation = this.#conversation;
    const { input } = finished.usage;
    if (input !== undefined) conversation.counted(input);
    const before = conversation.tokens;
    const message = assembly.message();
    if (message !== undefined) conversation.append([message]);
    const said = assembly.result();
    const estimate = { input: before, output: conversation.tokens - before, cached: 0 };
    this.#turn = {
      ...said,
      usage: completeUsage(finished.usage, estimate),
      finish: finishOf(finished, said.calls),
    };
    return this.#turn;
  }
}

/** Only a turn that its provider ended counts: what a connection lost on the way may lack its best part. */
function completed(finished: Finished | undefined, model: string): Finished {
  if (finished === undefined || finished.reason === "cut") {
    throw new Error(`${model}: the stream ended before the turn was complete; nothing of it was kept`);
  }
  if (finished.reason === "failed") throw new Error(`${model}: the provider ended the turn with an error`);
  return finished;
}

function finishOf({ reason }: Finished, calls: Turn["calls"]): Turn["finish"] {
  if (reason === "length" || reason === "refusal") return reason;
  return calls.length > 0 ? "calls" : "stop";
}

function callIdsIn(messages: Prompt): Set<string> {
  const ids = new Set<string>();
  for (const { role, content } of messages) {
    if (role !== "assistant") continue;
    for (const part of content) if (part.type === "tool-call") ids.add(part.toolCallId);
  }
  return ids;
}

const ignore = (): void => {};
