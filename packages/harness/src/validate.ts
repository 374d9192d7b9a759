import type { z } from "zod";
import { didYouMean } from "./did-you-mean.ts";
import type { Layer } from "./layer.ts";
import { found, HarnessError, keyName, type Problem } from "./problem.ts";
import { type HarnessFile, harnessSchema } from "./schema.ts";
import { keysOf, type Path, placesOf, schemaAt, takes } from "./schema-path.ts";

/** A layer's value, validated. Throws {@link HarnessError} with every problem it has. */
export function validate(layer: Layer): HarnessFile {
  const parsed = harnessSchema.safeParse(layer.value);
  if (parsed.success) return parsed.data;
  throw new HarnessError(parsed.error.issues.flatMap((issue) => explain(issue, [], layer)));
}

/** Unknown keys of one map that are explained; who has more has another kind of file. */
const EXPLAINED = 50;

function explain(issue: z.core.$ZodIssue, above: Path, layer: Layer): Problem[] {
  const path = [...above, ...issue.path];
  if (issue.code === "unrecognized_keys")
    return issue.keys.slice(0, EXPLAINED).map((key) => unknownKey(path, key, layer));
  if (issue.code === "invalid_union") {
    const meant = branchMeant(issue.errors);
    if (meant) return meant.flatMap((inner) => explain(inner, path, layer));
  }
  const said = issue.code === "custom" ? issue.params?.takes : undefined;
  return [wrongValue(path, layer, typeof said === "string" ? said : undefined)];
}

/** The branch of a union that the value was meant for: one that failed inside the value, not at its outside. */
function branchMeant(branches: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  return branches.find((issues) =>
    issues.every(
      (issue) => issue.path.length > 0 || issue.code === "unrecognized_keys" || isMeantInside(issue),
    ),
  );
}

const isMeantInside = (issue: z.core.$ZodIssue): boolean =>
  issue.code === "invalid_union" && branchMeant(issue.errors) !== undefined;

function unknownKey(path: Path, key: string, layer: Layer): Problem {
  const schema = schemaAt(harnessSchema, path);
  const known = (schema && keysOf(schema)) ?? [];
  const full = [...path, key];
  return {
    origin: layer.origin(full, "key"),
    key: keyName(full),
    message: `is not a key here${didYouMean(key, known) || elsewhere(key, path)} ${keyName(path) || "The file"} takes ${known.join(", ")}.`,
  };
}

/** Where a key belongs that stands in another map than its own. */
function elsewhere(key: string, path: Path): string {
  const places = placesOf(harnessSchema, key).filter((place) => keyName(place) !== keyName([...path, key]));
  return places.length === 1
    ? `; it belongs to ${keyName(places[0]!.slice(0, -1)) || "the file itself"}.`
    : ".";
}

/** `taken`: what it takes beside another value, where that decides. */
function wrongValue(path: Path, layer: Layer, taken?: string): Problem {
  const schema = schemaAt(harnessSchema, path);
  return {
    origin: layer.origin(path, "value"),
    key: keyName(path),
    message: `got ${found(valueAt(layer.value, path))}; it takes ${taken ?? (schema ? takes(schema) : "a name")}.`,
  };
}

export function valueAt(value: unknown, path: Path): unknown {
  let here = value;
  for (const key of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<PropertyKey, unknown>)[key];
  }
  return here;
}
