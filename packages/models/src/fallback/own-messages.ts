import type { Message, Prompt } from "@agentpool/core";

/**
 * Turns with what their provider wants back of them, such as signatures of its reasoning. A conversation of several
 * models holds them without; the model that generated one is told it as its own again.
 */
export class OwnMessages {
  readonly #own = new WeakMap<Message, { readonly index: number; readonly message: Message }>();

  /** Notes how the model at a place of the list had a message. */
  note(message: Message, index: number, own: Message): void {
    this.#own.set(message, { index, message: own });
  }

  /** Messages as any model can be told them. Those of turns are noted as the model's at this place. */
  plain(messages: Prompt, index: number): Prompt {
    return messages.map((message) => {
      if (message.role !== "assistant" || !hasProviderData(message)) return message;
      const plain = withoutProviderData(message);
      this.note(plain, index, message);
      return plain;
    });
  }

  /** Messages as the model at a place of the list is told them. */
  toldTo(index: number, messages: Prompt): Prompt {
    return messages.map((message) => {
      const own = this.#own.get(message);
      return own?.index === index ? own.message : message;
    });
  }
}

type Said = Extract<Message, { role: "assistant" }>;

const hasProviderData = ({ content, providerOptions }: Said): boolean =>
  providerOptions !== undefined || content.some((part) => part.providerOptions !== undefined);

/** Reasoning of which there is nothing but what the provider keeps of it is none. */
function withoutProviderData({ role, content }: Said): Said {
  const parts = content.map(({ providerOptions: _, ...part }) => part) as Said["content"];
  return { role, content: parts.filter((part) => part.type !== "reasoning" || part.text !== "") };
}
