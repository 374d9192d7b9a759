import type { JsonSchema } from "@agentpool/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { isStrict } from "./is-strict.ts";

const of = (type: z.ZodType) => z.toJSONSchema(type) as JsonSchema;

describe("a schema that OpenAI takes as strict", () => {
  it("is closed, and requires all its properties, to the bottom", () => {
    expect(
      isStrict(of(z.object({ a: z.string(), b: z.array(z.object({ c: z.number().nullable() })) }))),
    ).toBe(true);
  });

  it.each<[string, JsonSchema]>([
    ["has an optional property", of(z.object({ a: z.string().optional() }))],
    ["has one further down", of(z.object({ a: z.array(z.object({ b: z.string().optional() })) }))],
    ["is open", of(z.looseObject({ a: z.string() }))],
    ["is a record", of(z.object({ a: z.record(z.string(), z.string()) }))],
    ["is no object", of(z.array(z.string()))],
    [
      "is made of several",
      { ...of(z.object({})), properties: { a: { allOf: [{ type: "string" }] } }, required: ["a"] },
    ],
    [
      "has a property that is not described",
      { type: "object", properties: { a: true }, required: ["a"], additionalProperties: false },
    ],
  ])("is none that %s", (_, schema) => {
    expect(isStrict(schema)).toBe(false);
  });
});
