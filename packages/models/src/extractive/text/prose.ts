import { functionWords } from "./function-words.ts";
import { words } from "./words.ts";

/** Marks of comments, which stand before prose in source files. */
const commentMarks = /(?:^|\s)(?:\/\*+|\*+\/|\*|\/\/+|#+|--|<!--|-->)(?=\s|$)/g;
const link = /!?\[[^\]]*\]\([^)]*\)|https?:\/\/\S+/g;
/** Code and emphasis inside a sentence are part of it. */
const inline = /`[^`]*`|\*\*|__/g;
const symbols = /[{}[\]<>=;|\\$#@~^&*_+/]/g;
const statement =
  /^(?:(?:import|export|const|let|var|function|class|interface|def|return|case|public|private|package|use|fn|impl|struct|enum|SELECT|INSERT|#include|@\w+)\b.*[{}();=]|(?:if|for|while|switch)\s*\()/;
/** Several of these between signs are a program with comments in it. */
const keywords =
  /\b(?:readonly|const|let|export|import|function|return|yield|async|await|private|public|static|void|undefined|null|def|elif)\b/g;
/** Ends as a line of a program does. */
const unfinished = /(?:[;{}]|=>)$/;
const ends = /[.!?:…。！？]["'”’)\]*_`]*$/u;

/** Prose has at most so many signs for each word. */
const mostSymbols = 0.35;
/** What is shorter may be the item of a list. */
const listItem = 6;

/**
 * Whether a text says something in words: no statement of a program, no configuration, no list of links, no row of
 * names to navigate by.
 */
export function isProse(text: string): boolean {
  const said = text.replace(commentMarks, " ").trim();
  const unlinked = said.replace(link, " ");
  if (unlinked !== said && words(unlinked).length < 3) return false;
  const plain = unlinked
    .replace(inline, " ")
    .replace(/\[(?:\d+|[a-z ]+)\]/gi, " ")
    .trim();
  const inside = words(plain);
  if (inside.length === 0) return unlinked === said && !/[|{}=;]/.test(plain);
  if (statement.test(plain) || (unfinished.test(plain) && /[={}()]/.test(plain))) return false;
  if ((plain.match(keywords)?.length ?? 0) > 1 && /[;{}=]/.test(plain)) return false;
  if ((plain.match(symbols)?.length ?? 0) / inside.length > mostSymbols) return false;
  const grammar = inside.some(({ plain: word }) => functionWords.has(word));
  return grammar || inside.length < listItem || ends.test(said) || /[^\p{ASCII}]/u.test(said);
}
