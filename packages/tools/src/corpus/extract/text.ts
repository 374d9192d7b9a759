import type { Heading } from "../corpus.ts";
import { linesOf } from "../decode.ts";
import type { Extracted } from "./extracted.ts";

/**
 * Plain text: the file's own lines. Headings are the titles of
 * [reStructuredText](https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#sections) (underlined),
 * AsciiDoc (`==`) and Org (`**`), told apart by the file's extension.
 */
export function text(value: string, extension: string): Extracted {
  const lines = linesOf(value);
  const headings = headingsOf(lines, extension);
  return { type: "text", title: headings[0]?.text, lines, headings };
}

function headingsOf(lines: readonly string[], extension: string): Heading[] {
  if (extension === ".adoc" || extension === ".asciidoc") return marked(lines, /^(={1,6})\s+(\S.*)$/);
  if (extension === ".org") return marked(lines, /^(\*{1,6})\s+(\S.*)$/);
  return underlined(lines);
}

const marked = (lines: readonly string[], mark: RegExp): Heading[] =>
  lines.flatMap((line, index) => {
    const found = mark.exec(line);
    return found ? [{ level: found[1]!.length, text: found[2]!.trim(), line: index + 1 }] : [];
  });

/** A line that stands alone above a row of one sign, at least as long; its level is by first use of the sign. */
function underlined(lines: readonly string[]): Heading[] {
  const signs: string[] = [];
  const headings: Heading[] = [];
  for (let index = 0; index + 1 < lines.length; index++) {
    const line = lines[index]!.trim();
    const row = /^([=\-~^"'*+#`:.])\1{2,}\s*$/.exec(lines[index + 1]!);
    const above = lines[index - 1]?.trim() ?? "";
    if (!row || line === "" || !/\w/.test(line) || lines[index + 1]!.trim().length < line.length) continue;
    if (above !== "" && !/^([=\-~^"'*+#`:.])\1{2,}$/.test(above)) continue;
    const sign = row[1]!;
    if (!signs.includes(sign)) signs.push(sign);
    headings.push({ level: Math.min(6, signs.indexOf(sign) + 1), text: line, line: index + 1 });
  }
  return headings;
}
