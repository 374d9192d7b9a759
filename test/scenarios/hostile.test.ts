import {
  type Args,
  agentPool,
  chain,
  type Delta,
  dedup,
  defineTool,
  type ExecutedInput,
  type Model,
  type Orchestrator,
  type PoolEvent,
  parallel,
  refuse,
  reportTool,
  type Session,
  type Tool,
  type ToolGuard,
  type ToolLifecycleHooks,
  type Turn,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { type Operation, run, type Stream, suspend, until } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ask,
  asks,
  casting,
  finish,
  held,
  instant,
  lastShown,
  noted,
  ofType,
  open,
  play,
  playing,
  quiet,
  type RigOptions,
  report,
  shown,
  strayRejections,
} from "./support.ts";

/** Names that ordinary objects have something under. */
const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"];

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const circular = (): unknown => {
  const a: { b?: unknown } = {};
  a.b = a;
  return a;
};
function no(): never {
  throw new Error("no");
}
/** Something that can be awaited as it says itself. */
const thenable = (then: (yes: (value: unknown) => void, reject: (error: unknown) => void) => void): object =>
  // biome-ignore lint/suspicious/noThenProperty: hostile on purpose
  Object.defineProperty({}, "then", { value: then });
// biome-ignore lint/suspicious/noThenProperty: hostile on purpose
const unreadable = (): object => Object.defineProperty({}, "then", { get: no });
const deep = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

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

