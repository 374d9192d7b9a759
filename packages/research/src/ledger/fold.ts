/** White space folded to single spaces: the form in which quotations are compared. They may cross line ends. */
export const foldSpace = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Lines joined and folded, with the way back from a place in the text to its line. */
export interface FoldedLines {
  readonly text: string;
  lineAt(offset: number): number;
}

export function foldLines(lines: readonly string[], from: number): FoldedLines {
  let text = "";
  const starts: number[] = [];
  for (const line of lines) {
    const folded = foldSpace(line);
    if (folded !== "" && text !== "") text += " ";
    starts.push(text.length);
    text += folded;
  }
  return {
    text,
    lineAt(offset) {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (starts[middle]! <= offset) low = middle;
        else high = middle - 1;
      }
      return from + low;
    },
  };
}
