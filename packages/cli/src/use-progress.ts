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

/** A live tree on a terminal, lines anywhere else. */
export function* useProgress(io: Console, { plain, quiet }: ProgressFlags): Operation<Progress> {
  const palette = paletteFor(io.stderr, io.env);
  const lines = plainProgress(io.err, palette);
  if (quiet) return { observe() {}, reading() {}, say: lines.say };
  if (plain || !io.stderr.isTTY || io.env.TERM === "dumb") return lines;
  return yield* useLiveView(io, palette);
}
