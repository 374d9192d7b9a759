import { dedup, parallel, refuse, reportTool, type Tool, type ToolGuard } from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, instant, ofType, play, playing, type RigOptions, report } from "./support.ts";

/** Names that ordinary objects have something under. */
const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"];

describe("a guard called", () => {
  for (const name of NAMES) {
    const guard = (): ToolGuard => ({
      name,
      decide: ({ tool }) => (tool === "search" ? refuse("no") : undefined),
    });
    const playWith = (more: Partial<RigOptions> = {}) => {
      const search = instant("search");
      return {
        search,
        played: play({
          model: playing(ask("search", { q: "x" }), report()),
          tools: [search],
          terminal: reportTool,
          hooks: [{ beforeDispatch: [guard()] }],
          orchestrate: parallel(["a"]),
          ...more,
        }),
      };
    };

    it(`${name} is like any other: it is asked, and on record`, () =>
      run(function* () {
        const { search, played } = playWith();
        expect((yield* played).result.agents[0]!.refusals).toEqual([
          { tool: "search", guard: name, message: "no" },
        ]);
        expect(search.asked).toEqual([]);
      }));

    it(`${name} is like any other: it is switched off by its own key alone`, () =>
      run(function* () {
        const off = playWith({ guards: { [name]: false } });
        yield* off.played;
        expect(off.search.asked).toEqual(["x"]);
        const none = playWith({ guards: {} });
        yield* none.played;
        expect(none.search.asked).toEqual([]);
      }));

    it(`${name} keeps its keys apart`, () =>
      run(function* () {
        const search = instant("search", { hooks: { beforeDispatch: [dedup(name, ({ q }) => q)] } });
        yield* play({
          model: playing(
            ...NAMES.map((q) => ask("search", { q })),
            ...NAMES.map((q) => ask("search", { q })),
            report(),
          ),
          tools: [search],
          terminal: reportTool,
          guards: { [name]: { scope: "cohort" } },
          budget: { maxTurns: 20 },
          orchestrate: parallel(["a"]),
        });
        expect(search.asked).toEqual(NAMES);
      }));
  }
});

describe("a tool called", () => {
  for (const name of NAMES) {
    it(`${name} is like any other`, () =>
      run(function* () {
        const tool = instant(name, { hooks: { beforeDispatch: [dedup("once", ({ q }) => q)] } });
        const { result } = yield* play({
          model: playing(ask(name, { q: "x" }), ask(name, { q: "x" }), report()),
          tools: [tool],
          terminal: reportTool,
          orchestrate: parallel([{ task: "a", tools: [name] }]),
        });
        expect(tool.asked).toEqual(["x"]);
        expect(result.agents[0]).toMatchObject({ toolCallCount: 1, attendedCount: 1 });
      }));

    it(`${name} is unknown where no tool is called so`, () =>
      run(function* () {
        const { result } = yield* play({
          model: playing(ask(name, { q: "x" }), report()),
          tools: [instant("search")],
          terminal: reportTool,
          orchestrate: parallel(["a"]),
        });
        expect(result.agents[0]!.refusals).toMatchObject([{ tool: name, guard: "invalid" }]);
      }));

    it(`${name} may be denied and granted`, () =>
      run(function* () {
        const [denied, granted] = [instant(name), instant(`${name}2`, { protected: true })];
        yield* play({
          model: playing(ask(name), ask(`${name}2`), report()),
          tools: [denied, granted],
          terminal: reportTool,
          deny: [name],
          grants: [`${name}2`],
          orchestrate: parallel(["a"]),
        });
        expect([denied.asked, granted.asked]).toEqual([[], [""]]);
      }));
  }
});

describe("an argument called", () => {
  for (const name of NAMES) {
    const schema = { type: "object", properties: Object.fromEntries([[name, { type: "string" }]]) };
    for (const [what, parameters] of [
      ["JSON Schema", schema],
      ["a zod object", z.object({ [name]: z.string().optional() })],
    ] as const)
      it(`${name} may be left out, and is given where it is not: ${what}`, () =>
        run(function* () {
          const given: unknown[] = [];
          const tool: Tool = {
            name: "build",
            description: "Builds.",
            parameters,
            hooks: {
              rewrite: ({ call: { args } }) => ({ type: "rewrite", mode: "merge", args }),
              beforeDispatch: [dedup("once", (args) => args)],
            },
            execute: (args) => {
              given.push(args);
              return args;
            },
          };
          const { result, events } = yield* play({
            model: playing(ask("build", "{}"), ask("build", `{"${name}":"me@x.org"}`), report()),
            tools: [tool],
            terminal: reportTool,
            redact: { kinds: ["email"] },
            orchestrate: parallel(["a"]),
          });
          expect(result.agents[0]).toMatchObject({ toolCallCount: 2, refusals: [] });
          // the one name that no object can have as a key of its own without care is left out
          const kept = name === "__proto__" ? {} : { [name]: "me@x.org" };
          expect(given.map((args) => Object.entries(args as object))).toEqual([[], Object.entries(kept)]);
          expect(ofType(events, "call:dispatched").map(({ args }) => Object.entries(args))).toEqual([
            [],
            Object.entries(kept),
          ]);
        }));
  }

  it("in an answer of a form may be left out as well", () =>
    run(function* () {
      for (const name of NAMES) {
        const output = z.object({ [name]: z.string().optional(), a: z.number() });
        const { result } = yield* play({
          model: playing({ text: '{"a":1}' }),
          orchestrate: parallel([{ task: "a", output }]),
        });
        expect(result.agents[0]).toMatchObject({ exit: "text", result: { a: 1 } });
        expect(Object.keys(result.agents[0]!.result as object)).toEqual(["a"]);
      }
    }));
});
