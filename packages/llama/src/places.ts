import type { Mark, Prefix } from "@agentpool/core";
import { type Conversation, messagesAt } from "@agentpool/models";
import type { ChatTemplate, Rendered, Renderer } from "./chat/renderer.ts";
import { answerName } from "./turn/plan-turn.ts";

/** The places of conversations that started with one prefix, as the model reads them. Each is rendered once. */
export class Places {
  readonly prefix: Prefix;
  /** The name by which an answer in text is offered among the tools; undefined where it is not. */
  readonly answer: string;
  readonly #renderer: Renderer;
  readonly #rendered = new WeakMap<Mark, Rendered>();
  readonly #stable = new WeakMap<Mark, readonly number[]>();

  constructor(prefix: Prefix, template: ChatTemplate, offersAnswer: boolean) {
    this.prefix = prefix;
    this.answer = answerName(prefix.tools);
    const { tools } = prefix;
    this.#renderer = template.renderer(
      offersAnswer && tools.length > 0 ? [...tools, answerTool(this.answer)] : tools,
    );
  }

  /** Where a conversation stands now. */
  at(conversation: Conversation): Rendered {
    const mark = conversation.mark();
    const rendered = this.#rendered.get(mark) ?? this.#renderer.render(messagesAt(mark));
    this.#rendered.set(mark, rendered);
    return rendered;
  }

  /** What forks of it begin with. */
  stableAt(conversation: Conversation): readonly number[] {
    const mark = conversation.mark();
    const stable = this.#stable.get(mark) ?? this.#renderer.stable(messagesAt(mark));
    this.#stable.set(mark, stable);
    return stable;
  }
}

const answerTool = (name: string): Prefix["tools"][number] => ({
  name,
  description: "Answers in text, without a tool. Only where no other function fits.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
});
