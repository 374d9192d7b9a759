import type { Delta, GenerateRequest, Message, Turn } from "@agentpool/core";
import type { Conversation } from "@agentpool/models";
import type { Operation, Subscription } from "effection";
import { plain } from "./chat/syntax.ts";
import type { Slot } from "./engine/engine.ts";
import type { Seat } from "./engine/seats.ts";
import { limitsFor } from "./grammar/limits.ts";
import type { Loaded } from "./loaded.ts";
import type { Sampler } from "./native/kernel.ts";
import type { Places } from "./places.ts";
import { tooLong } from "./too-long.ts";
import { callsOf } from "./turn/plan-turn.ts";
import type { Sampled, Step } from "./turn/tape.ts";
import { TokenText } from "./turn/token-text.ts";
import { type Said, writeTurn } from "./turn/write-turn.ts";

/** What a generation has of its session. */
export interface Writing {
  readonly loaded: Loaded;
  readonly places: Places;
  readonly conversation: Conversation;
  readonly seat: Seat;
  readonly sampler: Sampler;
}

/** Tokens of the turn that were written in one piece, and what they read. */
interface Piece {
  readonly tokens: readonly number[];
  readonly text: string;
}

/**
 * One turn as it is written: nothing is done until somebody reads, and no more than is read. Left unfinished, it leaves
 * nothing in the conversation; what the sequence holds of it is forgotten when it is next needed.
 */
export class Generation implements Subscription<Delta, Turn> {
  readonly #writing: Writing;
  readonly #request: GenerateRequest;
  #run: Run | undefined;
  #turn: Turn | undefined;
  #released = false;

  constructor(writing: Writing, request: GenerateRequest) {
    this.#writing = writing;
    this.#request = request;
  }

