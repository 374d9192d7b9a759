import { type Args, dedup, parallel, refuse, reportTool, type Tool, type ToolGuard } from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { no, revoked, thenable, unreadable } from "./hostile.ts";
import {
  ask,
  asks,
  casting,
  finish,
  held,
  instant,
  noted,
  ofType,
  open,
  play,
  playing,
  quiet,
  report,
  strayRejections,
} from "./support.ts";

describe("a hostile guard", () => {
  it("that changes the arguments it was given changes nothing", () =>
    run(function* () {
      const inner = { deep: ["kept"] };
      const asked: unknown[] = [];
      const tool: Tool = {
        name: "search",
        description: "Searches.",
        parameters: z.object({ q: z.string(), inner: z.object({ deep: z.array(z.string()) }) }),
        meta: { annotations: { readOnly: true } },
        execute: (args) => noted(asked, args, "found"),
      };
      const seen: unknown[] = [];
      const vandal: ToolGuard = {
        name: "vandal",
        decide: ({ args, meta, call }) => {
          args.q = "changed";
          (args.inner as typeof inner).deep.push("changed");
          delete args.inner;
          (meta as { annotations: unknown }).annotations = "changed";
          (call.args as Args).q = "changed";
          return undefined;
        },
      };
      const witness: ToolGuard = {
        name: "witness",
        decide: ({ args, meta, call }) => void seen.push([args, meta.annotations, call.args]),
      };
      yield* play({
        model: playing(ask("search", { q: "x", inner }), report()),
        tools: [tool],
        terminal: reportTool,
        hooks: [
          {
            beforeDispatch: [
              { ...vandal, tools: ["search"] },
              { ...witness, tools: ["search"] },
            ] as ToolGuard[],
          },
        ],
        orchestrate: parallel(["a"]),
      });
      expect(asked).toEqual([{ q: "x", inner }]);
      expect(seen[0]).toEqual([{ q: "x", inner }, { readOnly: true }, { q: "x", inner }]);
    }));

  it("cannot change what was attended, nor what other guards are shown of it", () =>
    run(function* () {
      const search = instant("search", {
        hooks: {
          beforeDispatch: [
            {
              name: "vandal",
              decide: ({ attended }) => {
                const read = attended() as Args[];
                try {
                  read[0]!.q = "changed";
                } catch {}
                read.length = 0;
                return undefined;
              },
            },
            {
              name: "once",
              message: "again?",
              reject: ({ args, attended }) => attended().some(({ q }) => q === args.q),
            },
          ],
        },
      });
      const { result } = yield* play({
        model: playing(ask("search", { q: "x" }), ask("search", { q: "x" }), report()),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(search.asked).toEqual(["x"]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "once" }]);
    }));

  const answers: [string, () => unknown][] = [
    ["a revoked proxy", revoked],
    [
      "an object whose type throws",
      () => ({
        get type() {
          throw new Error("no");
        },
      }),
    ],
    ["an object whose type is an object", () => ({ type: Object.create(null) })],
    ["a symbol", () => Symbol("s")],
    ["a function", () => () => undefined],
    ["a list", () => [refuse("no")]],
    ["a date", () => new Date(0)],
    [
      "a generator that yields nonsense",
      function* () {
        yield 7 as never;
      },
    ],
    [
      "a generator that throws",
      function* () {
        throw new Error("no");
      },
    ],
    [
      "a generator that answers nonsense",
      function* () {
        return 7;
      },
    ],
    ["text as an object", () => new String("refuse")],
    ["a thenable that never settles", () => thenable(() => {})],
    ["a thenable that throws", () => thenable(no)],
    ["a thenable whose then throws when it is looked at", unreadable],
    ["a thenable that rejects at once", () => thenable((_yes, reject) => reject(new Error("no")))],
    [
      "a refusal whose message throws",
      () => ({
        type: "refuse",
        get message() {
          throw new Error("no");
        },
      }),
    ],
    ["a refusal whose message is no text", () => ({ type: "refuse", message: { toString: () => "no" } })],
    ["a substitute that is a revoked proxy", () => ({ type: "substitute", result: revoked() })],
    ["a promise of a promise that rejects", async () => Promise.reject(new Error("no"))],
    ["an error", () => new Error("no")],
  ];
  for (const [what, decide] of answers) {
    it(`that answers ${what} refuses the call and ends nobody`, () =>
      run(function* () {
        const search = instant("search", {
          hooks: { beforeDispatch: [{ name: "hostile", decide: decide as never }] },
        });
        const { result, events } = yield* play({
          model: playing(asks(["search", { q: "x" }], ["other", { q: "y" }]), report("went on")),
          tools: [search, instant("other")],
          terminal: reportTool,
          orchestrate: parallel(["a"]),
        });
        expect(search.asked).toEqual([]);
        expect(result.agents[0]).toMatchObject({ exit: "returned", result: "went on", attendedCount: 1 });
        expect(result.agents[0]!.refusals).toMatchObject([{ guard: "hook_error" }]);
        expect(ofType(events, "hook:error")).toHaveLength(1);
      }));
  }

  for (const [what, error] of [
    ["null", null],
    ["undefined", undefined],
    ["text", "no"],
    ["an object without a prototype", Object.create(null)],
    ["an error without a constructor", Object.assign(new Error("no"), { constructor: undefined })],
    ["a revoked proxy", revoked()],
  ] as const) {
    it(`that throws ${what} refuses the call and ends nobody`, () =>
      run(function* () {
        const search = instant("search", {
          hooks: {
            beforeDispatch: [
              {
                name: "hostile",
                decide: () => {
                  throw error;
                },
              },
            ],
          },
        });
        const { result } = yield* play({
          model: playing(ask("search"), report("went on")),
          tools: [search],
          terminal: reportTool,
          orchestrate: parallel(["a"]),
        });
        expect(search.asked).toEqual([]);
        expect(result.agents[0]).toMatchObject({ exit: "returned", result: "went on" });
      }));
  }

  // must hold: a key that is promised and fails is that guard's failure, not the process's
  it("that promises a key which rejects leaves no rejection unhandled", async () => {
    const strays = await strayRejections(() =>
      run(() =>
        play({
          model: playing(ask("search"), report()),
          tools: [
            instant("search", {
              hooks: { beforeDispatch: [dedup("late", async () => Promise.reject(new Error("late")))] },
            }),
          ],
          terminal: reportTool,
          orchestrate: parallel(["a"]),
        }),
      ),
    );
    expect(strays).toEqual([]);
  });

  it("that rejects after its deadline leaves no rejection unhandled", async () => {
    const strays = await strayRejections(() =>
      run(function* () {
        let fail: (error: Error) => void = () => {};
        const rig = yield* open({
          model: playing(ask("search"), report()),
          tools: [
            instant("search", {
              hooks: {
                beforeDispatch: [
                  {
                    name: "late",
                    decide: () =>
                      new Promise((_, reject) => {
                        fail = reject;
                      }),
                  },
                ],
              },
            }),
          ],
          terminal: reportTool,
          orchestrate: parallel(["a"]),
        });
        yield* finish(rig);
        fail(new Error("too late"));
        yield* quiet;
      }),
    );
    expect(strays).toEqual([]);
  });

  it("that thinks about one of many calls holds up none of another agent", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: casting({ slow: [ask("slow"), report()], quick: [ask("search", { q: "x" }), report()] }),
        tools: [
          search,
          instant("slow", {
            hooks: { beforeDispatch: [{ name: "thinks", decide: () => new Promise<undefined>(() => {}) }] },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["slow", "quick"]),
      });
      search.held("x").succeed();
      yield* quiet;
      expect(ofType(rig.events, "agent:ended").map(({ agent }) => agent)).toEqual(["agent/1"]);
      yield* finish(rig);
    }));

  it("is asked again at most as often as there are calls before it in line", () =>
    run(function* () {
      let asked = 0;
      const search = held("search", {
        hooks: {
          beforeDispatch: [
            {
              name: "impure",
              message: "no",
              reject: ({ attended }) => {
                attended();
                return asked++ % 2 === 1;
              },
            },
          ],
        },
      });
      const rig = yield* open({
        model: playing(ask("search", { q: "x" }), report()),
        tools: [search],
        terminal: reportTool,
        guards: { impure: { scope: "cohort" } },
        orchestrate: parallel(["a", "b", "c"]),
      });
      for (let turn = 0; turn < 6; turn++) {
        for (const call of search.running) call.succeed();
        yield* quiet;
      }
      yield* finish(rig);
      expect(asked).toBeLessThan(30);
    }));
});
