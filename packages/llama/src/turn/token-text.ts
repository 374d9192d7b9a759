import type { LlamaModel, Token } from "node-llama-cpp";

/** Of a model's tokens, what they read. */
export class TokenTexts {
  readonly #model: LlamaModel;
  readonly #control = new Map<number, string | undefined>();

  constructor(model: LlamaModel) {
    this.#model = model;
  }

  isEnd(token: number): boolean {
    return this.#model.isEogToken(token as Token);
  }

  /** The text of a control token; undefined for all others. */
  control(token: number): string | undefined {
    if (!this.#control.has(token)) {
      const special = this.#model.isSpecialToken(token as Token);
      this.#control.set(token, special ? this.#model.detokenize([token as Token], true) : undefined);
    }
    return this.#control.get(token);
  }

  plain(tokens: readonly number[], after: readonly number[]): string {
    return this.#model.detokenize(tokens as Token[], false, after as Token[]);
  }
}

/** The longest character in UTF-8, in tokens of one byte. */
const longest = 4;

/** How many tokens before decide how a token reads. */
const context = 3;

/** Tokens of one turn as text. A character that several tokens make up is given with the last of them. */
export class TokenText {
  readonly #texts: TokenTexts;
  /** Control tokens that mean something. Others read as nothing. */
  readonly #meaningful: readonly string[];
  #open: number[] = [];
  #before: number[] = [];

  constructor(texts: TokenTexts, meaningful: readonly string[]) {
    this.#texts = texts;
    this.#meaningful = meaningful;
  }

  take(token: number): string {
    const control = this.#texts.control(token);
    if (control !== undefined) {
      this.#close();
      return control !== "" && this.#meaningful.some((text) => text.includes(control)) ? control : "";
    }
    this.#open.push(token);
    const text = this.#texts.plain(this.#open, this.#before);
    if (text.endsWith("\ufffd") && this.#open.length < longest) return "";
    this.#close();
    return text;
  }

  #close(): void {
    this.#before = [...this.#before, ...this.#open].slice(-context);
    this.#open = [];
  }
}
