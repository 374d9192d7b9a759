import {
  addUsage,
  type Delta,
  GenerationError,
  type Message,
  MisformedError,
  noUsage,
  type Prompt,
  type Turn,
  type Usage,
} from "@agentpool/core";
import type { Operation, Subscription } from "effection";
import { InterruptedError } from "../failure/model-failure.ts";
import type { Demand } from "../form/demand.ts";
import { type Fitted, fitted, type Said } from "../form/fitted.ts";
import { correction, notRun } from "../form/words.ts";
import { tokensOfMessage } from "../tokens.ts";
import { messageOfTurn } from "../turn-message.ts";
import { Assembly, type Finished } from "./assembly.ts";
import type { Exchange } from "./exchange.ts";
import { lackedIn } from "./lacks.ts";
import { completeUsage } from "./usage.ts";

/** What a generation needs of its session. */
export interface Source {
  readonly model: string;
  /** The form the turn has to have, where not any will do. */
  readonly demand: Demand | undefined;
  /** Ids of the conversation's calls so far. */
  callIds(): Set<string>;
  /** Tokens the conversation holds. */
  readonly tokens: number;
  /** A request for the turn; `more` stands after the conversation, and is not kept in it. */
  exchange(more: Prompt): Exchange;
  /** The provider said that it has no setting for something. */
  lacks(features: ReturnType<typeof lackedIn>): void;
  /** A call's arguments as its tool takes them. */
  clean(call: Turn["calls"][number]): Turn["calls"][number];
  /** The turn is complete. Says how many tokens the provider counted before it. */
  keep(message: Message | undefined, counted: number | undefined): void;
}

/**
 * One turn of a provider as it is read: the request starts with the first `next`.
 *
 * A turn that has to have a form is handed out once it has it. One that has not is asked for once more, with what was
 * wrong; the attempt and the correction stay out of the conversation.
 *
 * Each step lets go of the request if it is left in any way but with a value; a reader that is halted between two steps
 * is covered by its session, which releases what is open when it ends.
 */
export class Generation implements Subscription<Delta, Turn> {
  readonly #source: Source;
  readonly #ids: Set<string>;
  #exchange: Exchange;
  #assembly: Assembly;
  /** The first answer, where it did not have the form. */
  #attempt: { readonly usage: Usage; readonly counted: number | undefined } | undefined;
  /** What is handed out of a turn that had to have a form. */
  #deltas: readonly Delta[] = [];
  #read = 0;
  #accepted: Accepted | undefined;
  #turn: Turn | undefined;
  #released = false;

  constructor(source: Source) {
    this.#source = source;
    this.#ids = source.callIds();
    this.#assembly = new Assembly(this.#ids);
    this.#exchange = source.exchange([]);
  }

