import type { JsonSchema } from "@agentpool/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { withoutNulls } from "./without-nulls.ts";

const of = (type: z.ZodType) => z.toJSONSchema(type, { io: "input" }) as JsonSchema;

describe("a null that stands for something left out", () => {
  const search = of(
    z.object({
      q: z.string(),
      limit: z.number().optional(),
      since: z.string().nullable().optional(),
      kind: z.enum(["a", "b"]).optional(),
      filter: z
        .object({ path: z.string().optional(), tags: z.array(z.object({ t: z.string().optional() })) })
        .optional(),
    }),
  );

  it("is taken out, at any depth", () => {
    const given = {
      q: "x",
      limit: null,
      kind: null,
      filter: { path: null, tags: [{ t: null }, { t: "y" }] },
    };
    expect(withoutNulls(given, search)).toEqual({ q: "x", filter: { tags: [{}, { t: "y" }] } });
  });

  it("stays where the schema takes it, where the property is required, and where nothing is known of it", () => {
    const given = { q: null, since: null, other: null };
    expect(withoutNulls(given, search)).toBe(given);
  });

  it("is taken out of what a reference, a form of several, or a record of types describes", () => {
    const node: JsonSchema = {
      type: "object",
      properties: { next: { $ref: "#/$defs/node" }, size: { type: ["integer", "string"] } },
      $defs: {
        node: { type: "object", properties: { next: { $ref: "#/$defs/node" }, size: { type: "integer" } } },
      },
    };
    expect(withoutNulls({ size: null, next: { size: null, next: null } }, node)).toEqual({ next: {} });
    const either = of(
      z.union([z.object({ a: z.string().optional() }), z.object({ b: z.number().optional() })]),
    );
    expect(withoutNulls({ b: null }, either)).toEqual({});
  });

  it.each<[string, JsonSchema, boolean]>([
    ["a type that lists it", { type: ["string", "null"] }, true],
    ["an enum that has it", { enum: ["a", null] }, true],
    ["an enum that has not", { enum: ["a"] }, false],
    ["a constant", { const: 1 }, false],
    ["any of several", { anyOf: [{ type: "string" }, { type: "null" }] }, true],
    ["one of several", { oneOf: [{ type: "string" }, { type: "number" }] }, false],
    ["all of several", { allOf: [{ type: "string" }, {}] }, false],
    ["a nullable one", { type: "string", nullable: true }, true],
    ["no word about it", { description: "anything" }, true],
    ["a reference to nothing", { $ref: "#/$defs/none" }, true],
    ["a reference to itself", { $ref: "#" }, false],
  ])("is known by %s", (_, property, stays) => {
    const schema: JsonSchema = { type: "object", properties: { p: property } };
    expect(withoutNulls({ p: null }, schema)).toEqual(stays ? { p: null } : {});
  });

  it("of hostile arguments is looked for only so deep, and on no prototype", () => {
    const list: JsonSchema = { type: "object", properties: { n: { $ref: "#" } } };
    const deep = JSON.parse(`${'{"n":'.repeat(5_000)}null${"}".repeat(5_000)}`);
    expect(withoutNulls(deep, list)).toBe(deep);
    const odd = JSON.parse('{"__proto__":null,"constructor":null}');
    expect(Object.keys(withoutNulls(odd, search) as object)).toEqual(["__proto__", "constructor"]);
  });
});
