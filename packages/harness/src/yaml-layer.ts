import {
  Alias,
  type Document,
  type ErrorCode,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from "yaml";
import type { Layer } from "./layer.ts";
import type { Origin } from "./origin.ts";
import { HarnessError, keyName } from "./problem.ts";
import { harnessSchema } from "./schema.ts";
import { isMap as isMapSchema, type Path, schemaAt } from "./schema-path.ts";

/**
 * The layer that a file's text makes. A map without entries (`guards:` alone) is an empty map.
 *
 * Throws {@link HarnessError} for text that is not one YAML map, naming line and column.
 */
export function yamlLayer(text: string, file: string): Layer {
  const lines = new LineCounter();
  // Keys are compared below: the library's comparison takes minutes for a file of 50,000 keys.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    merge: true,
    uniqueKeys: false,
  });
  const place = (offset: number): Origin => {
    const { line, col } = lines.linePos(offset);
    return { type: "file", file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const fail = (offset: number, message: string): never => {
    throw new HarnessError([{ origin: place(offset), key: "", message }]);
  };

  const broken = document.errors[0] ?? document.warnings[0];
  if (broken) fail(broken.pos[0], `is not valid YAML: ${inWords(broken.message)}${HINTS[broken.code] ?? ""}`);
  visit(document, {
    Alias: (_, alias) => {
      if (!alias.resolve(document))
        fail(
          alias.range?.[0] ?? 0,
          `*${alias.source} names no anchor before it; a glob goes in quotes: "*${alias.source}".`,
        );
    },
    Map: (_, { items }) => {
      const first = new Map<string, number>();
      for (const { key } of items) {
        if (isMap(key) || isSeq(key)) fail(key.range?.[0] ?? 0, "a map or a list is no key.");
        if (!isScalar(key)) continue;
        const name = String(key.value);
        const offset = key.range?.[0] ?? 0;
        // Validation leaves it out without a word.
        if (name === "__proto__") fail(offset, "__proto__ is not a key here.");
        const earlier = first.get(name);
        if (earlier !== undefined)
          fail(
            offset,
            `${keyName([name])} stands here twice, the first time in line ${lines.linePos(earlier).line}.`,
          );
        first.set(name, offset);
      }
    },
  });
  const value = plain(document, fail);
  if (value !== null && (typeof value !== "object" || Array.isArray(value)))
    fail(document.contents?.range?.[0] ?? 0, "a harness is a map of keys, such as `model: extractive`");
  return {
    value: withoutEmptyMaps(value ?? {}, []),
    origin: (path, part) => place(offsetOf(document, path, part)),
  };
}

function plain(document: Document.Parsed, fail: (offset: number, message: string) => never): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 }) as unknown;
  } catch (error) {
    return fail(0, `cannot be read: ${inWords((error as Error).message)}`);
  }
}

/** What to do about it, where the parser only says what it is. */
const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  BLOCK_AS_IMPLICIT_KEY: "; text with a colon in it goes in quotes",
  BAD_SCALAR_START: "; text that begins with it goes in quotes",
  TAG_RESOLVE_FAILED: "; text that begins with ! goes in quotes",
};

/** What a parser ran out of, as its file has it. */
const inWords = (message: string): string =>
  message.includes("call stack") ? "it is nested too deeply." : message;

function withoutEmptyMaps(value: unknown, path: Path): unknown {
  if (value === null) {
    const schema = schemaAt(harnessSchema, path);
    return schema && isMapSchema(schema) ? {} : value;
  }
  if (typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutEmptyMaps(inner, [...path, key])]),
  );
}

/** The offset of the deepest node on the way to `path`, or of the key that leads to it. */
function offsetOf(document: Document.Parsed, path: Path, part: "key" | "value"): number {
  const resolve = (node: unknown): unknown => (node instanceof Alias ? node.resolve(document) : node);
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? 0;
  const at = (found: unknown): number | undefined => (isNode(found) ? (found as Node).range?.[0] : undefined);
  for (const [index, key] of path.entries()) {
    const here = resolve(node);
    if (isMap(here)) {
      const pair = here.items.find(
        (item) => (isScalar(item.key) ? String(item.key.value) : "") === String(key),
      );
      if (!pair) return offset;
      const last = index === path.length - 1;
      offset = at(pair.key) ?? offset;
      if (!last || part === "value") offset = at(pair.value) ?? offset;
      node = pair.value;
    } else if (isSeq(here) && typeof key === "number") {
      node = here.items[key];
      offset = at(node) ?? offset;
    } else return offset;
  }
  return offset;
}
