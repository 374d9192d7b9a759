import type { Delta, Message, ProposedCall } from "@agentpool/core";
import type { SharedV3ProviderOptions } from "@ai-sdk/provider";
import { argumentsIn } from "../turn-message.ts";
import { type FinishReason, finishIn } from "./finish.ts";
import { type CountedUsage, usageIn } from "./usage.ts";

/** A stream part of any version, as far as it is read here. Nothing about it is trusted. */
export interface Part {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly delta?: unknown;
  readonly toolName?: unknown;
  readonly toolCallId?: unknown;
  readonly input?: unknown;
  readonly providerExecuted?: unknown;
  readonly providerMetadata?: unknown;
  readonly finishReason?: unknown;
  readonly usage?: unknown;
  readonly warnings?: unknown;
  readonly error?: unknown;
}

type Block =
  | { readonly type: "text" | "reasoning"; text: string; metadata: SharedV3ProviderOptions | undefined }
  | CallBlock;

interface CallBlock {
  readonly type: "call";
  /** The id the conversation knows it by. */
  readonly id: string;
  /** The provider's id, which may be missing or used twice. */
  readonly given: string;
  readonly tool: string;
  /** Undefined until the call is complete. */
  input: string | undefined;
  metadata: SharedV3ProviderOptions | undefined;
}

export interface Finished {
  readonly reason: FinishReason;
  readonly usage: CountedUsage;
}

/**
 * Puts a turn together from stream parts. A call is announced when it begins and exists once the provider says it is
 * complete; one that is cut off leaves nothing. Calls that the provider runs itself are its own business.
 */
export class Assembly {
  readonly #blocks: Block[] = [];
  readonly #open = new Map<string, Extract<Block, { text: string }>>();
  /** Ids in the conversation so far: a provider may use one again. */
  readonly #taken: Set<string>;
  #finished: Finished | undefined;

  constructor(taken: Set<string>) {
    this.#taken = taken;
  }

  get finished(): Finished | undefined {
    return this.#finished;
  }

  /** Takes in a part; gives the delta a reader sees, if it is one. */
  take(part: Part): Delta | undefined {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#block(part.type === "text-start" ? "text" : "reasoning", part);
        return undefined;
      case "text-delta":
      case "reasoning-delta": {
        const type = part.type === "text-delta" ? "text" : "reasoning";
        const block = this.#block(type, part);
        if (typeof part.delta !== "string" || part.delta === "") return undefined;
        block.text += part.delta;
        return { type, text: part.delta };
      }
      case "text-end":
      case "reasoning-end": {
        const type = part.type === "text-end" ? "text" : "reasoning";
        this.#block(type, part);
        this.#open.delete(`${type}:${part.id}`);
        return undefined;
      }
      case "tool-input-start":
        return part.providerExecuted === true
          ? undefined
          : this.#announce(textOf(part.id), textOf(part.toolName));
      case "tool-call":
        return part.providerExecuted === true ? undefined : this.#complete(part);
      case "finish":
        this.#finished = { reason: finishIn(part.finishReason), usage: usageIn(part.usage) };
        return undefined;
      default:
        return undefined;
    }
  }

  /** What was said, and which calls count: none of a turn that was refused, only whole ones of a turn cut short. */
  result(): { readonly reasoning?: string; readonly text?: string; readonly calls: readonly ProposedCall[] } {
    const calls: ProposedCall[] = this.#calls().map(({ id, tool, input }) => ({
      id,
      tool,
      input: input || "{}",
    }));
    return { reasoning: this.#said("reasoning"), text: this.#said("text"), calls };
  }

  /**
   * The message the conversation keeps, with what the provider wants back; undefined where nothing was said. Of its
   * calls only those with the given ids, where some are given.
   */
  message(only?: ReadonlySet<string>): Message | undefined {
    const calls = new Set(this.#calls().filter(({ id }) => only === undefined || only.has(id)));
    const content: Extract<Message, { role: "assistant" }>["content"] = [];
    for (const block of this.#blocks) {
      const providerOptions = block.metadata;
      if (block.type === "call") {
        if (!calls.has(block)) continue;
        const { id: toolCallId, tool: toolName, input = "" } = block;
        content.push({ type: "tool-call", toolCallId, toolName, input: argumentsIn(input), providerOptions });
      } else if (block.text !== "" || (block.type === "reasoning" && providerOptions !== undefined)) {
        content.push({ type: block.type, text: block.text, providerOptions });
      }
    }
    return content.length === 0 ? undefined : { role: "assistant", content };
  }

  #block(type: "text" | "reasoning", part: Part): Extract<Block, { text: string }> {
    const key = `${type}:${part.id}`;
    let block = this.#open.get(key);
    if (block === undefined) {
      block = { type, text: "", metadata: undefined };
      this.#open.set(key, block);
      this.#blocks.push(block);
    }
    block.metadata = metadataOf(part) ?? block.metadata;
    return block;
  }

  #announce(given: string, tool: string): Delta {
    const block: CallBlock = {
      type: "call",
      id: this.#uniqueId(given),
      given,
      tool,
      input: undefined,
      metadata: undefined,
    };
    this.#blocks.push(block);
    return { type: "call", id: block.id, tool };
  }

  #complete(part: Part): Delta | undefined {
    const given = textOf(part.toolCallId);
    const tool = textOf(part.toolName);
    const input = typeof part.input === "string" ? part.input : (JSON.stringify(part.input) ?? "");
    const isIt = (block: Block): block is CallBlock =>
      block.type === "call" && block.given === given && block.tool === tool && block.input === undefined;
    let delta: Delta | undefined;
    let block = this.#blocks.find(isIt);
    if (block === undefined) {
      delta = this.#announce(given, tool);
      block = this.#blocks.at(-1) as CallBlock;
    }
    block.input = input.trim();
    block.metadata = metadataOf(part) ?? block.metadata;
    return delta;
  }

  #calls(): readonly CallBlock[] {
    const reason = this.#finished?.reason;
    if (reason === "refusal") return [];
    const complete = this.#blocks.filter(
      (block): block is CallBlock => block.type === "call" && block.input !== undefined,
    );
    // Out of tokens in the middle of the arguments: some providers hand out what there is.
    return reason === "length" ? complete.filter(({ input }) => isJson(input!)) : complete;
  }

  #said(type: "text" | "reasoning"): string | undefined {
    let said = "";
    for (const block of this.#blocks) if (block.type === type) said += block.text;
    return said === "" ? undefined : said;
  }

  #uniqueId(given: string): string {
    // Every provider takes such an id, also one that the conversation moves to later.
    const plain = given.replaceAll(/[^\w-]/g, "_").slice(0, longestId);
    let id = plain || "call_1";
    for (let at = 2; this.#taken.has(id); at++) id = `${plain || "call"}_${at}`;
    this.#taken.add(id);
    return id;
  }
}

const longestId = 48;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const metadataOf = ({ providerMetadata }: Part): SharedV3ProviderOptions | undefined =>
  typeof providerMetadata === "object" && providerMetadata !== null
    ? (providerMetadata as SharedV3ProviderOptions)
    : undefined;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
