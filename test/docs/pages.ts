import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const docs = join(root, "docs");

/** A page of the documentation. */
export interface Page {
  /** `guards-and-scopes.md` */
  readonly name: string;
  readonly text: string;
}

export const pages: readonly Page[] = readdirSync(docs)
  .filter((name) => name.endsWith(".md"))
  .sort()
  .map((name) => ({ name, text: readFileSync(join(docs, name), "utf8") }));

export function pageNamed(name: string): Page {
  const page = pages.find((page) => page.name === name);
  if (!page) throw new Error(`There is no page ${name}.`);
  return page;
}

/** A block of code between fences. */
export interface Block {
  /** The fence's words: `ts`, `text prints`. */
  readonly info: string;
  readonly code: string;
  /** The line of its fence, from 1. */
  readonly line: number;
  /** The line of prose above it: a file's name, for example. */
  readonly above: string;
}

export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map((match) => {
    const before = text.slice(0, match.index);
    return {
      info: match[1]!.trim(),
      code: match[2]!,
      line: before.split("\n").length,
      above: before.trimEnd().split("\n").at(-1) ?? "",
    };
  });
}

/** A program on a page, and what the page says that it prints. */
export interface Example {
  /** `guards-and-scopes.md:12` */
  readonly place: string;
  readonly code: string;
  readonly prints: string;
}

/** A block of TypeScript that is followed by a block `text prints` is run, and has to print that. */
export function examplesOf({ name, text }: Page): Example[] {
  const blocks = blocksOf(text);
  return blocks.flatMap((block, at) => {
    if (block.info !== "text prints") return [];
    const program = blocks[at - 1];
    if (program?.info !== "ts") throw new Error(`${name}:${block.line} prints what no program above it says`);
    return [{ place: `${name}:${program.line}`, code: program.code, prints: block.code }];
  });
}

/** The page without its code, where links and names stand. */
export const proseOf = ({ text }: Page): string => text.replace(/^```.*?^```$/gms, "");

/** Headings as links name them: in lower case, without signs, with dashes for spaces. */
export const anchorsOf = (page: Page): string[] =>
  [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
