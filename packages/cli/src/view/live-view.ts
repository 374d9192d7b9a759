import type { PoolEvent } from "@agentpool/core";
import { ensure, type Operation, resource, sleep, spawn } from "effection";
import { createLogUpdate } from "log-update";
import type { Io } from "../io.ts";
import type { Palette } from "../palette.ts";
import { oneLine } from "../printable.ts";
import type { Progress } from "../progress.ts";
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
    let said: string | undefined;
    const draw = () => {
      state = fold(state, pending);
      pending = [];
      const { columns = 80, rows = 24 } = stderr;
      // What was said has the last line: above a frame as high as the screen it would be out of sight.
      const frame = view(state, { columns, rows: said ? rows - 1 : rows, palette }, Date.now(), shown);
      shown = frame.shown;
      screen([...frame.lines, ...(said ? [palette.bold(fit(said, columns))] : [])].join("\n"));
    };
    yield* ensure(() => {
      draw();
      screen.done();
      stderr.write("\n");
    });
    yield* spawn(function* () {
      while (true) {
        draw();
        yield* sleep(FRAME_MS);
      }
    });
    yield* provide({
      observe(event) {
        if (event.type !== "turn:delta") pending.push(event);
      },
      say(text) {
        said = oneLine(text, 300);
      },
    });
  });
