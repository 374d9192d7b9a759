import stringWidth from "string-width";
import { oneLine } from "./printable.ts";

/** What gives way where a table is wider than the screen. */
export interface Fit {
  /** Columns of the screen; undefined: it is not one. */
  readonly width: number | undefined;
  /** The column that is cut, down to {@link LEAST}. */
  readonly column: number;
}

const LEAST = 16;

/** Rows under each other, columns as wide as they have to be; numbers stand to the right. */
export function table(all: readonly (readonly string[])[], fit?: Fit): string {
  const rows = fit?.width === undefined ? all : fitted(all, fit.column, fit.width);
  const widths = widthsOf(rows);
  const numeric = widths.map((_, at) => rows.slice(1).every((row) => /^[$\d.,kM]*$/.test(row[at] ?? "")));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => {
        const space = " ".repeat((widths[at] ?? 0) - stringWidth(cell));
        return numeric[at] ? space + cell : cell + space;
      })
      .join("  ")
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join("");
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const columns = Math.max(...rows.map((row) => row.length));
  return Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map((row) => stringWidth(row[at] ?? ""))),
  );
}

function fitted(
  rows: readonly (readonly string[])[],
  column: number,
  width: number,
): readonly (readonly string[])[] {
  const widths = widthsOf(rows);
  const others = widths.reduce((sum, one, at) => (at === column ? sum : sum + one), 2 * (widths.length - 1));
  const most = Math.max(LEAST, width - others);
  return rows.map((row) => row.map((cell, at) => (at === column ? oneLine(cell, most) : cell)));
}
