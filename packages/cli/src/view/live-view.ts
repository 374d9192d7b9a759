import type { PoolEvent } from "@agentpool/core";
import { ensure, type Operation, resource, sleep, spawn } from "effection";
import type { Io } from "../io.ts";
import type { Palette } from "../palette.ts";
import { oneLine } from "../printable.ts";
import type { Progress } from "../progress.ts";
import { readingLine } from "../words.ts";
import { Painter } from "./painter.ts";
import { useOtherWrites } from "./use-other-writes.ts";
import { useSuspensions } from "./use-suspensions.ts";
import { view } from "./view.ts";
import { fold, nothingYet } from "./view-state.ts";
import { wrap } from "./wrap.ts";

const FRAME_MS = 100;

/** The longest thing said, in characters: a question about a call, and why it is asked. */
const SAID = 1_000;

/**
 * A tree of agents that is kept up to date in place while the run goes on; the last frame stays on screen. What tools
 * and programs write meanwhile goes above it.
 */
export const useLiveView = (
  { stdout, stderr }: Pick<Io, "stdout" | "stderr">,
  palette: Palette,
): Operation<Progress> =>
  resource(function* (provide) {
    const write = stderr.write.bind(stderr) as (text: string) => boolean;
    const painter = new Painter({
      get columns() {
        return stderr.columns || 80;
      },
      get rows() {
        return stderr.rows || 24;
      },
      write,
    });
    let state = nothingYet;
    let pending: PoolEvent[] = [];
    let shown: readonly string[] = [];
    let reading: string | undefined;
    let said: string | undefined;
    let asked: string | undefined;
    let drawn = "";
    const notices = new Set<string>();

    const draw = (over = false) => {
      const { columns = 80, rows = 24 } = stderr;
      const now = Date.now();
      const facts = [Math.floor(now / 1_000), columns, rows, said, asked, reading].join("\n");
      if (pending.length === 0 && facts === drawn && !over) return;
      drawn = facts;
      state = fold(state, pending);
      pending = [];
      // What was said and asked comes last, and whole; below a question there is a row more, for the answer's line end.
      const below = [said ?? reading, asked].flatMap((text) =>
        text === undefined ? [] : wrap(text, Math.max(1, columns - 1)),
      );
      const frame = view(
        state,
        { columns, rows: rows - below.length - (asked === undefined ? 0 : 1), palette, over },
        now,
        shown,
      );
      shown = frame.shown;
      painter.draw([...frame.lines, ...below.map((line) => palette.bold(line))]);
    };

    // What ends last stands first: what others had begun to write comes above the last frame.
    yield* ensure(() => {
      draw(true);
      for (const notice of someOf(notices)) write(`${notice}\n`);
      write("\n");
    });
    yield* useOtherWrites(
      [stdout, stderr].filter(({ isTTY }) => isTTY),
      (text) => painter.above(text),
    );
    yield* useSuspensions(() => painter.leave());
    yield* spawn(function* () {
      for (;;) {
        draw();
        yield* sleep(FRAME_MS);
      }
    });
    yield* provide({
      reading(done, total) {
        reading = readingLine(done, total);
      },
      observe(event) {
        if (event.type === "agent:spawned") reading = undefined;
        if (event.type === "notice") notices.add(oneLine(event.message, 300));
        if (event.type !== "turn:delta") pending.push(event);
      },
      say(text) {
        said = oneLine(text, SAID);
      },
      ask(question) {
        asked = oneLine(question, SAID);
      },
      answered({ entered }) {
        asked = undefined;
        if (entered) painter.wentDown();
      },
    });
  });

/** What was noticed on the way, below the last frame: the screen had no room for it. */
function someOf(notices: ReadonlySet<string>): string[] {
  const most = 8;
  const shown = [...notices].slice(0, most);
  return notices.size > most ? [...shown, `… and ${notices.size - most} more notices`] : shown;
}
