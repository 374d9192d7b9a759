import { type JsonSchema, parametersOf, type Tool, validatorOf } from "@agentpool/core";
import { describe, expect, it } from "vitest";
import { parametersFrom } from "./parameters-from.ts";

const LONG = `${"a".repeat(200)}b`;

/** A tool with a schema of a server's. */
function toolWith(schema: JsonSchema): Tool {
  const parameters = parametersFrom({ type: "object", ...schema });
  if (typeof parameters === "string") throw new Error(parameters);
  return { name: "x", description: "", parameters, execute: () => undefined };
}

/** What arguments are taken as, or what is said against them. */
function taken(schema: JsonSchema, args: object): unknown {
  const { data, error } = validatorOf(toolWith(schema)).safeParse(args);
  return error ? error.issues.map(({ path, message }) => [path.join("."), message]) : data;
}

/** References that each lead to the next, twice: 2^40 ways to the end. */
const doubling: JsonSchema = {
  properties: { a: { $ref: "#/$defs/s0" } },
  $defs: Object.fromEntries([
    ...Array.from({ length: 40 }, (_, at) => {
      const next = { $ref: `#/$defs/s${at + 1}` };
      return [`s${at}`, { allOf: [next, next] }];
    }),
    ["s40", { type: "string" }],
  ]),
};

describe("arguments under a server's schema", () => {
  for (const [what, schema, args] of [
    [
      "an expression that takes for ever",
      { properties: { a: { type: "string", pattern: "^(a+)+$" } } },
      { a: LONG },
    ],
    [
      "one for the names of properties",
      { patternProperties: { "^(a+)+$": { type: "string" } } },
      { [LONG]: "x" },
    ],
    ["one deeper inside", { propertyNames: { pattern: "^(a+)+$" } }, { [LONG]: "x" }],
    ["references that double", doubling, { a: "x" }],
  ] as const)
    it(`are refused where a check of them does not end: ${what}`, () => {
      expect(taken(schema, args)).toEqual([["", "cannot be checked: it took more than 500 ms"]]);
    });

  it("are refused where references lead nowhere but to themselves", () => {
    const circle = { allOf: [{ $ref: "#/$defs/a" }] };
    expect(taken({ properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: circle } }, { a: 1 })).toEqual([
      ["", "cannot be checked: the schema has no end"],
    ]);
  });

  it("are checked by its expressions and references all the same, and say where they are wrong", () => {
    const schema = {
      properties: { id: { type: "string", pattern: "^[a-z]+$" }, in: { $ref: "#/$defs/box" } },
      $defs: {
        box: {
          type: "object",
          properties: { size: { type: "number", default: 3 }, in: { $ref: "#/$defs/box" } },
        },
      },
    };
    expect(taken(schema, { id: "ab", in: { in: { size: 1 } } })).toEqual({
      id: "ab",
      in: { size: 3, in: { size: 1 } },
    });
    expect(taken(schema, { id: "AB", in: { in: { size: "big" } } })).toMatchObject([
      ["id", expect.anything()],
      ["in.in.size", expect.anything()],
    ]);
  });

  it("may be words of any language where an expression says so", () => {
    const schema = { properties: { name: { type: "string", pattern: "^\\p{L}+$" } } };
    expect(taken(schema, { name: "Łukasz" })).toEqual({ name: "Łukasz" });
    expect(taken(schema, { name: "p{L}" })).toMatchObject([["", expect.stringContaining("name")]]);
  });

  it("that are wrong end nothing, also where a schema would have them checked later", () => {
    const schema = {
      $async: true,
      properties: { a: { $ref: "#n" } },
      $defs: { n: { $anchor: "n", type: "number" } },
    };
    expect(taken(schema, { a: "1" })).toEqual([["", "data/a must be number"]]);
  });
});

describe("a server's schema", () => {
  it("is shown to models as it stands, however it is checked", () => {
    for (const schema of [
      { type: "object", properties: { a: { type: "string" } } },
      { type: "object", properties: { a: { type: "string", pattern: "^a$" } }, required: ["a"] },
      {
        type: "object",
        properties: { a: { $ref: "#/$defs/n" } },
        $defs: { n: { type: "number" } },
        additionalProperties: false,
      },
      { type: "object", properties: {}, if: { required: ["a"] }, else: { required: ["b"] } },
    ]) {
      const { $schema: _, ...shown } = parametersOf(toolWith(schema)) as JsonSchema;
      expect(shown).toEqual(schema);
    }
  });

  it("cannot be used where it is somewhere else, or nested without measure", () => {
    expect(parametersFrom({ type: "object", properties: { a: { $ref: "https://x.example/y" } } })).toMatch(
      /^its schema cannot be used \(can't resolve reference/,
    );
    let nested: JsonSchema = { type: "string" };
    for (let depth = 0; depth < 100_000; depth++) nested = { not: nested };
    expect(parametersFrom({ type: "object", properties: { a: nested } })).toBe(
      "its schema cannot be used (it is nested more than 100 times)",
    );
  });
});
