import { z } from "zod";

export type Path = readonly PropertyKey[];

/** Without the wrappers that only say whether a value may be missing. */
export function unwrap(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional ? unwrap(schema.unwrap() as z.ZodType) : schema;
}

/** The schema of what stands at `path`; undefined where the path leaves the schema. */
export function schemaAt(schema: z.ZodType, path: Path): z.ZodType | undefined {
  const here = unwrap(schema);
  if (path.length === 0) return here;
  const [key, ...rest] = path;
  for (const next of steps(here, key!)) {
    const found = schemaAt(next, rest);
    if (found) return found;
  }
  return undefined;
}

function steps(schema: z.ZodType, key: PropertyKey): z.ZodType[] {
  if (schema instanceof z.ZodUnion)
    return schema.options.flatMap((option) => steps(unwrap(option as z.ZodType), key));
  if (schema instanceof z.ZodObject) {
    const shape: Record<string, z.ZodType> = schema.shape;
    return typeof key === "string" && Object.hasOwn(shape, key) ? [shape[key]!] : [];
  }
  if (schema instanceof z.ZodRecord) return [schema.valueType as z.ZodType];
  if (schema instanceof z.ZodArray) return typeof key === "number" ? [schema.element as z.ZodType] : [];
  return [];
}

/** The keys that a map here may have; undefined where it may have any, or is not a map. */
export function keysOf(schema: z.ZodType): string[] | undefined {
  const here = unwrap(schema);
  if (here instanceof z.ZodObject) return Object.keys(here.shape);
  if (here instanceof z.ZodUnion) {
    const keys = here.options.flatMap((option) => keysOf(option as z.ZodType) ?? []);
    return keys.length > 0 ? keys : undefined;
  }
  return undefined;
}

/** Every path of maps with fixed keys that leads to a key of this name. */
export function placesOf(
  schema: z.ZodType,
  name: string,
  above: readonly string[] = [],
): (readonly string[])[] {
  const here = unwrap(schema);
  if (!(here instanceof z.ZodObject)) return [];
  return Object.entries(here.shape as Record<string, z.ZodType>).flatMap(([key, inner]) => {
    const path = [...above, key];
    return [...(key === name ? [path] : []), ...placesOf(inner, name, path)];
  });
}

/** Whether a map is the only thing that may stand here. */
export const isMap = (schema: z.ZodType): boolean => {
  const here = unwrap(schema);
  return here instanceof z.ZodObject || here instanceof z.ZodRecord;
};

/** What may stand here, in words. */
export function takes(schema: z.ZodType): string {
  const meta = unwrap(schema).meta() as { readonly takes?: string } | undefined;
  return meta?.takes ?? "text";
}
