import stringWidth from "string-width";

/** Rows under each other, columns as wide as they have to be; numbers stand to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map((row) => stringWidth(row[at] ?? ""))),
  );
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
