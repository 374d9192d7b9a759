import { describe, expect, it } from "vitest";
import { z } from "zod";
import { jsonValidator, ofOwnProperties } from "./validator.ts";

const NAMES = Object.getOwnPropertyNames(Object.prototype).filter((name) => name !== "__proto__");
const schemaOf = (name: string, schema: object, more: object = {}) =>
  JSON.parse(
    `{"type":"object","properties":{"${name}":${JSON.stringify(schema)},"b":{"type":"number"}}}`,
    (key, value) => (key === "" ? { ...value, ...more } : value),
  );

describe("a property that every object inherits", () => {
  for (const name of NAMES) {
    const text = { type: "string" };

    it(`may be left out: ${name}`, () => {
      for (const validator of [
        jsonValidator(schemaOf(name, text)),
        jsonValidator(schemaOf(name, {})),
        ofOwnProperties(z.object({ [name]: z.string().optional(), b: z.number().optional() }), () =>
          schemaOf(name, text),
        ),
      ])
        for (const given of [{}, { b: 1 }]) {
          const { data, error } = validator.safeParse(given);
          expect(error).toBeUndefined();
          expect(Object.entries(data as object)).toEqual(Object.entries(given));
        }
    });

    it(`is missing where it is required and left out: ${name}`, () => {
      const found = jsonValidator(schemaOf(name, text, { required: [name] })).safeParse({});
      expect(found.error?.issues).toMatchObject([
        { path: [name], message: "Invalid input: expected string, received undefined" },
      ]);
    });

    it(`is checked and kept where it is given: ${name}`, () => {
      const validator = jsonValidator(schemaOf(name, text));
      const given = JSON.parse(`{"${name}":"x","c":{"d":[{"e":1}]}}`);
      expect(validator.safeParse(given).data).toEqual(given);
      expect(validator.safeParse({ [name]: 3 }).error?.issues).toMatchObject([{ path: [name] }]);
    });

    it(`may be left out deeper inside: ${name}`, () => {
      const inner = { type: "array", items: schemaOf(name, text) };
      const validator = jsonValidator({ type: "object", properties: { list: inner } });
      expect(validator.safeParse({ list: [{ b: 1 }, {}] }).data).toEqual({ list: [{ b: 1 }, {}] });
    });
  }

  it("changes nobody's prototype where it is __proto__: that is left out", () => {
    for (const required of [[], ["__proto__"]]) {
      const validator = jsonValidator(schemaOf("__proto__", { type: "object" }, { required }));
      for (const given of ["{}", '{"__proto__":{"admin":true}}', '{"b":1,"__proto__":{"admin":true}}']) {
        const { data } = validator.safeParse(JSON.parse(given)) as { data: { admin?: boolean } };
        expect(data.admin).toBeUndefined();
        expect(Object.keys(data)).not.toContain("__proto__");
      }
    }
  });
});

it("what names no such property is validated by zod alone", () => {
  const schema = z.object({ a: z.string() });
  const asJson = { type: "object", properties: { a: { type: "string" } } };
  expect(ofOwnProperties(schema, () => asJson)).toBe(schema);
  expect(ofOwnProperties(schema, () => expect.unreachable("it is known"))).toBe(schema);
});
