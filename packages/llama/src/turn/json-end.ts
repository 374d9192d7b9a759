/** Follows JSON as it is written, and knows when it is complete. */
export class JsonEnd {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #begun = false;

  /** Takes the next characters. Gives how many of them belong to the value once it is complete. */
  take(text: string): number | undefined {
    for (let at = 0; at < text.length; at++) if (this.#complete(text[at]!)) return at + 1;
    return undefined;
  }

  /** Numbers and words have no end of their own: whoever writes them has to stop. */
  #complete(character: string): boolean {
    if (this.#escaped) {
      this.#escaped = false;
      return false;
    }
    if (this.#inString) {
      if (character === "\\") this.#escaped = true;
      if (character !== '"') return false;
      this.#inString = false;
      return this.#depth === 0;
    }
    if (!this.#begun && character.trim() === "") return false;
    this.#begun = true;
    if (character === '"') this.#inString = true;
    else if (character === "{" || character === "[") this.#depth++;
    else if (character === "}" || character === "]") return --this.#depth === 0;
    return false;
  }
}