  *next(): Operation<IteratorResult<Delta, Turn>> {
    if (this.#turn !== undefined) return { done: true, value: this.#turn };
    if (this.#released)
      throw new Error(`${this.#writing.loaded.name}: this generation has ended; generate again`);
    let left = true;
    try {
      this.#run ??= yield* begin(this.#writing, this.#request);
      const step = yield* this.#run.advance();
      left = false;
      if (!step.done) return step;
      this.#turn = this.#complete(this.#run, step.value);
      return { done: true, value: this.#turn };
    } finally {
      if (left) this.release();
    }
  }

  /** Whoever reads this is not coming back. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#writing.loaded.seats.rest(this.#writing.seat);
  }

  #complete(run: Run, said: Said): Turn {
    this.release();
    const message = messageOf(said);
    if (message !== undefined) this.#writing.conversation.append([message]);
    return { ...said, usage: run.usage };
  }
}

/** Gets the sequence ready: it holds the conversation, up to where the model's turn begins. */
function* begin(writing: Writing, request: GenerateRequest): Operation<Run> {
  const { loaded, places, conversation, seat } = writing;
  const { engine, settings, seats } = loaded;
  const { tokens: prompt, stops } = places.at(conversation);
  if (prompt.length >= engine.window) {
    throw new Error(tooLong(loaded, prompt.length));
  }
  const { tools, calls } = callsOf(request, places.prefix.tools, loaded.calls);
  seat.spoke = true;
  const slot = yield* seats.take(seat, prompt);
  yield* engine.place(slot, prompt, 1);
  const maxTokens = Math.min(request.maxTokens ?? settings.maxTokens, settings.maxTokens);
  const schemas = [...tools.map(({ parameters }) => parameters), ...(request.output ? [request.output] : [])];
  let ids = callsIn(conversation);
  const turn = writeTurn({
    syntax: loaded.template.syntax,
    stops,
    tools,
    calls,
    output: request.output,
    answer: places.answer,
    limits: limitsFor(schemas, maxTokens),
    reasoning: Math.ceil(maxTokens / 2),
    nextId: () => `call_${++ids}`,
    text: loaded.template.text,
  });
  return new Run(writing, slot, prompt, maxTokens, stops, turn);
}

/** Does what a turn asks for. */
class Run {
  readonly #writing: Writing;
  readonly #slot: Slot;
  readonly #prompt: readonly number[];
  readonly #most: number;
  readonly #turn: Generator<Step, Said, Sampled | undefined>;
  readonly #cached: number;
  readonly #pieces: Piece[] = [];
  #tokens: number[];
  #reader: TokenText;
  readonly #meaningful: readonly string[];
  #answer: Sampled | undefined;

  constructor(
    writing: Writing,
    slot: Slot,
    prompt: readonly number[],
    maxTokens: number,
    stops: readonly string[],
    turn: Generator<Step, Said, Sampled | undefined>,
  ) {
    const { syntax } = writing.loaded.template;
    this.#writing = writing;
    this.#slot = slot;
    this.#prompt = prompt;
    this.#most = maxTokens;
    this.#turn = turn;
    this.#cached = slot.tokens.length;
    this.#tokens = [...prompt];
    this.#meaningful = [
      ...stops,
      ...syntax.callStarts,
      ...[syntax.nextCall, syntax.reasoning?.start, syntax.reasoning?.end].flatMap((text) =>
        text === undefined ? [] : [plain(text)],
      ),
    ];
    this.#reader = new TokenText(writing.loaded.texts, this.#meaningful);
  }

  get usage(): Turn["usage"] {
    const output = this.#tokens.length - this.#prompt.length;
    return { input: this.#prompt.length, output, cached: this.#cached };
  }

  /** Goes on to the next delta, or to the end. */
  *advance(): Operation<IteratorResult<Delta, Said>> {
    for (;;) {
      const step = this.#turn.next(this.#answer);
      this.#answer = undefined;
      if (step.done) return step;
      if (step.value.type === "delta") return { done: false, value: step.value.delta };
      yield* this.#do(step.value);
    }
  }

  *#do(step: Exclude<Step, { type: "delta" }>): Operation<void> {
    const { loaded, sampler } = this.#writing;
    switch (step.type) {
      case "constrain":
        sampler.constrain(step.constraint, loaded.nextSeed());
        return;
      case "write":
        this.#add(loaded.template.tokens(step.text), plain(step.text));
        return;
      case "rewrite":
        this.#forget(step.from);
        if (step.text !== undefined) this.#add(loaded.template.tokens(step.text), plain(step.text));
        yield* loaded.engine.place(this.#slot, this.#tokens, 1);
        return;
      case "sample":
        this.#answer = yield* this.#sample();
    }
  }

  *#sample(): Operation<Sampled> {
    const { loaded, sampler } = this.#writing;
    const written = this.#tokens.length - this.#prompt.length;
    if (written >= this.#most || this.#tokens.length >= loaded.engine.window) return { type: "spent" };
    const missing = this.#tokens.slice(this.#slot.tokens.length);
    const token = yield* loaded.engine.next(this.#slot, missing, sampler);
    if (loaded.texts.isEnd(token)) return { type: "end" };
    const text = this.#reader.take(token);
    this.#add([token], text);
    return { type: "text", text };
  }

  #add(tokens: readonly number[], text: string): void {
    this.#pieces.push({ tokens, text });
    this.#tokens.push(...tokens);
  }

  /** Forgets the turn's text from a character on. A piece that it goes through is written again up to there. */
  #forget(from: number): void {
    const { template, texts } = this.#writing.loaded;
    let kept = 0;
    let characters = 0;
    for (const { text } of this.#pieces) {
      if (characters + text.length > from) break;
      characters += text.length;
      kept++;
    }
    const through = this.#pieces[kept]?.text.slice(0, from - characters) ?? "";
    this.#pieces.length = kept;
    this.#tokens = [...this.#prompt, ...this.#pieces.flatMap(({ tokens }) => tokens)];
    this.#reader = new TokenText(texts, this.#meaningful);
    if (through !== "") this.#add(template.tokens(template.text(through)), through);
  }
}

function callsIn(conversation: Conversation): number {
  let calls = 0;
  for (const { role, content } of conversation.messages())
    if (role === "assistant") for (const { type } of content) if (type === "tool-call") calls++;
  return calls;
}

function messageOf({ reasoning, text, calls }: Said): Message | undefined {
  const content: Extract<Message, { role: "assistant" }>["content"] = [];
  if (reasoning) content.push({ type: "reasoning", text: reasoning });
  if (text) content.push({ type: "text", text });
  for (const { id, tool, input } of calls)
    content.push({ type: "tool-call", toolCallId: id, toolName: tool, input: JSON.parse(input) });
  return content.length === 0 ? undefined : { role: "assistant", content };
}
