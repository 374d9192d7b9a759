const NEWLINE = 0x0a;

/** Text that comes in pieces, as lines. What has no end in `most` bytes is an error. */
export class Lines {
  readonly #most: number;
  #begun: Buffer[] = [];
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  *take(chunk: Buffer): Generator<string> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...this.#begun, chunk.subarray(from, end)]).toString("utf8");
      this.#begun = [];
      this.#size = 0;
      from = end + 1;
      yield line;
    }
    if (from === chunk.length) return;
    this.#begun.push(chunk.subarray(from));
    this.#size += chunk.length - from;
    if (this.#size > this.#most) throw new Error(`a message is longer than ${this.#most} bytes`);
  }
}
