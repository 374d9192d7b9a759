import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isServerName, servedName } from "./served-name.ts";

describe("the name of a server's tool", () => {
  it("has its server before it", () => {
    expect(servedName("files", "read")).toBe("files__read");
  });

  it("is one that every provider takes, whatever the server calls it", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 128 }), (tool) => {
        expect(servedName("files", tool)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      }),
    );
  });

  it("is cut where it is too long, and told apart from others that begin alike", () => {
    const long = "a".repeat(100);
    const names = [servedName("files", long), servedName("files", `${long}b`)];
    expect(new Set(names).size).toBe(2);
  });
});

it("no two servers can have tools of one name, by their names alone", () => {
  const name = fc.stringMatching(/^[a-z0-9_-]{1,8}$/).filter(isServerName);
  const tool = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,7}$/);
  fc.assert(
    fc.property(name, tool, name, tool, (a, x, b, y) => {
      fc.pre(a !== b);
      expect(servedName(a, x)).not.toBe(servedName(b, y));
    }),
  );
});