describe("a hostile hook", () => {
  const moments: (keyof ToolLifecycleHooks)[] = [
    "afterExecute",
    "onResult",
    "beforeAdmit",
    "afterAdmit",
    "onReturn",
  ];
  const failures: [string, () => unknown][] = [
    [
      "throws",
      () => {
        throw new TypeError("a secret");
      },
    ],
    ["rejects", () => Promise.reject(new TypeError("a secret"))],
    ["never answers", () => new Promise(() => {})],
    [
      "suspends",
      function* () {
        yield* suspend();
      },
    ],
    ["answers text", () => "yes"],
    ["answers an unknown type", () => ({ type: "always" })],
    ["answers a type of ordinary objects", () => ({ type: "constructor" })],
    ["answers a revoked proxy", revoked],
  ];
  for (const moment of moments)
    for (const [how, hook] of failures) {
      if (moment === "onResult" && how.startsWith("answers")) continue;
      it(`that ${how} at ${moment} abstains, with an event, and the next is asked`, () =>
        run(function* () {
          const asked: string[] = [];
          const rig = yield* play({
            model: scripted(() => [ask("search", { q: "x" }), report("went on")], {
              contextWindow: moment === "beforeAdmit" ? 700 : undefined,
            }),
            tools: [
              instant("search", { execute: () => (moment === "beforeAdmit" ? "x".repeat(10_000) : "found") }),
            ],
            terminal: reportTool,
            hooks: [
              { name: "hostile", [moment]: hook },
              { [moment]: () => noted(asked, "asked", undefined) },
            ],
            orchestrate: parallel(["a"]),
          });
          expect(asked.length).toBeGreaterThan(0);
          expect(rig.result.agents[0]!.result).toBe("went on");
          expect(rig.result.agents[0]!.exit).toBe("returned");
          expect(ofType(rig.events, "hook:error")[0]).toMatchObject({
            hook: "hostile",
            moment,
            verdict: "skipped",
            ms: how === "never answers" || how === "suspends" ? 30_000 : 0,
          });
          expect(JSON.stringify(rig.events)).not.toContain("a secret");
        }));
    }

  for (const answer of [
    { type: "retry" },
    { type: "retry", afterMs: -1 },
    { type: "retry", afterMs: "5" },
    { type: "retry", afterMs: Number.POSITIVE_INFINITY },
    { type: "fail", message: 7 },
    { type: "fail", message: "" },
  ])
    it(`that answers ${JSON.stringify(answer)} at afterExecute is malformed: it abstains`, () =>
      run(function* () {
        const { result, events } = yield* play({
          model: playing(ask("search"), report()),
          tools: [instant("search", { hooks: { afterExecute: () => answer as never } })],
          terminal: reportTool,
          orchestrate: parallel(["a"]),
        });
        expect(result.agents[0]).toMatchObject({ attendedCount: 1, parks: 0 });
        expect(ofType(events, "hook:error")).toHaveLength(1);
      }));

  for (const moment of ["onResult", "afterExecute", "afterAdmit"] as const) {
    it(`that changes the result at ${moment} changes nothing that the model reads`, () =>
      run(function* () {
        const model = playing(ask("search"), report());
        yield* play({
          model,
          tools: [instant("search", { execute: () => ({ hits: ["kept"] }) })],
          terminal: reportTool,
          hooks: [
            {
              [moment]: (input: { result: { hits: string[] } }) => {
                input.result.hits.push("changed");
                input.result.hits = [];
              },
            },
          ],
          orchestrate: parallel(["a"]),
        });
        expect(lastShown(model, "agent/0")[0]!.value).toEqual({ hits: ["kept"] });
      }));
  }

  // must hold: what hooks are given are copies: only what they answer counts
  it("that changes the execution at afterExecute changes nothing that the model reads", () =>
    run(function* () {
      const model = playing(ask("search"), report());
      yield* play({
        model,
        tools: [instant("search", { execute: () => ({ hits: ["kept"] }) })],
        terminal: reportTool,
        hooks: [
          {
            afterExecute: ({ execution }: ExecutedInput) => {
              const changing = execution as { value?: unknown };
              (changing.value as { hits: string[] }).hits.push("changed");
              changing.value = "changed";
            },
          },
        ],
        orchestrate: parallel(["a"]),
      });
      expect(lastShown(model, "agent/0")[0]!.value).toEqual({ hits: ["kept"] });
    }));

  it("that makes a failed execution look as if it had returned does not make it attended", () =>
    run(function* () {
      const { result } = yield* play({
        model: playing(ask("search"), report()),
        tools: [
          instant("search", {
            execute: () => {
              throw new Error("down");
            },
          }),
        ],
        terminal: reportTool,
        hooks: [
          {
            afterExecute: ({ execution }) => void Object.assign(execution, { type: "returned", value: "up" }),
          },
        ],
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]!.attendedCount).toBe(0);
    }));

  // must hold: an observer that fails is none of the run's business, in whatever way it fails
  it("that observes events and rejects leaves no rejection unhandled", async () => {
    const strays = await strayRejections(() =>
      run(() =>
        play({
          model: playing(report()),
          tools: [],
          terminal: reportTool,
          onEvent: (async () => {
            throw new Error("observer");
          }) as (event: PoolEvent) => void,
          orchestrate: parallel(["a"]),
        }),
      ),
    );
    expect(strays).toEqual([]);
  });
});

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

/** A model whose turns are whatever the test says. */
function crooked(generate: (session: Session, turn: number) => Stream<Delta, Turn>): Model {
  const inner = scripted(() => []);
  let turns = 0;
  const wrap = (session: Session): Session => ({
    get tokens() {
      return session.tokens;
    },
    append: (messages) => session.append(messages),
    mark: () => session.mark(),
    rewind: (to) => session.rewind(to),
    *fork() {
      return wrap(yield* session.fork());
    },
    generate: () => generate(session, turns++),
  });
  return {
    id: "crooked",
    *open(prefix) {
      return wrap(yield* inner.open(prefix));
    },
  };
}

const saying = (turn: unknown): Stream<Delta, Turn> =>
  (function* () {
    return {
      *next() {
        return { done: true, value: turn as Turn };
      },
    };
  })() as unknown as Stream<Delta, Turn>;

const turnOf = (calls: unknown, more: object = {}) => ({
  calls,
  usage: { input: 1, output: 1, cached: 0 },
  finish: "calls",
  ...more,
});

