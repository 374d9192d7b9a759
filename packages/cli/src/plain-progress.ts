import type { Output } from "./output.ts";
import type { Palette } from "./palette.ts";
import { printable } from "./printable.ts";
import type { Progress } from "./progress.ts";
import { progressLine } from "./progress-line.ts";
import { lasting, readingLine } from "./words.ts";

/** Progress as lines, for logs, pipes and screens that cannot redraw. */
export function plainProgress(output: Output, palette: Palette): Progress {
  let startedAt: number | undefined;
  return {
    observe(event) {
      startedAt ??= event.at;
      const line = progressLine(event);
      if (line !== undefined)
        output.write(`${palette.dim(lasting(event.at - startedAt).padStart(7))}  ${line}\n`);
    },
    reading: (done, total) => output.write(`${readingLine(done, total)}\n`),
    say: (text) => output.write(`${printable(text)}\n`),
    ask: (question) => output.write(`${printable(question)}\n`),
    answered() {},
  };
}
