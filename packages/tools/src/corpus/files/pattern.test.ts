import { expect, test } from "vitest";
import { isGlob, parsePattern } from "./pattern.ts";

test("a glob is walked from the folder where its wildcards begin", () => {
  expect(parsePattern("docs/**/*.md").base).toBe("docs");
  expect(parsePattern("./*.md").base).toBe(".");
  expect(parsePattern("../other/{a,b}/*.md").base).toBe("../other");
  expect(parsePattern("/data/*/x.md").base).toBe("/data");
  expect(isGlob("docs/guide.md")).toBe(false);
});

test("only folders that can hold what is meant are entered", () => {
  const flat = parsePattern("packages/*/docs/*.md");
  expect(flat.enters("core")).toBe(true);
  expect(flat.enters("core/docs")).toBe(true);
  expect(flat.enters("core/src")).toBe(false);
  expect(flat.enters("core/docs/deep")).toBe(false);
  const deep = parsePattern("packages/core/**/*.md");
  expect(deep.enters("a/b/c")).toBe(true);
  const group = parsePattern("{a/b,c}/*.md");
  expect(group.enters("a")).toBe(true);
  expect(group.matches("a/b/x.md")).toBe(true);
});

test("a glob names the folders that it spells out, and no others", () => {
  const deep = parsePattern("**/node_modules/*/README.md");
  expect(deep.names("a/node_modules")).toBe(true);
  expect(deep.names("a/dist")).toBe(false);
  const flat = parsePattern("*/node_modules/x/*.md");
  expect(flat.names("a/node_modules")).toBe(true);
  expect(flat.names("node_modules")).toBe(false);
});

test("dot files are meant only by a glob with a dot", () => {
  expect(parsePattern("*/*.md").matches(".github/a.md")).toBe(false);
  expect(parsePattern("*/.github/*.md").matches("a/.github/a.md")).toBe(true);
});
