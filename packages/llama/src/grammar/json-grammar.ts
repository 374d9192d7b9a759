import type { JsonSchema } from "@agentpool/core";
import { integer, type Range, real } from "./numbers.ts";

/** How long the parts of a value may get that the schema itself does not limit. */
export interface Limits {
  /** Characters of a string. */
  readonly characters: number;
  /** Items of an array, and entries of an object whose keys are free. */
  readonly items: number;
}

/**
 * A grammar in [GBNF](https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md) whose texts are JSON of a
 * schema, on one line, with properties in the schema's order. Every string and array has an end. What a grammar cannot
 * say (patterns, formats, uniqueness, multiples) is left to whoever validates the value.
 */
export function jsonGrammar(schema: JsonSchema, limits: Limits): string {
  return choiceGrammar([{ start: "", schema }], limits);
}

/** What a text may be: a start, and JSON of a schema after it where there is one. */
export interface Choice {
  readonly start: string;
  readonly schema?: JsonSchema;
}

/** A grammar whose texts are one of the choices. */
export function choiceGrammar(choices: readonly Choice[], limits: Limits): string {
  const rules: string[] = [];
  const ways = choices.map(({ start, schema }, index) => {
    if (schema === undefined) return literal(start);
    const grammar = new Grammar(schema, limits, `c${index}`);
    const value = grammar.value(schema, 0);
    rules.push(...grammar.rules());
    return start === "" ? value : `${literal(start)} ${value}`;
  });
  return [`root ::= ${either(ways)}`, ...rules].join("\n");
}

/** Deeper than this, a value of no particular form is a plain one. */
const deepest = 3;

/** The engine takes no more repetitions than this. */
const mostRepetitions = 2_000;

class Grammar {
  readonly #root: JsonSchema;
  readonly #limits: Limits;
  /** What the names of its rules begin with. */
  readonly #prefix: string;
  readonly #rules = new Map<string, string>();
  readonly #references = new Map<string, string>();

  constructor(root: JsonSchema, limits: Limits, prefix: string) {
    this.#root = root;
    this.#limits = limits;
    this.#prefix = prefix;
  }

  *rules(): Generator<string> {
    for (const [name, body] of this.#rules) yield `${name} ::= ${body}`;
  }

  value(schema: unknown, depth: number): string {
    if (!isSchema(schema)) return this.#any(depth);
    if (typeof schema.$ref === "string") return this.#reference(schema.$ref, depth);
    if ("const" in schema) return literal(JSON.stringify(schema.const));
    if (Array.isArray(schema.enum))
      return this.#rule(either(schema.enum.map((each) => literal(JSON.stringify(each)))));
    const choices = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(choices)) return this.#rule(either(choices.map((each) => this.value(each, depth))));
    if (Array.isArray(schema.allOf)) return this.value(merged(schema), depth);
    if (Array.isArray(schema.type))
      return this.#rule(either(schema.type.map((type) => this.value({ ...schema, type }, depth))));
    switch (schema.type ?? impliedType(schema)) {
      case "string":
        return this.#string(schema);
      case "integer":
        return this.#rule(integer(rangeOf(schema, 1)));
      case "number":
        return this.#rule(real(rangeOf(schema, 0)));
      case "boolean":
        return this.#rule('"true" | "false"');
      case "null":
        return '"null"';
      case "array":
        return this.#array(schema, depth);
      case "object":
        return this.#object(schema, depth);
      default:
        return this.#any(depth);
    }
  }

  /** A rule of its own for a body, the same one for the same body. */
  #rule(body: string): string {
    for (const [name, known] of this.#rules) if (known === body) return name;
    const name = `${this.#prefix}-r${this.#rules.size}`;
    this.#rules.set(name, body);
    return name;
  }

