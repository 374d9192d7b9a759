import { basename } from "node:path";
import type { Heading } from "../corpus.ts";
import { linesOf } from "../decode.ts";
import type { Extracted } from "./extracted.ts";

const modifiers =
  "(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract|async|pub(?:\\([^)]*\\))?|unsafe|sealed|open|override|data|inline|extern|partial)\\s+)*";
const keywords =
  "(?:const\\s+enum|function|class|interface|type|enum|struct|trait|impl|mod|module|namespace|def|defp|defmodule|fn|fun|func|record|protocol|extension|object|message|service|rpc|sub|macro)";
const declaration = new RegExp(
  `^(\\s*)${modifiers}${keywords}\\b\\*?\\s*(?:<[^>]*>\\s*)?(?:\\([^)]*\\)\\s*)?([\\p{L}_$][\\p{L}\\p{N}_$.:]*)`,
  "u",
);
const constant = /^(?:export\s+)?(?:declare\s+)?(?:const|let|var)\s+([\p{L}_$][\p{L}\p{N}_$]*)/u;
/** Any name that opens something: only believed below a comment. */
const member = /^\s*(?:[\w$<>[\]?,.&*]+\s+)*\*?([\p{L}_$#][\p{L}\p{N}_$]*)\s*[?!]?\s*[(:=<{]/u;
/** What begins a statement within a body. */
const statement =
  /^\s*(const|let|var|return|throw|yield|await|if|for|while|switch|case|else|import|from|package|using|#)\b/;
const reserved =
  /^(if|for|while|switch|return|case|catch|else|do|try|import|from|with|new|throw|yield|await)$/;

const comment = /^\s*(\/\/|\/\*|\*|#(?!\s*(include|define|if|endif|pragma))|--|;;|""")/;
const attribute = /^\s*(@[\w.]+|#\[)/;

/**
 * A source file: its own lines. What it declares is its headings, each from the comment above it on, so that a
 * declaration is found together with its documentation.
 */
export function code(value: string, path: string): Extracted {
  const lines = linesOf(value);
  const headings: Heading[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.length > 400 || comment.test(line)) continue;
    const start = aboveOf(lines, index);
    const found = declared(line, start < index);
    if (found) headings.push({ level: found.level, text: found.name, line: start + 1 });
  }
  return { type: "text", title: basename(path), lines, headings };
}

function declared(line: string, hasComment: boolean): { name: string; level: number } | undefined {
  const plain = declaration.exec(line);
  if (plain && (hasComment || plain[1]!.length <= 4))
    return { name: plain[2]!.replace(/[.:]+$/, ""), level: levelOf(plain[1]!) };
  const value = constant.exec(line);
  if (value && (hasComment || line.startsWith("export"))) return { name: value[1]!, level: 1 };
  const inner = hasComment && !statement.test(line) ? member.exec(line) : null;
  if (inner && !reserved.test(inner[1]!)) return { name: inner[1]!, level: levelOf(/^\s*/.exec(line)![0]) };
  return undefined;
}

const levelOf = (indent: string): number =>
  Math.min(6, 1 + Math.ceil(indent.replaceAll("\t", "  ").length / 4));

/** The first line of the comment and the attributes right above a line; the line itself where there are none. */
function aboveOf(lines: readonly string[], index: number): number {
  let start = index;
  while (start > 0 && (comment.test(lines[start - 1]!) || attribute.test(lines[start - 1]!))) start--;
  return start;
}
