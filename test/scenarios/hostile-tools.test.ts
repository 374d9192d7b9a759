import { dedup, defineTool, parallel, reportTool, type Tool } from "@agentpool/core";
import { type Operation, run, until } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { deep, no, revoked, thenable, unreadable } from "./hostile.ts";
import {
  ask,
  asks,
  finish,
  held,
  instant,
  lastShown,
  ofType,
  open,
  play,
  playing,
  report,
  shown,
} from "./support.ts";

const circular = (): unknown => {
  const a: { b?: unknown } = {};
  a.b = a;
  return a;
};

describe("a hostile tool", () => {
  const hidden = new Error("hidden");
  Object.defineProperty(hidden, "message", {
    get: () => {
      throw new Error("no message");
    },
  });
  const thrown: [string, unknown][] = [
    ["null", null],
    ["undefined", undefined],
    ["text", "boom"],
    ["empty text", ""],
    ["a number", 7],
    ["a symbol", Symbol("boom")],
    ["an object", { code: 7 }],
    ["an object without a prototype", Object.create(null)],
    ["an error without a message", new Error()],
    ["an error whose message is no text", Object.assign(new Error(), { message: { code: 7 } })],
    ["an error whose message throws", hidden],
    ["a revoked proxy", revoked()],
  ];
  // must hold: a throw is that call's own, whatever is thrown; the model reads text
  for (const [what, error] of thrown)
    for (const [how, execute] of [
      [
        "at once",
        () => {
          throw error;
        },
      ],
      [
        "in a promise",
        async () => {
          throw error;
        },
      ],
      [
        "in an operation",
        function* (): Operation<unknown> {
          yield* until(Promise.resolve());
          throw error;
        },
      ],
    ] as [string, Tool["execute"]][])
      it(`that throws ${what} ${how} fails that call alone`, () =>
        run(function* () {
          const model = playing(asks(["bad"], ["search", { q: "x" }]), report("went on"));
          const { result } = yield* play({
            model,
            tools: [instant("bad", { execute }), instant("search")],
            terminal: reportTool,
            orchestrate: parallel(["a"]),
          });
          expect(result.agents[0]).toMatchObject({ exit: "returned", result: "went on", attendedCount: 1 });
          const [bad, good] = lastShown(model, "agent/0");
          expect(bad!.type).toBe("error-text");
          expect(typeof bad!.value).toBe("string");
          expect(good).toMatchObject({ type: "json" });
        }));

  const returned: [string, () => unknown, "ok" | "error"][] = [
    ["nothing", () => undefined, "ok"],
    ["null", () => null, "ok"],
    ["a function", () => () => 1, "error"],
    ["a symbol", () => Symbol("s"), "error"],
    ["a BigInt", () => 1n, "error"],
    ["a BigInt deep inside", () => ({ a: [1n] }), "error"],
    ["NaN", () => Number.NaN, "error"],
    ["something circular", circular, "error"],
    [
      "an object whose toJSON throws",
      () => ({
        toJSON() {
          throw new Error("no");
        },
      }),
      "error",
    ],
    ["an object whose toJSON gives nothing", () => ({ toJSON: () => undefined }), "error"],
    [
      "an object whose property throws",
      () => ({
        get a() {
          throw new Error("no");
        },
      }),
      "error",
    ],
    ["a revoked proxy", revoked, "error"],
    ["a thenable whose then throws when it is looked at", unreadable, "error"],
    ["a thenable that throws", () => thenable(no), "error"],
    ["a thenable that settles at once", () => thenable((yes) => yes("found")), "ok"],
    ["a thenable that never settles", () => thenable(() => {}), "error"],
    [
      "a thenable that settles twice",
      () =>
        thenable((yes, reject) => {
          Promise.resolve().then(() => {
            yes("found");
            reject(new Error("no"));
            yes("again");
          });
        }),
      "ok",
    ],
    ["a promise of a function", async () => () => 1, "error"],
    [
      "an operation that yields nonsense",
      function* () {
        yield 7 as never;
        return "found";
      },
      "error",
    ],
    [
      "an operation that yields null",
      function* () {
        yield null as never;
        return "found";
      },
      "error",
    ],
    [
      "an operation that returns a promise",
      function* () {
        return Promise.resolve("found");
      },
      "ok",
    ],
    ["a list", () => ["found"], "ok"],
    ["a map", () => new Map([["a", 1]]), "ok"],
    ["a set", () => new Set([1]), "ok"],
    ["bytes", () => new Uint8Array(3), "ok"],
    ["a date", () => new Date(0), "ok"],
    ["text as an object", () => new String("found"), "ok"],
    ["search parameters", () => new URLSearchParams({ a: "1" }), "ok"],
    ["a response's headers", () => new Headers({ a: "1" }), "ok"],
    ["an object without a prototype", () => Object.assign(Object.create(null), { a: 1 }), "ok"],
    ["something deep", () => JSON.parse(deep(2_000)), "ok"],
    ["something far too deep", () => JSON.parse(deep(200_000)), "error"],
  ];
  for (const [what, execute, outcome] of returned)
    it(`that returns ${what} settles ${outcome}, once, and ends nobody`, () =>
      run(function* () {
        const model = playing(asks(["odd"], ["search", { q: "x" }]), report("went on"));
        const { result, events } = yield* play({
          model,
          tools: [instant("odd", { execute: execute as Tool["execute"] }), instant("search")],
          terminal: reportTool,
          orchestrate: parallel(["a"]),
        });
        expect(result.agents[0]).toMatchObject({ exit: "returned", result: "went on", toolCallCount: 2 });
        expect(ofType(events, "call:settled").filter(({ tool }) => tool === "odd")).toMatchObject([
          { outcome: { type: outcome } },
        ]);
        expect(lastShown(model, "agent/0")[1]).toMatchObject({ type: "json" });
        expect(JSON.stringify(lastShown(model, "agent/0")[0]!.value)).toBeTypeOf("string");
      }));

  it("that changes its arguments changes nothing on record", () =>
    run(function* () {
      const search = instant("search", {
        hooks: { beforeDispatch: [dedup("once", ({ q }) => q)] },
        execute: (args) => {
          args.q = "changed";
          return "found";
        },
      });
      const { result, events } = yield* play({
        model: playing(ask("search", { q: "x" }), ask("search", { q: "x" }), report()),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]!.refusals).toHaveLength(1);
      expect(ofType(events, "call:dispatched")[0]!.args).toEqual({ q: "x" });
    }));

  it("that changes what it returned changes nothing that was recorded", () =>
    run(function* () {
      const given = { hits: ["kept"] };
      const slow = held("slow");
      const model = playing(asks(["slow", { q: "x" }], ["search"]), report());
      const rig = yield* open({
        model,
        tools: [slow, instant("search", { execute: () => given })],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      given.hits.push("changed");
      slow.held("x").succeed();
      yield* finish(rig);
      expect(lastShown(model, "agent/0")[1]!.value).toEqual({ hits: ["kept"] });
    }));

  it("may take its context apart", () =>
    run(function* () {
      const { result, events } = yield* play({
        model: playing(ask("search", { q: "x" }), report()),
        tools: [
          instant("search", {
            execute: (_args, { progress, attended, signal, id, agent }) => {
              progress(`${id} of ${agent.key}`);
              return [attended().length, signal.aborted];
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]!.attendedCount).toBe(1);
      expect(ofType(events, "call:progress")).toMatchObject([{ message: "agent/0:1#0 of agent/0" }]);
    }));

  it("cannot change its agent", () =>
    run(function* () {
      const { result } = yield* play({
        model: playing(ask("search"), report()),
        tools: [
          instant("search", {
            execute: (_args, { agent }) => {
              const open = agent as unknown as { key: string; toolCallCount: number; refusals: unknown[] };
              open.refusals.push("made up");
              for (const change of [
                () => {
                  open.key = "other";
                },
                () => {
                  open.toolCallCount = 99;
                },
              ])
                try {
                  change();
                } catch {}
              return "found";
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]).toMatchObject({ key: "agent/0", toolCallCount: 1, refusals: [] });
    }));

  it("that is the terminal tool and throws is answered, and the agent may report again", () =>
    run(function* () {
      let runs = 0;
      const send = defineTool({
        name: "send",
        description: "Sends.",
        parameters: z.object({ result: z.string() }),
        execute: ({ result }) => {
          if (runs++ === 0) throw new Error("not now");
          return result;
        },
      });
      const model = playing(ask("send", { result: "a" }), ask("send", { result: "b" }));
      const { result } = yield* play({
        model,
        tools: [instant("search")],
        terminal: send,
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "b" });
      expect(shown(model.requests[1]!.messages)).toMatchObject([
        { tool: "send", type: "error-text", value: "not now" },
      ]);
    }));

  it("that is the terminal tool and never settles is stopped at its deadline", () =>
    run(function* () {
      const send = { ...reportTool, timeoutMs: 500, execute: () => new Promise(() => {}) } as Tool;
      const { result, clock } = yield* play({
        model: playing(report("a"), report("b")),
        tools: [instant("search")],
        terminal: send,
        budget: { maxTurns: 2 },
        recovery: "none",
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]!.exit).toBe("max_turns");
      expect(clock.now()).toBe(1_000);
    }));
});
