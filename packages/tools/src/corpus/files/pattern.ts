import picomatch from "picomatch";

/** A glob, split at the folder where its wildcards begin. */
export interface Pattern {
  /** The folder to walk, as written: `docs` of `docs/**\/*.md`. */
  readonly base: string;
  /** Whether a file, relative to the base, is meant. */
  matches(path: string): boolean;
  /** Whether a folder, relative to the base, can hold what is meant. */
  enters(folder: string): boolean;
  /** Whether the glob spells out this folder's name: then it is entered even where ignore rules leave it out. */
  names(folder: string): boolean;
}

/** Whether a path is to be read as a glob. */
export const isGlob = (path: string): boolean => picomatch.scan(path).isGlob;

/** Parses a glob with [picomatch](https://github.com/micromatch/picomatch#globbing-features)'s rules. */
export function parsePattern(glob: string): Pattern {
  const { base, glob: rest } = picomatch.scan(glob.replace(/^\.\//, ""));
  const matches = picomatch(rest, { dot: /(^|\/)\./.test(rest) });
  const segments = segmentsOf(rest);
  return {
    base: base || ".",
    matches: (path) => matches(path),
    enters: (folder) => {
      if (!segments) return true;
      const parts = folder.split("/");
      if (parts.length >= segments.list.length && !segments.open) return false;
      return parts.every(
        (part, depth) => depth >= segments.list.length || segments.list[depth]!.matches(part),
      );
    },
    names: (folder) => {
      const parts = folder.split("/");
      const segment = segments?.list[parts.length - 1];
      if (segment) return segment.literal === parts.at(-1);
      return rest.split("/").includes(parts.at(-1)!);
    },
  };
}

interface Segments {
  readonly list: readonly { readonly literal: string | undefined; matches(part: string): boolean }[];
  /** It goes on below its last segment: there is a `**`. */
  readonly open: boolean;
}

/** The glob's parts by depth, up to its first `**`. Undefined where a group spans several folders. */
function segmentsOf(glob: string): Segments | undefined {
  if (/[({][^)}]*\//.test(glob)) return undefined;
  const parts = glob.split("/");
  const deep = parts.findIndex((part) => part.includes("**"));
  const list = (deep < 0 ? parts : parts.slice(0, deep)).map((part) => ({
    literal: isGlob(part) ? undefined : part,
    matches: picomatch(part, { dot: part.startsWith(".") }) as (text: string) => boolean,
  }));
  return { list, open: deep >= 0 };
}
