import type { Delta, GenerateRequest, Mark, Prompt, ProposedCall, Session, Turn } from "@agentpool/core";
import type { Operation, Stream, Subscription } from "effection";
import type { Conversation } from "../conversation.ts";
import { Done } from "../done.ts";
import { messageOfTurn } from "../turn-message.ts";
import type { Move } from "./behaviours/move.ts";
import { decide } from "./decide.ts";
import type { Settings } from "./settings.ts";

/** A conversation with the engine. It keeps no state beside the messages. */
export class ExtractiveSession implements Session {
  readonly #conversation: Conversation;
  readonly #settings: Settings;

  constructor(conversation: Conversation, settings: Settings) {
    this.#conversation = conversation;
    this.#settings = settings;
  }

  get tokens(): number {
    return this.#conversation.tokens;
  }

  append(messages: Prompt): Operation<void> {
    this.#conversation.append(messages);
    return new Done(undefined);
  }

  fork(): Operation<Session> {
    return new Done(new ExtractiveSession(this.#conversation.fork(), this.#settings));
  }

  mark(): Mark {
    return this.#conversation.mark();
  }

  rewind(to: Mark): Operation<void> {
    this.#conversation.rewind(to);
    return new Done(undefined);
  }

  generate(request: GenerateRequest): Stream<Delta, Turn> {
    return {
      [Symbol.iterator]: () => new Done(new Generation(this.#conversation, request, this.#settings)),
    };
  }
}

/** One turn as it is read: the engine thinks when the first delta is asked for. */
class Generation implements Subscription<Delta, Turn> {
  readonly #conversation: Conversation;
  readonly #request: GenerateRequest;
  readonly #settings: Settings;
  #deltas: Delta[] | undefined;
  #made: Omit<Turn, "usage"> | undefined;
  #turn: Turn | undefined;

  constructor(conversation: Conversation, request: GenerateRequest, settings: Settings) {
    this.#conversation = conversation;
    this.#request = request;
    this.#settings = settings;
  }

  next(): Operation<IteratorResult<Delta, Turn>> {
    if (this.#deltas === undefined) this.#think();
    const delta = this.#deltas!.shift();
    if (delta !== undefined) return new Done<IteratorResult<Delta, Turn>>({ done: false, value: delta });
    this.#turn ??= this.#keep();
    return new Done<IteratorResult<Delta, Turn>>({ done: true, value: this.#turn });
  }

  #think(): void {
    const messages = this.#conversation.messages();
    const move = decide(this.#conversation.prefix, messages, this.#request, this.#settings);
    const made = turnOf(move, callsIn(messages));
    this.#made = made;
    this.#deltas = [
      ...(made.reasoning ? [{ type: "reasoning", text: made.reasoning } as const] : []),
      ...(made.text ? [{ type: "text", text: made.text } as const] : []),
      ...made.calls.map(({ id, tool }) => ({ type: "call", id, tool }) as const),
    ];
  }

  #keep(): Turn {
    const made = this.#made!;
    const before = this.#conversation.tokens;
    const message = messageOfTurn(made);
    if (message !== undefined) this.#conversation.append([message]);
    return { ...made, usage: { input: before, output: this.#conversation.tokens - before, cached: 0 } };
  }
}

function turnOf({ reasoning, text, calls }: Move, before: number): Omit<Turn, "usage"> {
  const proposed: ProposedCall[] = calls.map(({ tool, args }, at) => ({
    id: `call_${before + at + 1}`,
    tool,
    input: JSON.stringify(args),
  }));
  return {
    reasoning,
    ...(text === undefined ? {} : { text }),
    calls: proposed,
    finish: proposed.length > 0 ? "calls" : "stop",
  };
}

function callsIn(messages: Prompt): number {
  let calls = 0;
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) if (part.type === "tool-call") calls++;
  }
  return calls;
}
