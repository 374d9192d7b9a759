import stringWidth from "string-width";

/** What a block is painted on. */
export interface Canvas {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
}

// Synchronized output where a terminal knows it; no cursor and no wrapping of lines while a frame is written.
const BEGIN = "\u001b[?2026h\u001b[?25l\u001b7\u001b[?7l";
const END = "\u001b[?7h\u001b[?25h\u001b[?2026l";
const BACK = "\u001b8";
const BELOW = "\u001b[J";
const up = (rows: number): string => `\r${rows > 0 ? `\u001b[${rows}A` : ""}`;
const written = (line: string): string => `${line}\u001b[K`;

/**
 * Keeps a block of lines on a terminal, and writes only those that changed. The cursor rests on the line below the
 * block. Between two frames the terminal is as it was found, so that nothing has to be put back, however the process
 * ends, and what a person types stays where it is.
 */
export class Painter {
  readonly #canvas: Canvas;
  #drawn: readonly string[] = [];
  /** Rows between the end of the block and the cursor. */
  #gap = 0;
  #columns = 0;
  #rows = 0;

  constructor(canvas: Canvas) {
    this.#canvas = canvas;
  }

  /** Makes the block these lines, each shorter than the screen is wide. Of more than fit, the last. */
  draw(lines: readonly string[]): void {
    const { columns, rows } = this.#canvas;
    const next = lines.slice(Math.max(0, lines.length - Math.max(0, rows - 1)));
    const isResized = this.#drawn.length > 0 && (columns !== this.#columns || rows !== this.#rows);
    if (isResized) this.#frame(`${this.#erased()}${block(next)}`);
    else if (next.length !== this.#drawn.length || this.#gap > 0) this.#replace(next);
    else this.#patch(next);
    this.#drawn = next;
    this.#gap = 0;
    this.#columns = columns;
    this.#rows = rows;
  }

  /** Writes text above the block, where it stays. */
  above(text: string): void {
    this.#frame(
      `${this.#erased()}${text.replace(/\r?\n?$/, "").replaceAll(/\r?\n/g, "\r\n")}\r\n${block(this.#drawn)}`,
    );
    this.#gap = 0;
  }

  /** The cursor went a line down without this: somebody has pressed enter. */
  wentDown(): void {
    this.#gap++;
  }

  /** What was drawn stays where it is, and the next frame begins at the cursor. */
  leave(): void {
    this.#drawn = [];
    this.#gap = 0;
  }

  /** Goes to where the block begins and clears from there. Lines that a narrower screen has wrapped take several rows. */
  #erased(): string {
    const { columns, rows } = this.#canvas;
    const taken = this.#drawn.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / columns)),
      0,
    );
    return `${up(Math.min(taken + this.#gap, rows - 1))}${BELOW}`;
  }

  #replace(next: readonly string[]): void {
    let same = 0;
    while (same < next.length && same < this.#drawn.length && next[same] === this.#drawn[same]) same++;
    this.#frame(`${up(this.#drawn.length - same + this.#gap)}${block(next.slice(same))}${BELOW}`);
  }

  #patch(next: readonly string[]): void {
    let text = "";
    for (const [i, line] of next.entries())
      if (line !== this.#drawn[i]) text += `${BACK}${up(next.length - i)}${written(line)}`;
    if (text !== "") this.#frame(`${text}${BACK}`);
  }

  #frame(text: string): void {
    this.#canvas.write(`${BEGIN}${text}${END}`);
  }
}

const block = (lines: readonly string[]): string => lines.map((line) => `${written(line)}\r\n`).join("");
