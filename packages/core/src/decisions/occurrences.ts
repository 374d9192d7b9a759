import type { Span } from "./spans.ts";

/** Where a value goes on, by its next character; `end`: it may end here. */
interface Node {
  readonly next: Map<string, Node>;
  end: boolean;
}

/**
 * Where any of these values stand in a text; of several that begin at one place the longest, and none within another.
 * In one walk over the text, however many values there are: a [trie](https://en.wikipedia.org/wiki/Trie).
 */
export function* occurrences(text: string, values: Iterable<string>): Generator<Span> {
  const root = trieOf(values);
  for (let at = 0; at < text.length; ) {
    const end = longestFrom(root, text, at);
    if (end !== undefined) yield { from: at, to: end };
    at = end ?? at + 1;
  }
}

function trieOf(values: Iterable<string>): Node {
  const root: Node = { next: new Map(), end: false };
  for (const value of values) {
    let node = root;
    for (let at = 0; at < value.length; at++) {
      const char = value.charAt(at);
      let next = node.next.get(char);
      if (!next) {
        next = { next: new Map(), end: false };
        node.next.set(char, next);
      }
      node = next;
    }
    node.end = node !== root;
  }
  return root;
}

function longestFrom(root: Node, text: string, at: number): number | undefined {
  let end: number | undefined;
  let node: Node | undefined = root;
  for (let index = at; node; index++) {
    if (node.end) end = index;
    node = index < text.length ? node.next.get(text.charAt(index)) : undefined;
  }
  return end;
}
