import type { Console } from "./io.ts";
import { paletteFor } from "./palette.ts";
import { lasting } from "./words.ts";

/** Shows how far a download is: a bar on a terminal, a line for each tenth anywhere else. */
export interface DownloadBar {
  /** Bytes of a file that are there, and how many there are. */
  at(file: string, done: number, total: number | undefined): void;
  /** Leaves the terminal with a line of its own. */
  end(): void;
}

/** A terminal is not written to more often than this. */
const everyMs = 100;
const width = 30;

export function downloadBar(
  { stderr, err, env }: Console,
  now: () => number = () => performance.now(),
): DownloadBar {
  const redraws = stderr.isTTY === true && env.TERM !== "dumb";
  const palette = paletteFor(stderr, env);
  let current: { readonly file: string; readonly since: number; readonly from: number } | undefined;
  let drawn = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let tenth = -1;
  return {
    at(file, done, total) {
      if (current?.file !== file) {
        current = { file, since: now(), from: done };
        tenth = -1;
        drawnAt = Number.NEGATIVE_INFINITY;
      }
      const share = total === undefined ? undefined : total === 0 ? 1 : done / total;
      if (!redraws) {
        const reached = Math.floor((share ?? 0) * 10);
        if (reached === tenth) return;
        tenth = reached;
        err.write(`${file}: ${amount(done, total)}\n`);
        return;
      }
      if (now() - drawnAt < everyMs && share !== 1) return;
      drawnAt = now();
      const seconds = (now() - current.since) / 1_000;
      const rate = seconds > 0.5 ? (done - current.from) / seconds : 0;
      const left =
        rate > 0 && total !== undefined ? `, ${lasting(((total - done) / rate) * 1_000)} left` : "";
      const speed = rate > 0 ? `  ${size(rate)}/s${left}` : "";
      const bar = share === undefined ? "" : `${palette.cyan(filled(share))} `;
      const line = `${file} ${bar}${amount(done, total)}${speed}`;
      err.write(`\r\u001b[2K${line}`);
      drawn++;
    },
    end() {
      if (drawn > 0) err.write("\n");
      drawn = 0;
    },
  };
}

const filled = (share: number): string => {
  const full = Math.round(Math.min(1, share) * width);
  return `${"█".repeat(full)}${"░".repeat(width - full)}`;
};

const amount = (done: number, total: number | undefined): string =>
  total === undefined
    ? size(done)
    : `${size(done)} of ${size(total)} (${Math.floor((100 * done) / Math.max(1, total))} %)`;

/** `812 kB`, `1.4 GB`. */
export function size(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
