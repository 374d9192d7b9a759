import type { Mark, Message, Prefix, Prompt } from "@agentpool/core";
import { tokensOfMessage, tokensOfTools } from "./tokens.ts";

/**
 * The messages of a session, kept in memory: what a `Session` of a model without state of its own is made of.
 *
 * The list is persistent: appending links a new place to the one before it, and nothing that exists is changed. So
 * a fork costs one object however long the conversation is, forks share what they have in common message by
 * message (the very same objects), and a mark is simply a place, valid in every conversation that leads through it.
 *
 * ```ts
 * const conversation = Conversation.open(prefix);
 * conversation.append([{ role: "user", content: [{ type: "text", text: "Hello" }] }]);
 * const mark = conversation.mark();
 * const fork = conversation.fork();
 * fork.append(moreMessages);       // the original does not see them
 * fork.rewind(mark);
 * fork.messages();                 // [system, user]
 * ```
 */
export class Conversation {
  /** What it starts with. */
  readonly prefix: Prefix;
  #head: Place;

  private constructor(prefix: Prefix, head: Place) {
    this.prefix = prefix;
    this.#head = head;
  }

  /** A conversation that holds the prefix alone. Its first message is the system text, where there is one. */
  static open(prefix: Prefix): Conversation {
    const messages: Prompt = prefix.system === "" ? [] : [{ role: "system", content: prefix.system }];
    return new Conversation(prefix, new Place(undefined, messages, tokensOfTools(prefix.tools)));
  }

  /** Messages held, the system message included. */
  get length(): number {
    return this.#head.length;
  }

  /** Estimated tokens held, the prefix' tools included. Computed when asked for, once per place. */
  get tokens(): number {
    return tokensAt(this.#head);
  }

  /** Adds messages. They are kept by reference: do not change them afterwards. */
  append(messages: Prompt): void {
    if (messages.length > 0) this.#head = new Place(this.#head, messages, 0);
  }

  /** A conversation that starts with this one's content as it stands now. */
  fork(): Conversation {
    return new Conversation(this.prefix, this.#head);
  }

  /** This place. Valid here and in every fork made from now on. */
  mark(): Mark {
    return this.#head;
  }

  /** Forgets everything after the mark. Throws on a mark that this conversation does not lead through. */
  rewind(to: Mark): void {
    if (!(to instanceof Place) || !leadsThrough(this.#head, to)) {
      throw new Error(
        "cannot rewind: the mark was made in another conversation, or after the place this one was already " +
          "rewound to; accepted are marks of this conversation and of the one it was forked from, up to the fork",
      );
    }
    this.#head = to;
  }

  /**
   * Says that a provider counted `tokens` up to this place. Only a count above the estimate is taken, so that the
   * tokens held never seem to shrink while messages are added.
   */
  counted(tokens: number): void {
    if (tokens > tokensAt(this.#head)) this.#head.tokens = tokens;
  }

  /** The messages in order, the system message first. A new array of the same message objects every time. */
  messages(): Prompt {
    return messagesAt(this.#head);
  }

  /** The messages added after a mark, in order; after a rewind past it, those added since the rewind. */
  since(mark: Mark): Prompt {
    return messagesAt(this.#head, mark);
  }

  /** The latest message of a role. */
  last<R extends Message["role"]>(role: R): Extract<Message, { role: R }> | undefined {
    for (let place: Place | undefined = this.#head; place !== undefined; place = place.before) {
      for (let at = place.messages.length - 1; at >= 0; at--) {
        const message = place.messages[at]!;
        if (message.role === role) return message as Extract<Message, { role: R }>;
      }
    }
    return undefined;
  }
}

/** Every message up to a mark, without those that also lead to `after`. */
export function messagesAt(mark: Mark, after?: Mark): Prompt {
  if (!(mark instanceof Place)) throw new Error("not a mark of a Conversation");
  const start = after instanceof Place ? lengthInCommon(mark, after) : 0;
  const messages: Prompt = new Array(mark.length - start);
  let to = messages.length;
  for (let place: Place | undefined = mark; place !== undefined && to > 0; place = place.before) {
    for (let at = place.messages.length - 1; at >= 0; at--) messages[--to] = place.messages[at]!;
  }
  return messages;
}

/** The last place that leads to both marks; undefined for marks of conversations that were opened apart. */
export function lastInCommon(a: Mark, b: Mark): Mark | undefined {
  if (!(a instanceof Place) || !(b instanceof Place)) throw new Error("not a mark of a Conversation");
  return placeInCommon(a, b);
}

/** What was appended after a mark on the way to another, place by place. */
export function stepsBetween(after: Mark, to: Mark): { readonly mark: Mark; readonly messages: Prompt }[] {
  const steps: { readonly mark: Mark; readonly messages: Prompt }[] = [];
  let place = to instanceof Place ? to : undefined;
  for (; place !== undefined && place !== after; place = place.before) {
    steps.push({ mark: place, messages: place.messages });
  }
  return steps.reverse();
}

/** One append, linked to all before it. Only its token count is filled in later. */
class Place {
  readonly before: Place | undefined;
  readonly messages: Prompt;
  /** Messages up to here. */
  readonly length: number;
  /** Tokens up to here; below zero until computed, then minus one minus what stands beside the messages. */
  tokens: number;

  constructor(before: Place | undefined, messages: Prompt, beside: number) {
    this.before = before;
    this.messages = messages;
    this.length = (before === undefined ? 0 : before.length) + messages.length;
    this.tokens = -1 - beside;
  }
}

function tokensAt(head: Place): number {
  if (head.tokens >= 0) return head.tokens;
  const open: Place[] = [];
  let place: Place | undefined = head;
  while (place !== undefined && place.tokens < 0) {
    open.push(place);
    place = place.before;
  }
  let tokens = place === undefined ? 0 : place.tokens;
  for (let at = open.length - 1; at >= 0; at--) {
    const next = open[at]!;
    tokens += -1 - next.tokens;
    for (const message of next.messages) tokens += tokensOfMessage(message);
    next.tokens = tokens;
  }
  return tokens;
}

/** How many messages lead to both places. */
const lengthInCommon = (a: Place, b: Place): number => placeInCommon(a, b)?.length ?? 0;

function placeInCommon(a: Place, b: Place): Place | undefined {
  let [one, other]: [Place | undefined, Place | undefined] = [a, b];
  while (one !== other && one !== undefined && other !== undefined) {
    if (one.length >= other.length) one = one.before;
    else other = other.before;
  }
  return one === other ? one : undefined;
}

function leadsThrough(head: Place, to: Place): boolean {
  let place: Place | undefined = head;
  while (place !== undefined && place.length > to.length) place = place.before;
  return place === to;
}
