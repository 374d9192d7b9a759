import { describe, expect, it } from "vitest";
import { UsageError } from "./errors.ts";
import { nameOf, whyNoName } from "./project-name.ts";

describe("a project's name", () => {
  it.each(["my-research", "a", "x.y_z~1", "@scope/name", "0-first"])("may be %s", (name) => {
    expect(whyNoName(name)).toBeUndefined();
  });

  it.each([
    "",
    "My-Research",
    "with space",
    ".hidden",
    "_private",
    "node_modules",
    "favicon.ico",
    "a/b",
    "@scope",
    "ümläut",
    "a'b",
    "x".repeat(215),
    "../up",
  ])("may not be %j", (name) => {
    expect(whyNoName(name)).toMatch(/\w/);
  });

  it("is the folder's", () => {
    expect(nameOf("apps/mine", "/work")).toBe("mine");
    expect(nameOf(".", "/work/here")).toBe("here");
  });

  it("is told one that would do, where it cannot be used", () => {
    expect(() => nameOf("My Research!", "/work")).toThrow(/--name my-research would do/);
    expect(() => nameOf("x", "/work", "My Research")).toThrow(/; my-research would do/);
    expect(() => nameOf("!!!", "/work")).toThrow(UsageError);
  });
});
