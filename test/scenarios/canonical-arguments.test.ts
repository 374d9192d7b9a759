import { canonicalJson, canonicalUrl, dedup, parallel, reportTool, type Tool } from "@agentpool/core";
import { run, until } from "effection";
import { describe, expect, it } from "vitest";
import { ask, asks, finish, held, instant, noted, open, play, playing, quiet, report } from "./support.ts";

describe("G3: arguments are compared canonically", () => {
  const same: [string, unknown, unknown][] = [
    ["key order", { a: 1, b: { c: 1, d: 2 } }, { b: { d: 2, c: 1 }, a: 1 }],
    ["white space around and inside", { a: " two  words\n" }, { a: "two words" }],
    ["composed and decomposed accents", { a: "caf\u00e9" }, { a: "cafe\u0301" }],
    ["absent and undefined", { a: 1, b: undefined }, { a: 1 }],
  ];
  for (const [what, one, other] of same)
    it(`G3: ${what} makes no difference`, () => expect(canonicalJson(one)).toBe(canonicalJson(other)));

  const different: [string, unknown, unknown][] = [
    ["the order of a list", { a: [1, 2] }, { a: [2, 1] }],
    ["a number and its text", { a: 1 }, { a: "1" }],
    ["null and absent", { a: null }, {}],
    ["case", { a: "X" }, { a: "x" }],
    ["-1 and 1", { a: -1 }, { a: 1 }],
  ];
  for (const [what, one, other] of different)
    it(`G3: ${what} makes a difference`, () => expect(canonicalJson(one)).not.toBe(canonicalJson(other)));

  const urls: [string, string, string][] = [
    ["a fragment", "https://a.org/x#part", "https://a.org/x"],
    ["a trailing slash", "https://a.org/x/", "https://a.org/x"],
    ["the slash of the root", "https://a.org/", "https://a.org"],
    ["a default port", "https://a.org:443/x", "https://a.org/x"],
    ["the default port of http", "http://a.org:80/x", "http://a.org/x"],
    ["the case of the host", "https://A.ORG/x", "https://a.org/x"],
    ["the case of the scheme", "HTTPS://a.org/x", "https://a.org/x"],
    ["dot segments", "https://a.org/y/../x", "https://a.org/x"],
    ["white space around", "  https://a.org/x ", "https://a.org/x"],
    ["a trailing slash before a query", "https://a.org/x/?a=1", "https://a.org/x?a=1"],
    ["the case of percent escapes", "https://a.org/%c3%a9", "https://a.org/%C3%A9"],
    ["a character that needs no escape", "https://a.org/%7Euser", "https://a.org/~user"],
  ];
  for (const [what, one, other] of urls)
    it(`G3: in a URL ${what} makes no difference`, () => expect(canonicalUrl(one)).toBe(canonicalUrl(other)));

  it("G3: the order of query parameters makes a difference unless the key says it does not", () => {
    const [one, other] = ["https://a.org/x?b=2&a=1", "https://a.org/x?a=1&b=2"];
    expect(canonicalUrl(one)).not.toBe(canonicalUrl(other));
    expect(canonicalUrl(one, { query: "sorted" })).toBe(canonicalUrl(other, { query: "sorted" }));
  });

  for (const [what, one, other] of [
    ["the path", "https://a.org/x", "https://a.org/y"],
    ["the case of the path", "https://a.org/X", "https://a.org/x"],
    ["the query", "https://a.org/x?a=1", "https://a.org/x?a=2"],
    ["another port", "https://a.org:8443/x", "https://a.org/x"],
    ["the scheme", "http://a.org/x", "https://a.org/x"],
  ] as const)
    it(`G3: in a URL ${what} makes a difference`, () =>
      expect(canonicalUrl(one)).not.toBe(canonicalUrl(other)));

  for (const [what, raw] of [
    ["no text", 7],
    ["nothing", undefined],
    ["white space", "  "],
    ["no URL", "two words"],
  ] as const)
    it(`G3: ${what} is no URL`, () => expect(canonicalUrl(raw)).toBeUndefined());

  it("G3: a guard keyed by whole arguments is not fooled by key order or white space", () =>
    run(function* () {
      const { z } = yield* until(import("zod"));
      const asked: unknown[] = [];
      const tool: Tool = {
        ...instant("search"),
        parameters: z.object({ a: z.string(), b: z.object({ c: z.number(), d: z.number() }) }),
        hooks: { beforeDispatch: [dedup("args_dedup", (args) => args)] },
        execute: (args) => noted(asked, args, "found"),
      };
      const { result } = yield* play({
        model: playing(
          ask("search", '{"a":"x y","b":{"c":1,"d":2}}'),
          ask("search", '{ "b": {"d":2, "c":1}, "a":" x  y " }'),
          ask("search", '{"a":"x y","b":{"c":1,"d":3}}'),
          report(),
        ),
        tools: [tool],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
      });
      expect(asked).toHaveLength(2);
      expect(result.agents[0]!.refusals).toHaveLength(1);
    }));
});

describe("G4: what cannot be keyed", () => {
  for (const [what, key] of [
    ["undefined", undefined],
    ["null", null],
    ["empty text", ""],
    ["white space", " \n"],
    ["an empty object", {}],
    ["an empty list", []],
  ] as const)
    it(`G4: a call keyed ${what} never blocks, is never blocked, and waits for nobody`, () =>
      run(function* () {
        const search = held("search", { hooks: { beforeDispatch: [dedup("d", () => key)] } });
        const rig = yield* open({
          model: playing(
            asks(["search", { q: "x" }], ["search", { q: "x" }]),
            ask("search", { q: "x" }),
            report(),
          ),
          tools: [search],
          terminal: reportTool,
          guards: { d: { scope: "cohort" } },
          orchestrate: parallel(["a", "b"]),
        });
        expect(search.running).toHaveLength(4);
        for (const call of search.running) call.succeed();
        yield* quiet;
        for (const call of search.running) call.succeed();
        const { agents } = yield* finish(rig);
        expect(agents.map(({ attendedCount }) => attendedCount)).toEqual([3, 3]);
      }));
});
