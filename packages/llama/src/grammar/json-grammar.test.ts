import type { JsonSchema } from "@agentpool/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { matches, parseGbnf, textOf } from "./gbnf.testing.ts";
import { choiceGrammar, jsonGrammar } from "./json-grammar.ts";
import { limitsFor } from "./limits.ts";
import { misfit } from "./misfit.ts";

const limits = { characters: 40, items: 4 };

/** A seeded stream of numbers from 0 to below 1. */
function random(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Tree {
  name: string;
  children: Tree[];
}
const tree: z.ZodType<Tree> = z.object({
  name: z.string(),
  get children() {
    return z.array(tree).max(1);
  },
});

const schemas: Record<string, z.ZodType> = {
  "a search": z.object({ query: z.string().min(2).max(20), limit: z.int().min(1).max(50).optional() }),
  "a report": z.object({
    findings: z
      .array(
        z.object({
          quote: z.string(),
          confidence: z.number().min(0).max(1),
          lines: z.tuple([z.int(), z.int()]),
        }),
      )
      .max(3),
    notFound: z.array(z.string()).optional(),
  }),
  "only optional properties": z.object({
    a: z.boolean().optional(),
    b: z.null().optional(),
    c: z.string().optional(),
  }),
  nothing: z.object({}),
  "an enumeration": z.enum(["low", "high", 'with "quotes" and \\']),
  alternatives: z.union([z.string().max(3), z.number(), z.literal(true), z.object({ type: z.literal("x") })]),
  "a choice by kind": z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("a"), value: z.int() }),
    z.object({ kind: z.literal("b"), text: z.string() }),
  ]),
  "a nullable": z.object({ value: z.string().nullable() }),
  "a record": z.record(z.string().min(1), z.int()),
  "a schema that leads back to itself": tree,
  "a list with a minimum": z.array(z.boolean()).min(2).max(3),
  "both of two": z.intersection(z.object({ a: z.string() }), z.object({ b: z.int() })),
};

describe("a grammar made from a JSON schema", () => {
  for (const [name, type] of Object.entries(schemas)) {
    it(`has only values of the schema: ${name}`, () => {
      const schema = z.toJSONSchema(type, { io: "input" }) as JsonSchema;
      const grammar = parseGbnf(jsonGrammar(schema, limits));
      for (let seed = 0; seed < 200; seed++) {
        const text = textOf(grammar, random(seed));
        expect(type.safeParse(JSON.parse(text)).success, text).toBe(true);
        expect(misfit(text, schema)).toBeUndefined();
      }
    });
  }

  it("has values of no particular form where the schema does not say", () => {
    for (const schema of [
      {},
      { type: "object" },
      { type: "array" },
      { type: ["string", "null"] },
      true,
      { not: {} },
    ]) {
      const grammar = parseGbnf(jsonGrammar(schema as JsonSchema, limits));
      for (let seed = 0; seed < 50; seed++) JSON.parse(textOf(grammar, random(seed)));
    }
  });

  it("writes properties in order, on one line, with a space after colons and commas", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "integer" }, b: { type: "boolean" } },
      required: ["b"],
    };
    const grammar = parseGbnf(jsonGrammar(schema, limits));
    expect(
      ['{"a": 1, "b": true}', '{"b": true}', '{"a": 1}', '{"b": true, "a": 1}', '{"b":true}', "{}"].map(
        (text) => matches(grammar, text),
      ),
    ).toEqual([true, true, false, false, false, false]);
  });

  it("ends strings and lists that the schema does not end", () => {
    const text = parseGbnf(jsonGrammar({ type: "string" }, limits));
    expect(matches(text, `"${"x".repeat(40)}"`)).toBe(true);
    expect(matches(text, `"${"x".repeat(41)}"`)).toBe(false);
    const list = parseGbnf(jsonGrammar({ type: "array", items: { type: "null" } }, limits));
    expect(matches(list, "[null, null, null, null]")).toBe(true);
    expect(matches(list, "[null, null, null, null, null]")).toBe(false);
  });

  it("takes no half of a character, and no control character, in strings", () => {
    const grammar = parseGbnf(jsonGrammar({ type: "string" }, limits));
    expect(
      ['"\\u00e9"', '"é"', '"\\n"', '"\\ud800"', '"\n"', '"\\x"'].map((text) => matches(grammar, text)),
    ).toEqual([true, true, true, false, false, false]);
  });

  it("offers choices, each with its start and a schema of its own", () => {
    const grammar = parseGbnf(
      choiceGrammar(
        [
          {
            start: "read(",
            schema: { type: "object", properties: { line: { type: "integer" } }, required: ["line"] },
          },
          { start: 'say "', schema: { type: "boolean" } },
          { start: "answer(" },
        ],
        limits,
      ),
    );
    expect(
      ['read({"line": 3}', 'say "true', "answer(", 'read({"line": true}', "answer({}"].map((text) =>
        matches(grammar, text),
      ),
    ).toEqual([true, true, true, false, false]);
  });
});

describe("limitsFor", () => {
  it("shares a turn's tokens among the strings of the largest schema, within reason", () => {
    const one = { type: "object", properties: { text: { type: "string" } } };
    const many = {
      type: "array",
      items: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } },
    };
    expect(limitsFor([one], 2_048).characters).toBe(2_000);
    expect(limitsFor([one, many], 1_000).characters).toBe(500);
    expect(limitsFor([many], 10).characters).toBe(200);
    expect(limitsFor([], 100).characters).toBe(300);
  });
});

describe("misfit", () => {
  it("says what is wrong with a value, and nothing about one that fits", () => {
    const schema = {
      type: "object",
      properties: { id: { type: "string", pattern: "^[a-z]+$" } },
      required: ["id"],
    };
    expect(misfit('{"id": "abc"}', schema)).toBeUndefined();
    expect(misfit('{"id": "ABC"}', schema)).toMatch(/id/);
    expect(misfit('{"id": ', schema)).toMatch(/JSON/);
  });
});
