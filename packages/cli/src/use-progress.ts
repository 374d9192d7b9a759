import type { Operation } from "effection";
import type { Console } from "./io.ts";
import { paletteFor } from "./palette.ts";
import { plainProgress } from "./plain-progress.ts";
import type { Progress } from "./progress.ts";
import { useLiveView } from "./view/live-view.ts";

export interface ProgressFlags {
  /** Lines even where a tree could be drawn. */
  readonly plain?: boolean;
  /** Only what has to be said. */
  readonly quiet?: boolean;
}

/**
 * A live tree on a terminal that has a size, lines anywhere else; in continuous integration too, where what looks like
 * a terminal is a log.
 */
export function* useProgress(io: Console, { plain, quiet }: ProgressFlags): Operation<Progress> {
  const palette = paletteFor(io.stderr, io.env);
  const lines = plainProgress(io.err, palette);
  if (quiet) return { ...lines, observe() {}, reading() {} };
  const { isTTY, columns } = io.stderr;
  // a terminal without a size, as some containers give, has no room for a tree
  if (plain || !isTTY || columns === 0 || io.env.TERM === "dumb" || io.env.CI) return lines;
  return yield* useLiveView(io, palette);
}
