import { describe, expect, it } from "vitest";
import { z } from "zod";
import { exampleOf } from "./example.ts";

const shapes = {
  "an object with required parts alone": z.object({ a: z.string(), b: z.number().optional() }),
  "nested objects and arrays with a least length": z.object({
    list: z.array(z.object({ n: z.number().int().min(5) })).min(2),
  }),
  "an enumeration": z.enum(["red", "green"]),
  "a literal": z.literal("exactly"),
  "a union": z.union([z.object({ kind: z.literal("x") }), z.string()]),
  "a bounded string": z.string().min(3).max(6),
  "a number above a bound": z.number().gt(10),
  "a number below a bound": z.number().max(-2),
  "a default": z.string().default("given"),
  "booleans and null": z.object({ yes: z.boolean(), none: z.null() }),
};

describe("exampleOf", () => {
  for (const [name, shape] of Object.entries(shapes)) {
    it(`fits ${name}`, () => {
      const example = exampleOf(z.toJSONSchema(shape), "some text of any length");
      expect(shape.safeParse(example)).toMatchObject({ success: true });
    });
  }

  it("ends on a schema without end", () => {
    const endless: { [key: string]: unknown } = { type: "array", minItems: 1 };
    endless.items = endless;
    expect(exampleOf(endless, "text")).toBeDefined();
  });
});
