import { spawnSync } from "node:child_process";
import { Terminal } from "@xterm/headless";
import { type Call, type Running, start } from "./pool.ts";

/** `script` of util-linux gives a program a terminal. */
export const hasTerminals = spawnSync("script", ["--version"]).stdout?.includes("util-linux") === true;

/** `pool` on a terminal, and what is to be seen there. */
export interface OnScreen extends Omit<Running, "stdout"> {
  /** All lines, with those that have scrolled away. */
  lines(): readonly string[];
  type(text: string): void;
  /** Whether lines wrap, as they do where nobody has changed it. */
  wraps(): boolean;
  /** Of the process of `pool` itself. */
  pid(): number;
}

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Starts the real `pool` on a terminal of this size; an emulator keeps its screen. */
export function onScreen(command: string, { columns, rows, ...call }: Call & Size): OnScreen {
  const terminal = new Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const script = `stty cols ${columns} rows ${rows}; "$NODE" "$POOL" ${command} </dev/tty & echo "pid $!"; wait $!`;
  const { process: child, ...running } = start([], {
    ...call,
    env: { TERM: "xterm", ...call.env },
    through: ["script", "-qec", script, "/dev/null"],
    staysOpen: true,
  });
  const lines = (): string[] => {
    const { active } = terminal.buffer;
    return Array.from({ length: active.length }, (_, i) => active.getLine(i)!.translateToString(true));
  };
  const looks = new Set<() => void>();
  child.stdout!.on("data", (text: string) =>
    terminal.write(text, () => {
      for (const look of looks) look();
    }),
  );
  return {
    ...running,
    process: child,
    lines,
    type: (text) => child.stdin!.write(text),
    wraps: () => terminal.modes.wraparoundMode,
    pid: () => Number(/pid (\d+)/.exec(lines().join("\n"))![1]),
    saw: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!lines().join("\n").includes(text)) return;
          looks.delete(look);
          resolve();
        };
        looks.add(look);
        look();
        running.ended.then(() => reject(new Error(`ended without ${text}\n${lines().join("\n").trimEnd()}`)));
      }),
  };
}