  *next(): Operation<IteratorResult<Delta, Turn>> {
    if (this.#turn !== undefined) return { done: true, value: this.#turn };
    if (this.#accepted !== undefined) return this.#handOut(this.#accepted);
    if (this.#released) throw new Error(`${this.#source.model}: this generation has ended; generate again`);
    let left = true;
    try {
      const result = yield* this.#advance();
      left = false;
      return result;
    } catch (error) {
      throw this.#paid(error);
    } finally {
      if (left) this.release();
    }
  }

  /** Lets go of the request. What it still brings is dropped. */
  release(): void {
    this.#released = true;
    this.#exchange.release();
  }

  *#advance(): Operation<IteratorResult<Delta, Turn>> {
    const { demand } = this.#source;
    for (;;) {
      const part = yield* this.#exchange.read();
      if (part === undefined) {
        this.#settle();
        if (this.#accepted === undefined) continue;
        return this.#handOut(this.#accepted);
      }
      if (part.type === "stream-start") this.#source.lacks(lackedIn(part.warnings));
      const delta = this.#assembly.take(part);
      if (delta !== undefined && demand === undefined) return { done: false, value: delta };
    }
  }

  /** What was held back of an accepted turn, delta by delta, and then the turn: only now it is kept. */
  #handOut({ turn, message, counted }: Accepted): IteratorResult<Delta, Turn> {
    if (this.#read < this.#deltas.length) return { done: false, value: this.#deltas[this.#read++]! };
    this.#source.keep(message, counted);
    this.#turn = turn;
    return { done: true, value: turn };
  }

  /** A failure costs what the first answer cost: it is thrown away with it. */
  #paid(error: unknown): unknown {
    if (this.#attempt !== undefined && error instanceof GenerationError && !(error instanceof MisformedError))
      error.usage = addUsage(this.#attempt.usage, error.usage ?? noUsage);
    return error;
  }

  /** The stream has ended: with the turn, or with an answer that needs another. */
  #settle(): void {
    const { demand } = this.#source;
    const finished = this.#finished();
    const { calls, ...rest } = this.#assembly.result();
    const said = { ...rest, calls: calls.map((call) => this.#source.clean(call)) };
    const fit: Fitted =
      demand === undefined || finished.reason !== "stop" ? { type: "fits", said } : fitted(said, demand);
    if (fit.type === "fits") this.#accept({ ...rest, ...fit.said }, finished);
    else if (this.#attempt === undefined && demand !== undefined)
      this.#askAgain(fit.problem, demand, finished);
    else if (fit.best !== undefined) this.#accept({ ...rest, ...fit.best }, finished);
    else
      throw new MisformedError(
        `${this.#source.model}: asked twice, and still: ${fit.problem}`,
        addUsage(this.#attempt?.usage ?? noUsage, this.#usage(finished, this.#assembly.message())),
      );
  }

  /** Only a turn that its provider ended counts: what a connection lost on the way may lack its best part. */
  #finished(): Finished {
    const { finished } = this.#assembly;
    const { model } = this.#source;
    if (finished === undefined || finished.reason === "cut")
      throw this.#lost(finished, `${model}: the stream ended before the turn was complete`);
    if (finished.reason === "failed")
      throw this.#lost(finished, `${model}: the provider ended the turn with an error`);
    this.#exchange.complete();
    return finished;
  }

  /** A turn that its provider did not end is none; what it counted of it all the same is paid. */
  #lost(finished: Finished | undefined, what: string): Error {
    const failure = new InterruptedError(`${what}; nothing of it was kept`);
    const { input, output } = finished?.usage ?? {};
    if (finished && (input ?? output) !== undefined)
      failure.usage = this.#usage(finished, this.#assembly.message());
    return this.#exchange.fail(failure);
  }

  #askAgain(problem: string, demand: Demand, finished: Finished): void {
    const message = this.#assembly.message();
    this.#attempt = { usage: this.#usage(finished, message), counted: finished.usage.input };
    this.#exchange = this.#source.exchange([
      ...(message === undefined ? [] : [message]),
      ...unanswered(message),
      { role: "user", content: [{ type: "text", text: correction(problem, demand) }] },
    ]);
    this.#assembly = new Assembly(this.#ids);
  }

  #accept(said: Said & { readonly reasoning?: string }, finished: Finished): void {
    const message = this.#assembly.message(new Set(said.calls.map(({ id }) => id)));
    const own = this.#usage(finished, message);
    const counted = this.#attempt === undefined ? finished.usage.input : this.#attempt.counted;
    const usage = addUsage(this.#attempt?.usage ?? noUsage, own);
    const turn: Turn = {
      ...said,
      usage,
      finish: finishOf(finished, said.calls),
      ...(message && !isPlain(message, said) && { kept: message }),
    };
    this.#accepted = { turn, message, counted };
    if (this.#source.demand !== undefined) this.#deltas = deltasOf(turn);
  }

  #usage({ usage }: Finished, message: Message | undefined): Usage {
    const output = message === undefined ? 0 : tokensOfMessage(message);
    return completeUsage(usage, { input: this.#source.tokens, output, cached: 0 });
  }
}

/** A turn that is complete, and not yet handed out. */
interface Accepted {
  readonly turn: Turn;
  readonly message: Message | undefined;
  readonly counted: number | undefined;
}

/** Whether a message says what its turn says and nothing more: else a recorded turn needs it to be put back. */
const isPlain = (message: Message, said: Said & { readonly reasoning?: string }): boolean =>
  JSON.stringify(message) === JSON.stringify(messageOfTurn(said));

function finishOf({ reason }: Finished, calls: Turn["calls"]): Turn["finish"] {
  if (reason === "length" || reason === "refusal") return reason;
  return calls.length > 0 ? "calls" : "stop";
}

/** Every call of a message is answered, or no provider takes the message back. */
function unanswered(message: Message | undefined): Prompt {
  if (message?.role !== "assistant") return [];
  const output = { type: "error-text" as const, value: notRun };
  const content = message.content.flatMap((part) =>
    part.type === "tool-call"
      ? [{ type: "tool-result" as const, toolCallId: part.toolCallId, toolName: part.toolName, output }]
      : [],
  );
  return content.length === 0 ? [] : [{ role: "tool", content }];
}

/** A whole turn as it is handed out. */
function deltasOf({ reasoning, text, calls }: Turn): readonly Delta[] {
  const deltas: Delta[] = [];
  if (reasoning) deltas.push({ type: "reasoning", text: reasoning });
  if (text) deltas.push({ type: "text", text });
  for (const { id, tool } of calls) deltas.push({ type: "call", id, tool });
  return deltas;
}
