/** A text as it grows, without the white space around it. */
export class Trimmed {
  #text = "";
  /** White space that belongs to the text if more follows. */
  #space = "";

  /** Takes more, and gives what is certain to belong to the text. */
  add(more: string): string {
    const all = this.#space + (this.#text === "" ? more.trimStart() : more);
    const known = all.trimEnd();
    this.#space = all.slice(known.length);
    this.#text += known;
    return known;
  }

  get text(): string {
    return this.#text;
  }
}
