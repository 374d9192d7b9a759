import type { PoolEvent } from "@agentpool/core";
import { ensure, type Operation, resource, sleep, spawn } from "effection";
import { createLogUpdate } from "log-update";
import type { Io } from "../io.ts";
import type { Palette } from "../palette.ts";
import { oneLine } from "../printable.ts";
import type { Progress } from "../progress.ts";
import { readingLine } from "../words.ts";
import { fit, view } from "./view.ts";
import { fold, nothingYet } from "./view-state.ts";

const FRAME_MS = 100;

/**
 * A tree of agents that is redrawn in place while the run goes on. The last frame stays on screen, and the cursor
 * comes back however the process ends.
 */
export const useLiveView = ({ stderr }: Pick<Io, "stderr">, palette: Palette): Operation<Progress> =>
  resource(function* (provide) {
    const screen = createLogUpdate(stderr as NodeJS.WriteStream);
    let state = nothingYet;
    let pending: PoolEvent[] = [];
    let shown: readonly string[] = [];
    let reading: string | undefined;
    let said: string | undefined;
    const notices = new Set<string>();
    const draw = () => {
      state = fold(state, pending);
      pending = [];
      const { columns = 80, rows = 24 } = stderr;
      // What was said has the last line: above a frame as high as the screen it would be out of sight.
      const last = said ?? reading;
      const frame = view(state, { columns, rows: last ? rows - 1 : rows, palette }, Date.now(), shown);
      shown = frame.shown;
      screen([...frame.lines, ...(last ? [palette.bold(fit(last, columns))] : [])].join("\n"));
    };
    yield* ensure(() => {
      draw();
      screen.done();
      for (const notice of someOf(notices)) stderr.write(`${notice}\n`);
      stderr.write("\n");
    });
    yield* spawn(function* () {
      while (true) {
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
        said = oneLine(text, 300);
      },
    });
  });

/** What was noticed on the way, below the last frame: the screen had no room for it. */
function someOf(notices: ReadonlySet<string>): string[] {
  const most = 8;
  const shown = [...notices].slice(0, most);
  return notices.size > most ? [...shown, `… and ${notices.size - most} more notices`] : shown;
}
