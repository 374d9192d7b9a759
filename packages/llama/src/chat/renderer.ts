import type { Prefix, Prompt } from "@agentpool/core";
import type { ChatModelFunctions, ChatWrapper, LlamaModel } from "node-llama-cpp";
import { commonPrefix } from "../engine/common-prefix.ts";
import type { Library } from "../native/library.ts";
import { historyOf } from "./history.ts";
import { plain, type Syntax, syntaxOf, type Text } from "./syntax.ts";

/** A conversation as the model reads it. */
export interface Rendered {
  readonly tokens: readonly number[];
  /** Texts that end the model's turn. */
  readonly stops: readonly string[];
}

/** How a model's conversations are written. */
export interface ChatTemplate {
  readonly syntax: Syntax;
  /** Renders the conversations that have these tools. */
  renderer(tools: Prefix["tools"]): Renderer;
  text(plain: string): Text;
  tokens(text: Text): number[];
}

/** The chat template of a model: its own, else one that suits its kind. */
export function templateOf(model: LlamaModel, library: Library): ChatTemplate {
  const wrapper = wrapperOf(model, library);
  return {
    syntax: syntaxOf(wrapper, library),
    renderer: (tools) => new Renderer(model, wrapper, tools),
    text: (text) => library.LlamaText(text),
    tokens: (text) => text.tokenize(model.tokenizer, "trimLeadingSpace"),
  };
}

/** Renders conversations that have the same tools. */
export class Renderer {
  readonly #model: LlamaModel;
  readonly #wrapper: ChatWrapper;
  readonly #functions: ChatModelFunctions | undefined;

  constructor(model: LlamaModel, wrapper: ChatWrapper, tools: Prefix["tools"]) {
    this.#model = model;
    this.#wrapper = wrapper;
    this.#functions = tools.length === 0 ? undefined : functionsOf(tools);
  }

  /** All messages, up to where the model's turn begins or goes on. */
  render(messages: Prompt): Rendered {
    try {
      return this.#render(messages);
    } catch (error) {
      // Some templates refuse a conversation without a user's message.
      if (messages.some(({ role }) => role === "user")) throw error;
      return { tokens: this.stable(messages), stops: [] };
    }
  }

  /**
   * What the conversation begins with whatever a user says next: what forks have in common. Templates may close a
   * message only when the next one comes, or write tools into the first of the user's.
   */
  stable(messages: Prompt): readonly number[] {
    const [one, other] = ["1", "A"].map((text) => {
      const next: Prompt = [...messages, { role: "user", content: [{ type: "text", text }] }];
      return this.#render(next).tokens;
    }) as [readonly number[], readonly number[]];
    return one.slice(0, commonPrefix(one, other));
  }

  #render(messages: Prompt): Rendered {
    const { contextText, stopGenerationTriggers } = this.#wrapper.generateContextState({
      chatHistory: historyOf(messages),
      ...(this.#functions === undefined ? {} : { availableFunctions: this.#functions }),
      documentFunctionParams: true,
    });
    return {
      tokens: contextText.tokenize(this.#model.tokenizer),
      stops: stopGenerationTriggers.map(plain).filter((stop) => stop !== ""),
    };
  }
}

/** Tools as the library documents them to the model. */
const functionsOf = (tools: Prefix["tools"]): ChatModelFunctions =>
  Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      name,
      { description, params: documented(parameters) as NonNullable<ChatModelFunctions[string]["params"]> },
    ]),
  );

/** A schema in the words that the library knows: it has one name for alternatives. */
function documented(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(documented);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== "$schema")
      .map(([key, value]) => [key === "anyOf" ? "oneOf" : key, documented(value)]),
  );
}

/** Templates whose library support expects to steer generation itself. Their own Jinja does as well. */
const steering = new Set(["Harmony", "Muse", "Functionary"]);

function wrapperOf(
  model: LlamaModel,
  { resolveChatWrapper, JinjaTemplateChatWrapper }: Library,
): ChatWrapper {
  const wrapper = resolveChatWrapper(model, { warningLogs: false });
  const template = model.fileInfo.metadata.tokenizer?.chat_template;
  if (!steering.has(wrapper.wrapperName) || !template) return wrapper;
  return new JinjaTemplateChatWrapper({ template, tokenizer: model.tokenizer });
}
