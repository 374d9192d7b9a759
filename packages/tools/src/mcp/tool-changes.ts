import { isMeant, nameOf } from "./choose-tools.ts";

/** How what a server lists differs from what it listed before, by the names that it gives its tools. */
export interface ToolChanges {
  readonly added: readonly string[];
  readonly gone: readonly string[];
  /** Those that describe themselves otherwise now. */
  readonly altered: readonly string[];
}

/** The changes among tools that somebody wants; undefined: there are none. */
export function changesIn(
  before: readonly unknown[],
  after: readonly unknown[],
  wanted: readonly string[],
): ToolChanges | undefined {
  const had = byName(before, wanted);
  const has = byName(after, wanted);
  const changes: ToolChanges = {
    added: [...has.keys()].filter((name) => !had.has(name)),
    gone: [...had.keys()].filter((name) => !has.has(name)),
    altered: [...has].flatMap(([name, text]) => (had.has(name) && had.get(name) !== text ? [name] : [])),
  };
  return Object.values(changes).some((names) => names.length > 0) ? changes : undefined;
}

/** Of several with one name the first counts. */
function byName(listed: readonly unknown[], wanted: readonly string[]): ReadonlyMap<string, string> {
  const tools = new Map<string, string>();
  for (const tool of listed) {
    const name = nameOf(tool);
    if (name !== undefined && !tools.has(name) && isMeant(wanted, name))
      tools.set(name, JSON.stringify(tool));
  }
  return tools;
}

/** Names that are shown of each kind. */
const SHOWN = 10;

export const inWords = ({ added, gone, altered }: ToolChanges): string =>
  [...said(added, "new here"), ...said(gone, "no longer there"), ...said(altered, "described otherwise")]
    .join("; ")
    .concat(".");

function said(names: readonly string[], what: string): string[] {
  if (names.length === 0) return [];
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
  return [`${names.slice(0, SHOWN).join(", ")}${more} ${names.length > 1 ? "are" : "is"} ${what}`];
}
