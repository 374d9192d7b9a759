import { expect, it } from "vitest";
import { JsonEnd } from "./json-end.ts";

const endOf = (text: string): number | undefined => new JsonEnd().take(text);

it("knows where a value ends, whatever follows", () => {
  expect(endOf('{"a": [1, {"b": "}"}]}) and more')).toBe(22);
  expect(endOf("[[], []]]")).toBe(8);
  expect(endOf(' "text" ')).toBe(7);
  expect(endOf('"\\"" ')).toBe(4);
});

it("gives none while a value is open, nor for one without an end of its own", () => {
  for (const text of ["", "{", '{"a": "}', '"\\"', "12", "true", "["]) expect(endOf(text)).toBeUndefined();
});

it("takes a value in pieces, cut anywhere", () => {
  const text = '{"a\\\\": "\\"}", "b": [{}]}';
  for (let cut = 1; cut < text.length; cut++) {
    const end = new JsonEnd();
    expect(end.take(text.slice(0, cut))).toBeUndefined();
    expect(end.take(text.slice(cut))).toBe(text.length - cut);
  }
});
