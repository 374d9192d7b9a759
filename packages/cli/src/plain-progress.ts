import type { PoolEvent } from "@agentpool/core";
import type { Output } from "./output.ts";
import type { Palette } from "./palette.ts";
import { printable } from "./printable.ts";
import type { Progress } from "./progress.ts";
import { progressLine } from "./progress-line.ts";
import { lasting, readingLine } from "./words.ts";

/** Progress as lines, for logs, pipes and screens that cannot redraw. */
export function plainProgress(output: Output, palette: Palette): Progress {
  let startedAt: number | undefined;
  let last: PoolEvent | undefined;
  return {
    observe(event) {
      startedAt ??= event.at;
      // between the process that had the run before and this one no time passed for it
      if (last?.past && !event.past) startedAt += event.at - last.at;
      last = event;
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