  /** The name is known before the body is, so that a schema may lead back to itself. */
  #reference(pointer: string, depth: number): string {
    const known = this.#references.get(pointer);
    if (known !== undefined) return known;
    const name = `${this.#prefix}-d${this.#references.size}`;
    this.#references.set(pointer, name);
    this.#rules.set(name, "");
    this.#rules.set(name, this.value(at(this.#root, pointer), depth));
    return name;
  }

  #string({ minLength, maxLength }: JsonSchema): string {
    const most = Math.min(count(maxLength) ?? this.#limits.characters, mostRepetitions);
    const least = Math.min(count(minLength) ?? 0, most);
    const hex = this.#rule("[0-9a-fA-F]");
    // Escapes of surrogates are left out: half a pair is no character.
    const character = this.#rule(
      `[^"\\\\\\x00-\\x1F\\x7F] | "\\\\" (["\\\\/bfnrt] | "u" [0-9a-cA-C] ${hex} ${hex} ${hex})`,
    );
    return this.#rule(`"\\"" ${character}{${least},${most}} "\\""`);
  }

  #array(schema: JsonSchema, depth: number): string {
    const fixed = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    const least = Math.max(count(schema.minItems) ?? 0, fixed.length);
    const limit = count(schema.maxItems) ?? Math.max(this.#limits.items, least);
    const most =
      fixed.length > 0 && schema.items === undefined ? fixed.length : Math.min(limit, mostRepetitions);
    if (most === 0) return '"[]"';
    const first = fixed.map((each) => this.value(each, depth + 1));
    if (most <= first.length) return this.#rule(`"[" ${first.slice(0, most).join(' ", " ')} "]"`);
    const item = this.value(schema.items, depth + 1);
    const from = Math.max(0, least - first.length);
    const to = most - first.length;
    if (first.length > 0) return this.#rule(`"[" ${first.join(' ", " ')} (", " ${item}){${from},${to}} "]"`);
    const some = `${item} (", " ${item}){${Math.max(0, from - 1)},${to - 1}}`;
    return this.#rule(from === 0 ? `"[" (${some})? "]"` : `"[" ${some} "]"`);
  }

  #object(schema: JsonSchema, depth: number): string {
    const properties = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
    if (properties.length === 0) return this.#entries(schema, depth);
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    // From the last property to the first: what may follow when none came before, and when one did.
    let fresh = '"}"';
    let after = '"}"';
    for (const [name, value] of properties.reverse()) {
      const entry = `${literal(`${JSON.stringify(name)}: `)} ${this.value(value, depth + 1)} ${after}`;
      const optional = !required.has(name);
      [fresh, after] = [
        this.#rule(optional ? `${entry} | ${fresh}` : entry),
        this.#rule(optional ? `", " ${entry} | ${after}` : `", " ${entry}`),
      ];
    }
    return this.#rule(`"{" ${fresh}`);
  }

  /** An object whose keys are free. */
  #entries({ additionalProperties, propertyNames, minProperties }: JsonSchema, depth: number): string {
    if (additionalProperties === false || (additionalProperties === undefined && depth >= deepest))
      return '"{}"';
    const names = isSchema(propertyNames) ? propertyNames : {};
    const key = this.value({ maxLength: 64, minLength: 1, ...names, type: "string" }, depth);
    const entry = this.#rule(`${key} ": " ${this.value(additionalProperties, depth + 1)}`);
    const least = count(minProperties) ?? 0;
    const most = Math.max(least, this.#limits.items);
    const some = `${entry} (", " ${entry}){${Math.max(0, least - 1)},${most - 1}}`;
    return this.#rule(least === 0 ? `"{" (${some})? "}"` : `"{" ${some} "}"`);
  }

  #any(depth: number): string {
    const plain = ["string", "number", "boolean", "null"];
    const types = depth < deepest ? [...plain, "array", "object"] : plain;
    return this.#rule(either(types.map((type) => this.value({ type }, depth))));
  }
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function impliedType({ properties, items, prefixItems }: JsonSchema): string | undefined {
  if (properties !== undefined) return "object";
  return items !== undefined || prefixItems !== undefined ? "array" : undefined;
}

/** All that several schemas ask for together, as far as one can say it. */
function merged({ allOf, ...rest }: JsonSchema): JsonSchema {
  const parts = [rest, ...(allOf as unknown[]).filter(isSchema)];
  const properties = Object.assign({}, ...parts.map((part) => part.properties));
  return {
    ...Object.assign({}, ...parts),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    required: [...new Set(parts.flatMap(({ required }) => list(required)))],
  };
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** What a local reference points to; undefined for any other. */
function at(root: JsonSchema, pointer: string): unknown {
  if (!pointer.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const step of pointer.slice(1).split("/").filter(Boolean)) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    found = isSchema(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

/** The bounds of a number; `step` is what an exclusive bound of whole numbers leaves out. */
function rangeOf(schema: JsonSchema, step: number): Range {
  const bound = (value: unknown, none: number) => (typeof value === "number" ? value : none);
  const { NEGATIVE_INFINITY: low, POSITIVE_INFINITY: high } = Number;
  const least = Math.max(bound(schema.minimum, low), bound(schema.exclusiveMinimum, low) + step);
  const most = Math.min(bound(schema.maximum, high), bound(schema.exclusiveMaximum, high) - step);
  return step === 1 ? { least: Math.ceil(least), most: Math.floor(most) } : { least, most };
}

const count = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 ? Math.floor(value) : undefined;

const either = (ways: readonly string[]): string => ways.join(" | ");

/** A text in GBNF's quotes. */
export const literal = (text: string): string => `"${[...text].map(quoted).join("")}"`;

function quoted(character: string): string {
  if (character === "\\" || character === '"') return `\\${character}`;
  const code = character.charCodeAt(0);
  return code < 32 || code === 127 ? `\\x${code.toString(16).padStart(2, "0")}` : character;
}
