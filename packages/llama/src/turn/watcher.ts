/** What is to be done with text that came in. */
export interface Seen<T> {
  /** Text that is certain to be none of what is watched for. */
  readonly text: string;
  /** The first of what is watched for that came, and where it starts in all the text so far. */
  readonly found?: { readonly what: T; readonly from: number };
}

/** Watches a growing text for others, and holds back what may become one of them. */
export class Watcher<T> {
  readonly #targets: readonly (readonly [string, T])[];
  #held = "";
  /** Characters that were let through. */
  #passed = 0;

  constructor(targets: Iterable<readonly [string, T]>) {
    this.#targets = [...targets].filter(([text]) => text !== "");
  }

  take(more: string): Seen<T> {
    this.#held += more;
    let first: { at: number; what: T } | undefined;
    for (const [text, what] of this.#targets) {
      const at = this.#held.indexOf(text);
      if (at >= 0 && (first === undefined || at < first.at)) first = { at, what };
    }
    if (first !== undefined) {
      const from = this.#passed + first.at;
      return { text: this.#pass(first.at), found: { what: first.what, from } };
    }
    return { text: this.#pass(this.#held.length - this.#open()) };
  }

  /** What is still held back, when no more comes. */
  rest(): string {
    return this.#pass(this.#held.length);
  }

  /** How many of the last characters may be the start of something. */
  #open(): number {
    let most = 0;
    for (const [text] of this.#targets)
      for (let length = Math.min(text.length - 1, this.#held.length); length > most; length--)
        if (this.#held.endsWith(text.slice(0, length))) most = length;
    return most;
  }

  #pass(length: number): string {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    this.#passed += length;
    return text;
  }
}
