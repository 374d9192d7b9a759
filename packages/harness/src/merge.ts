import { define } from "./layer.ts";
import type { Origin } from "./origin.ts";
import { keyName } from "./problem.ts";
import type { Path } from "./schema-path.ts";

/** A validated source of settings. */
export interface Source {
  readonly value: object;
  origin(path: Path, part: "key" | "value"): Origin;
}

/** One value of the resolved configuration, with where it came from: several places where lists add up. */
export interface Entry {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly origins: readonly Origin[];
}

export interface Merged {
  readonly value: Record<string, unknown>;
  /** Every leaf, in the order of the value's keys. */
  readonly entries: readonly Entry[];
}

/** Lists that every source adds to, because a rule that tightens must not be lost by a later file. */
const ADDED_UP = new Set([
  "policy.deny",
  "policy.requireApproval",
  "policy.review.tools",
  "policy.review.rules",
]);

const addsUp = (path: readonly string[]): boolean => {
  const [root, kind, servers, , key] = path;
  const isHeldBack = root === "tools" && kind === "mcp" && servers === "servers" && key === "protected";
  return isHeldBack || ADDED_UP.has(keyName(path));
};

type Candidate = { readonly value: unknown; readonly source: Source };

/** Merges sources, the strongest first: maps merge, lists and plain values replace, denies, approvals and reviews add up. */
export function merge(sources: readonly Source[]): Merged {
  const entries: Entry[] = [];
  const candidates = sources.map((source) => ({ value: source.value as unknown, source }));
  return { value: mergeMaps(candidates, [], entries), entries };
}

function mergeMaps(candidates: readonly Candidate[], path: readonly string[], entries: Entry[]) {
  const merged: Record<string, unknown> = {};
  // The weakest source lists its keys first: defaults give the order in which a configuration is read.
  const keys = new Set([...candidates].reverse().flatMap(({ value }) => Object.keys(value as object)));
  for (const key of keys) {
    const inner = candidates.flatMap(({ value, source }) => {
      const own = Object.getOwnPropertyDescriptor(value, key)?.value as unknown;
      return own === undefined ? [] : [{ value: own, source }];
    });
    if (inner.length > 0) define(merged, key, mergeAt(inner, [...path, key], entries));
  }
  return merged;
}

function mergeAt(candidates: readonly Candidate[], path: readonly string[], entries: Entry[]): unknown {
  const strongest = candidates[0]!;
  if (isMap(strongest.value)) {
    const end = candidates.findIndex(({ value }) => !isMap(value));
    const maps = end === -1 ? candidates : candidates.slice(0, end);
    if (maps.some(({ value }) => Object.keys(value as object).length > 0))
      return mergeMaps(maps, path, entries);
  }
  const adding = addsUp(path) ? candidates : [strongest];
  const said = adding.filter(({ value }) => !Array.isArray(value) || value.length > 0);
  const value = addsUp(path)
    ? [...new Set(adding.flatMap((candidate) => candidate.value as unknown[]))]
    : strongest.value;
  const speaking = said.length > 0 ? said : [strongest];
  entries.push({ path, value, origins: speaking.map(({ source }) => source.origin(path, "value")) });
  return value;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