describe("a hostile model", () => {
  const ends: [string, (session: Session, turn: number) => Stream<Delta, Turn>][] = [
    [
      "throws at once",
      () => {
        throw new Error("no");
      },
    ],
    [
      "throws null",
      () => {
        throw null;
      },
    ],
    ["ends without a turn", () => saying(undefined)],
    ["ends with null", () => saying(null)],
    ["gives no stream", () => undefined as never],
    ["gives no calls at all", () => saying(turnOf(undefined))],
    ["gives a call that is null", () => saying(turnOf([null]))],
    ["gives no usage", () => saying(turnOf([], { usage: undefined, text: "hello", finish: "stop" }))],
    [
      "throws while it is read",
      () =>
        (function* () {
          return {
            *next() {
              throw new Error("torn");
            },
          };
        })() as never,
    ],
  ];
  for (const [how, generate] of ends)
    it(`that ${how} ends its agent as a model error, and nobody else`, () =>
      run(function* () {
        const { result } = yield* play({
          model: playing(ask("search"), report("fine")),
          tools: [instant("search")],
          terminal: reportTool,
          orchestrate: parallel(["a", { task: "b", model: crooked(generate) }, "c"]),
        });
        expect(result.agents.map(({ exit }) => exit)).toEqual(["returned", "model_error", "returned"]);
        expect(result.agents[1]!.reason).toBeTypeOf("string");
      }));

  const calls: [string, unknown][] = [
    ["an unknown tool", { id: "1", tool: "nothing", input: "{}" }],
    ["a tool without a name", { id: "1", tool: "", input: "{}" }],
    ["malformed JSON", { id: "1", tool: "search", input: '{"q":' }],
    ["no JSON at all", { id: "1", tool: "search", input: "please search" }],
    ["a list", { id: "1", tool: "search", input: "[1]" }],
    ["null", { id: "1", tool: "search", input: "null" }],
    ["a number", { id: "1", tool: "search", input: "7" }],
    ["arguments that are no text", { id: "1", tool: "search", input: { q: "x" } }],
    ["what does not fit the schema", { id: "1", tool: "search", input: '{"q":7}' }],
  ];
  for (const [what, call] of calls)
    it(`that calls with ${what} reads why, and no hook is asked`, () =>
      run(function* () {
        const asked: string[] = [];
        const search = instant("search", {
          hooks: { beforeDispatch: [{ name: "watch", decide: () => noted(asked, "asked", undefined) }] },
        });
        const { result } = yield* play({
          model: crooked((_, turn) =>
            saying(
              turn === 0
                ? turnOf([call])
                : turnOf([{ id: "r", tool: "report", input: '{"result":"went on"}' }]),
            ),
          ),
          tools: [search],
          terminal: reportTool,
          orchestrate: parallel(["a"]),
        });
        expect(search.asked).toEqual([]);
        expect(asked).toEqual([]);
        expect(result.agents[0]).toMatchObject({ exit: "returned", result: "went on", toolCallCount: 0 });
        expect(result.agents[0]!.refusals).toMatchObject([{ guard: "invalid" }]);
      }));

  it("that names __proto__ in its arguments changes no prototype", () =>
    run(function* () {
      const asked: Args[] = [];
      for (const parameters of [
        z.object({ q: z.string().optional() }),
        z.looseObject({}),
        { type: "object" },
        { type: "object", properties: { nested: { type: "object" } } },
      ] as Tool["parameters"][]) {
        const tool: Tool = {
          name: "search",
          description: "",
          parameters,
          execute: (args) => noted(asked, args, "found"),
        };
        yield* play({
          model: playing(
            ask(
              "search",
              '{"__proto__":{"polluted":true},"nested":{"__proto__":{"polluted":true}},"constructor":{"prototype":{"polluted":true}}}',
            ),
            report(),
          ),
          tools: [{ ...tool, hooks: { beforeDispatch: [dedup("d", (args) => args)] } }],
          terminal: reportTool,
          orchestrate: parallel(["a"]),
        });
      }
      expect(asked).toHaveLength(4);
      for (const args of asked) {
        expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
        expect(args.polluted).toBeUndefined();
        expect((args.nested as Args | undefined)?.polluted).toBeUndefined();
      }
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    }));

  it("that sends a megabyte of arguments is served", () =>
    run(function* () {
      const q = "x".repeat(1_000_000);
      const search = instant("search", {
        hooks: { beforeDispatch: [dedup("once", (args) => args.q)] },
        execute: (args) => String(args.q).length,
      });
      const { result } = yield* play({
        model: playing(ask("search", { q }), ask("search", { q }), report()),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]).toMatchObject({ toolCallCount: 1, attendedCount: 1 });
    }));

  // must hold: hostile input never ends an agent: the call is answered as one that cannot be read
  it("that nests its arguments far too deep is told so", () =>
    run(function* () {
      const tool: Tool = {
        name: "search",
        description: "",
        parameters: { type: "object" },
        execute: () => "found",
      };
      const { result } = yield* play({
        model: playing(ask("search", `{"a":${deep(100_000)}}`), report("went on")),
        tools: [tool],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "went on" });
    }));

  it("that calls a thousand tools in a turn is held to its limit", () =>
    run(function* () {
      const search = instant("search", { hooks: { beforeDispatch: [dedup("once", ({ q }) => q)] } });
      const model = playing(
        asks(...Array.from({ length: 1_000 }, (_, n) => ["search", { q: `${n}` }] as const)),
        report("some"),
      );
      const { result } = yield* play({
        model,
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(search.asked).toHaveLength(50);
      expect(result.agents[0]).toMatchObject({ exit: "max_calls", result: "some", toolCallCount: 50 });
      expect(result.agents[0]!.refusals).toHaveLength(950);
    }));

  it("that calls thousands of tools in a turn, each thought about for a while, is held to its limit", () =>
    run(function* () {
      const search = instant("search", {
        hooks: { beforeDispatch: [{ name: "thinks", decide: async () => undefined }] },
      });
      const model = playing(
        asks(...Array.from({ length: 6_000 }, (_, n) => ["search", { q: `${n}` }] as const)),
        report("some"),
      );
      const { result } = yield* play({
        model,
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "max_calls", result: "some", toolCallCount: 50 });
    }));

  it("that gives two calls one id has each of them answered", () =>
    run(function* () {
      const search = instant("search");
      const model = scripted(() => [
        {
          calls: [
            { tool: "search", args: { q: "1" }, id: "same" },
            { tool: "search", args: { q: "2" }, id: "same" },
          ],
        },
        report(),
      ]);
      yield* play({ model, tools: [search], terminal: reportTool, orchestrate: parallel(["a"]) });
      expect(lastShown(model, "agent/0").map(({ id, value }) => [id, value])).toEqual([
        ["same", { answer: "1" }],
        ["same", { answer: "2" }],
      ]);
    }));

  it("that says nothing, turn after turn, is stopped at its limit", () =>
    run(function* () {
      const { result } = yield* play({
        model: scripted(
          () =>
            ({ request }) =>
              typeof request.toolChoice === "object" ? report("nothing") : {},
        ),
        tools: [instant("search")],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "max_turns", turns: 10, result: "nothing" });
    }));

  it("that refuses is an agent that failed, in the model's words", () =>
    run(function* () {
      const { result } = yield* play({
        model: playing({ text: "I would rather not.", finish: "refusal" }),
        tools: [instant("search")],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]).toMatchObject({
        exit: "model_error",
        reason: expect.stringContaining("rather not"),
      });
    }));

  it("that is cut off in the middle of its words is asked to be shorter", () =>
    run(function* () {
      const model = playing({ text: "and then", finish: "length" }, report("short"));
      const { result } = yield* play({
        model,
        tools: [],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]!.result).toBe("short");
      expect(JSON.stringify(model.requests[1]!.messages.at(-1))).toMatch(/cut off/);
    }));

  it("that is cut off after whole calls has those run", () =>
    run(function* () {
      const search = instant("search");
      yield* play({
        model: playing({ ...ask("search", { q: "x" }), finish: "length" }, report()),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(search.asked).toEqual(["x"]);
    }));

  it("that announces a call and then fails has nothing run", () =>
    run(function* () {
      const search = instant("search");
      const torn = crooked(
        () =>
          (function* () {
            let said = false;
            return {
              *next() {
                if (said) throw new Error("torn");
                said = true;
                return { done: false, value: { type: "call", id: "1", tool: "search" } };
              },
            };
          })() as never,
      );
      const { result } = yield* play({
        model: torn,
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(search.asked).toEqual([]);
      expect(result.agents[0]).toMatchObject({ exit: "model_error", reason: "torn" });
    }));

  it("that goes on for ever can be cancelled", () =>
    run(function* () {
      const endless = crooked(
        () =>
          (function* () {
            return {
              *next() {
                yield* quiet;
                return { done: false, value: { type: "text", text: "and " } };
              },
            };
          })() as never,
      );
      const rig = yield* open({
        model: endless,
        tools: [],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(yield* rig.handle.cancel("agent/0")).toBe(true);
      expect((yield* finish(rig)).agents[0]!.exit).toBe("cancelled");
      expect(rig.handle.inspect().permits.generations).toBe(0);
    }));

  it("whose session cannot be appended to ends its agent alone", () =>
    run(function* () {
      const inner = playing(ask("search"), report());
      let appends = 0;
      const model: Model = {
        id: "full",
        *open(prefix) {
          const wrap = (session: Session): Session => ({
            get tokens() {
              return session.tokens;
            },
            append: (messages) => {
              if (appends++ === 1) throw new Error("disk full");
              return session.append(messages);
            },
            mark: () => session.mark(),
            rewind: (to) => session.rewind(to),
            *fork() {
              return wrap(yield* session.fork());
            },
            generate: (request) => session.generate(request),
          });
          return wrap(yield* inner.open(prefix));
        },
      };
      const { result } = yield* play({
        model,
        tools: [instant("search")],
        terminal: reportTool,
        orchestrate: chain(["a", "b"]),
      });
      expect(result.agents.map(({ exit, reason }) => [exit, reason])).toEqual([
        ["model_error", "disk full"],
        ["returned", undefined],
      ]);
    }));
});

describe("a hostile orchestrator", () => {
  for (const [how, orchestrate] of [
    [
      "throws null",
      function* () {
        throw null;
      },
    ],
    [
      "yields nonsense",
      function* () {
        yield 7 as never;
      },
    ],
    ["returns at once", function* () {}],
    [
      "waits for no agent",
      function* (pool: Parameters<Orchestrator>[0]) {
        yield* pool.waitFor({} as never);
      },
    ],
  ] as [string, Orchestrator][])
    it(`that ${how} leaves nothing behind`, () =>
      run(function* () {
        const rig = yield* open({ model: playing(report()), tools: [], terminal: reportTool, orchestrate });
        yield* quiet;
        expect(rig.clock.pending).toBe(0);
        expect(rig.handle.inspect()).toEqual({
          agents: {},
          inLine: 0,
          parked: 0,
          permits: { tools: 0, generations: 0 },
        });
        if (how === "returns at once") expect(rig.outcome.result!.agents).toEqual([]);
        else expect("error" in rig.outcome).toBe(true);
      }));

  it("that is no generator is an error that says what is accepted", () =>
    run(function* () {
      let error: unknown;
      try {
        yield* agentPool({ model: playing(), tools: [], orchestrate: (async () => {}) as never });
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(Error);
    }));
});
