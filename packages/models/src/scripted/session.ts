import {
  type Delta,
  type GenerateRequest,
  type Mark,
  type Message,
  type Prompt,
  type ProposedCall,
  type Session,
  type Turn,
  useCurrentAgent,
} from "@agentpool/core";
import type { Operation, Stream } from "effection";
import type { Conversation } from "../conversation.ts";
import { Done } from "../done.ts";
import { argumentsIn } from "../turn-message.ts";
import { forcedTurn, obeys } from "./forced.ts";
import { Generation } from "./generation.ts";
import { Moment } from "./moment.ts";
import type { Script, ScriptedAgent, ScriptedMoment, ScriptedTurn, Scripts } from "./script.ts";

/** What the sessions of a scripted model share: the scripts, and where requests are kept, if they are. */
export interface Played {
  readonly scripts: Scripts;
  readonly keep: ScriptedMoment[] | undefined;
}

/** A turn that is being played. One that was made up for a forced generation is not from the script. */
export type Picked = { readonly turn: ScriptedTurn; readonly fromScript: boolean };

/** Nothing here makes a scope or a task: a generation costs a few objects, so that it is fit for benchmarks. */
export class ScriptedSession implements Session {
  readonly #played: Played;
  readonly #conversation: Conversation;
  /** Where this session began: turns appended since, after the task, were already played. */
  readonly #start: Mark;
  #agent: ScriptedAgent | undefined;
  #script: Script = [];
  /** Turns of the script that were played. */
  #turns = 0;
  /** Ids given out, also by the session this one was forked from. */
  #ids: number;

  constructor(played: Played, conversation: Conversation, ids: number) {
    this.#played = played;
    this.#conversation = conversation;
    this.#start = conversation.mark();
    this.#ids = ids;
  }

  get tokens(): number {
    return this.#conversation.tokens;
  }

  append(messages: Prompt): Operation<void> {
    this.#conversation.append(messages);
    return nothing;
  }

  fork(): Operation<Session> {
    return new Done(new ScriptedSession(this.#played, this.#conversation.fork(), this.#ids));
  }

  mark(): Mark {
    return this.#conversation.mark();
  }

  rewind(to: Mark): Operation<void> {
    this.#conversation.rewind(to);
    return nothing;
  }

  generate(request: GenerateRequest): Stream<Delta, Turn> {
    return { [Symbol.iterator]: () => new Done(new Generation(this, request)) };
  }

  /** The turn to play now, and that it was asked for goes on record; undefined before {@link begin}. */
  pick(request: GenerateRequest): Picked | undefined {
    if (this.#agent === undefined) return undefined;
    const moment = new Moment(this.#agent, this.#turns + 1, request, this.#conversation.mark());
    this.#played.keep?.push(moment);
    return this.#next(moment);
  }

  /** Learns which agent this is, and takes up its script. */
  *begin(): Operation<void> {
    const current = yield* useCurrentAgent();
    const agent = current ?? { key: "", task: textOf(this.#conversation.last("user")) };
    this.#script = this.#played.scripts({ key: agent.key, task: agent.task });
    const held = this.#conversation.since(this.#start);
    this.#turns = turnsAfterTask(held, agent.task);
    this.#ids += callsIn(held);
    this.#agent = agent;
  }

  /** Leaves a turn behind that failed. */
  skip({ fromScript }: Picked): void {
    if (fromScript) this.#turns++;
  }

  /** Keeps a turn that was read to its end. */
  complete({ turn, fromScript }: Picked, calls: readonly ProposedCall[]): Turn {
    const conversation = this.#conversation;
    const before = conversation.tokens;
    const message = messageOf(turn, calls);
    if (message !== undefined) conversation.append([message]);
    if (fromScript) this.#turns++;
    const usage = { input: before, output: conversation.tokens - before, cached: 0 };
    return {
      reasoning: turn.reasoning,
      text: turn.text,
      calls,
      usage: turn.usage === undefined ? usage : { ...usage, ...turn.usage },
      finish: turn.finish ?? (calls.length > 0 ? "calls" : "stop"),
    };
  }

  nextId(): string {
    return `call_${++this.#ids}`;
  }

  #next(moment: Moment): Picked {
    const script = this.#script;
    const step = typeof script === "function" ? script : script[this.#turns];
    const turn = typeof step === "function" ? step(moment) : step;
    if (turn !== undefined && obeys(turn, moment.request)) return { turn, fromScript: true };
    const forced = forcedTurn(moment, this.#conversation.prefix.tools);
    if (forced !== undefined) return { turn: forced, fromScript: false };
    throw new Error(
      `the script of agent "${moment.key}" (task: ${JSON.stringify(moment.task.slice(0, 80))}) ended after ` +
        `${this.#turns} turns, and turn ${moment.turn} was asked for; give it another turn, or let its last one ` +
        "end the agent with the terminal call or with text",
    );
  }
}

const nothing: Operation<void> = new Done(undefined);

function messageOf(turn: ScriptedTurn, calls: readonly ProposedCall[]): Message | undefined {
  const content: Extract<Message, { role: "assistant" }>["content"] = [];
  if (turn.reasoning) content.push({ type: "reasoning", text: turn.reasoning });
  if (turn.text) content.push({ type: "text", text: turn.text });
  for (let at = 0; at < calls.length; at++) {
    const { id, tool, input } = calls[at]!;
    const args = turn.calls![at]!.args;
    const given = typeof args === "object" ? args : argumentsIn(input);
    content.push({ type: "tool-call", toolCallId: id, toolName: tool, input: given });
  }
  return content.length === 0 ? undefined : { role: "assistant", content };
}

function textOf(message: Message | undefined): string {
  if (message?.role !== "user") return "";
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** How many turns of an agent a conversation holds: those after the message that gave it its task. */
function turnsAfterTask(held: Prompt, task: string): number {
  const given = held.findIndex((message) => message.role === "user" && textOf(message).includes(task));
  // a task that was redacted is not found: then all that is held came after it
  return held.slice(Math.max(0, given)).filter(({ role }) => role === "assistant").length;
}

function callsIn(held: Prompt): number {
  let calls = 0;
  for (const { role, content } of held) {
    if (role === "assistant") for (const { type } of content) if (type === "tool-call") calls++;
  }
  return calls;
}
