/** A part of a text. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A part of a text, and of what kind it is. */
export interface Found extends Span {
  readonly kind: string;
}

/** Parts of one text that do not overlap. Who comes first has a place; of who comes later the rest of it. */
export class Spans {
  readonly #text: string;
  readonly #found: Found[] = [];
  #taken: Uint8Array | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Adds what one search has found: longer ones first, and those that overlap nothing before those that do. */
  add(kind: string, spans: Iterable<Span>): void {
    const longestFirst = [...spans].sort((a, b) => b.to - b.from - (a.to - a.from));
    const overlapping = longestFirst.filter((span) => {
      if (span.from >= span.to) return false;
      if (!this.#isFree(span)) return true;
      this.#take(kind, span);
      return false;
    });
    for (const span of overlapping) for (const rest of [...this.#gaps(span)]) this.#take(kind, rest);
  }

  /** In the order of the text. */
  inOrder(): readonly Found[] {
    return this.#found.sort((a, b) => a.from - b.from);
  }

  #isFree({ from, to }: Span): boolean {
    return this.#taken === undefined || this.#taken.subarray(from, to).indexOf(1) < 0;
  }

  #take(kind: string, { from, to }: Span): void {
    this.#taken ??= new Uint8Array(this.#text.length);
    this.#taken.fill(1, from, to);
    this.#found.push({ kind, from, to });
  }

  /** What is left of a span that others have a part of, where there is a letter or a digit in it. */
  *#gaps({ from, to }: Span): Generator<Span> {
    const taken = this.#taken!;
    for (let start = from; start < to; ) {
      const free = taken.subarray(start, to).indexOf(0);
      if (free < 0) return;
      start += free;
      let end = start;
      while (end < to && taken[end] === 0) end++;
      if (/[\p{L}\p{N}]/u.test(this.#text.slice(start, end))) yield { from: start, to: end };
      start = end;
    }
  }
}
