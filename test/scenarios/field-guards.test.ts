import {
  agentPool,
  canonicalJson,
  canonicalUrl,
  dedup,
  delegate,
  type GuardOverrides,
  parallel,
  reportTool,
  sleepOn,
  substitute,
  type Tool,
  type ToolGuard,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run, suspend, until } from "effection";
import { describe, expect, it } from "vitest";
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
  report,
  shown,
} from "./support.ts";

const message = "It was read before. Ask for something else.";

/** The same guard, written in each of the ways there are. */
const guards: { readonly [kind: string]: ToolGuard } = {
  keyed: dedup("query_dedup", ({ q }) => q, { message, tools: ["search"] }),
  predicate: {
    name: "query_dedup",
    message,
    tools: ["search"],
    reject: ({ args, attended }) => attended().some(({ q }) => q === args.q),
  },
  "asynchronous predicate": {
    name: "query_dedup",
    message,
    tools: ["search"],
    async reject({ args, attended }) {
      await null;
      const read = attended();
      await null;
      return read.some(({ q }) => q === args.q);
    },
  },
  "deciding operation": {
    name: "query_dedup",
    tools: ["search"],
    *decide({ args, attended }) {
      yield* until(Promise.resolve());
      return attended().some(({ q }) => q === args.q) ? { type: "refuse", message } : undefined;
    },
  },
};

const cohort: GuardOverrides = { query_dedup: { scope: "cohort" } };

for (const [kind, guard] of Object.entries(guards))
  describe(`G1: two agents asking for the same thing at once, ${kind} guard`, () => {
    const together = (tool: Tool, agents: number, more: Partial<Parameters<typeof open>[0]> = {}) =>
      open({
        model: playing(ask("search", { q: "x" }), report()),
        tools: [tool],
        terminal: reportTool,
        hooks: [{ beforeDispatch: [guard] }],
        guards: cohort,
        orchestrate: parallel(Array.from({ length: agents }, (_, index) => `task ${index}`)),
        ...more,
      });

    it("G1: one executes, the other waits and costs nothing meanwhile", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 2);
        expect(search.running.map(({ agent }) => agent)).toEqual(["agent/0"]);
        expect(rig.handle.inspect()).toMatchObject({
          agents: { calling: 1, parked: 1 },
          parked: 1,
          permits: { tools: 1, generations: 0 },
        });
        search.held("x").succeed();
        yield* finish(rig);
      }));

    it("G1: the other is refused if the first succeeded", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 2);
        search.held("x").succeed();
        const { agents } = yield* finish(rig);
        expect(search.calls).toHaveLength(1);
        expect(agents[1]).toMatchObject({ exit: "returned", toolCallCount: 0, attendedCount: 0, parks: 1 });
        expect(agents[1]!.refusals).toEqual([{ tool: "search", guard: "query_dedup", message }]);
      }));

    it("G1: the other runs if the first failed", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 2);
        search.held("x").fail(new Error("down"));
        yield* quiet;
        expect(search.running.map(({ agent }) => agent)).toEqual(["agent/1"]);
        search.held("x").succeed();
        const { agents } = yield* finish(rig);
        expect(agents.map(({ attendedCount }) => attendedCount)).toEqual([0, 1]);
        expect(agents[1]!.refusals).toEqual([]);
      }));

    it("G1: the other runs if the first agent was cancelled, once its tool has stopped", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 2);
        const first = search.held("x");
        yield* rig.handle.cancel("agent/0");
        yield* quiet;
        expect(first).toMatchObject({ state: "halted", signal: { aborted: true } });
        expect(search.peak).toBe(1);
        search.held("x").succeed();
        const { agents } = yield* finish(rig);
        expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "returned"]);
        expect(agents[1]!.attendedCount).toBe(1);
      }));

    it("G1: of three the second runs when the first failed, and the third is refused when it succeeded", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 3);
        search.held("x").fail(new Error("down"));
        yield* quiet;
        expect(search.held("x").agent).toBe("agent/1");
        search.held("x").succeed();
        const { agents } = yield* finish(rig);
        expect(search.calls).toHaveLength(2);
        expect(agents.map(({ refusals }) => refusals.length)).toEqual([0, 0, 1]);
      }));

    it("G1: the waiting one goes on although the first parks for a retry", () =>
      run(function* () {
        const search = held("search", {
          hooks: { afterExecute: ({ error }) => (error ? { type: "retry", afterMs: 1_000 } : undefined) },
        });
        const rig = yield* together(search, 2);
        search.held("x").fail(new Error("429"));
        yield* quiet;
        expect(search.running).toHaveLength(0);
        rig.clock.advance(1_000);
        yield* quiet;
        expect(search.held("x")).toMatchObject({ agent: "agent/0", attempt: 1 });
        search.held("x").fail(new Error("429"));
        yield* quiet;
        expect(search.held("x")).toMatchObject({ agent: "agent/1", attempt: 0 });
        search.held("x").succeed();
        yield* finish(rig);
      }));

    it("G1: within one step the later of two equal calls waits as well", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 1, {
          model: playing(
            asks(["search", { q: "x" }], ["search", { q: "x" }], ["search", { q: "y" }]),
            report(),
          ),
          guards: undefined,
        });
        expect(search.running.map(({ q }) => q)).toEqual(["x", "y"]);
        search.held("x").succeed();
        search.held("y").succeed();
        const { agents } = yield* finish(rig);
        expect(agents[0]).toMatchObject({ toolCallCount: 2, attendedCount: 2 });
        expect(agents[0]!.refusals).toHaveLength(1);
      }));

    it("G1: a success counts as read from when it is one, and for nobody once its agent ended without reading it", () =>
      run(function* () {
        const [search, slow] = [held("search"), held("slow")];
        const rig = yield* open({
          model: casting({
            a: [asks(["slow", { q: "s" }], ["search", { q: "x" }]), report()],
            b: [ask("search", { q: "x" }), report()],
            c: [ask("search", { q: "x" }), report()],
          }),
          tools: [search, slow],
          terminal: reportTool,
          hooks: [{ beforeDispatch: [guard] }],
          guards: cohort,
          *orchestrate(pool) {
            const a = yield* pool.spawn({ task: "a", key: "a" });
            while (search.running.length === 0) yield* quiet;
            search.held("x").succeed(); // a can't read it before its earlier call is over
            yield* quiet;
            const b = yield* pool.spawn({ task: "b", key: "b" });
            yield* pool.waitFor(b);
            yield* pool.waitFor(a);
            yield* pool.waitFor(yield* pool.spawn({ task: "c", key: "c" }));
          },
        });
        for (let turn = 0; turn < 5; turn++) yield* quiet;
        expect(search.calls).toHaveLength(1);
        expect(ofType(rig.events, "call:refused")).toMatchObject([{ agent: "agent/b" }]);
        yield* rig.handle.cancel("agent/a");
        yield* quiet;
        expect(search.held("x").agent).toBe("agent/c");
        search.held("x").succeed();
        yield* finish(rig);
      }));

    it("G1: in lineage scope both run", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 2, { guards: undefined });
        expect(search.running).toHaveLength(2);
        for (const call of search.running) call.succeed();
        const { agents } = yield* finish(rig);
        expect(agents.map(({ attendedCount }) => attendedCount)).toEqual([1, 1]);
      }));

    it("G1: a waiting call that is cancelled leaves the line to those behind it", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 3);
        yield* rig.handle.cancel("agent/1");
        search.held("x").fail(new Error("down"));
        yield* quiet;
        expect(search.held("x").agent).toBe("agent/2");
        search.held("x").succeed();
        yield* finish(rig);
      }));

    it("G1: two agents asking for two things crosswise do not wait for each other for ever", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 2, {
          model: casting({
            0: [asks(["search", { q: "x" }], ["search", { q: "y" }]), report()],
            1: [asks(["search", { q: "y" }], ["search", { q: "x" }]), report()],
          }),
        });
        expect(search.running.map(({ q, agent }) => [q, agent])).toEqual([
          ["x", "agent/0"],
          ["y", "agent/0"],
        ]);
        search.held("x").fail(new Error("down"));
        search.held("y").succeed();
        yield* quiet;
        search.held("x").succeed();
        const { agents } = yield* finish(rig);
        expect(agents.map(({ attendedCount }) => attendedCount)).toEqual([1, 1]);
      }));
  });

describe("G2: what did not succeed is not already read", () => {
  const twice = (tool: Tool, more: Partial<Parameters<typeof play>[0]> = {}) =>
    play({
      model: playing(ask("search", { q: "x" }), ask("search", { q: "x" }), report()),
      tools: [tool],
      terminal: reportTool,
      orchestrate: parallel(["look"]),
      guards: cohort,
      ...more,
    });
  const query = guards.keyed!;

  it("G2: a failed call is not already read", () =>
    run(function* () {
      let runs = 0;
      const { result } = yield* twice(
        instant("search", {
          hooks: { beforeDispatch: [query] },
          execute: () => {
            if (runs++ === 0) throw new Error("down");
            return "up";
          },
        }),
      );
      expect(runs).toBe(2);
      expect(result.agents[0]).toMatchObject({ attendedCount: 1, toolCallCount: 2, refusals: [] });
    }));

  it("G2: a call that took too long is not already read", () =>
    run(function* () {
      let runs = 0;
      const { result } = yield* twice(
        instant("search", {
          hooks: { beforeDispatch: [query] },
          timeoutMs: 1_000,
          *execute() {
            if (runs++ === 0) yield* suspend();
            return "up";
          },
        }),
      );
      expect(runs).toBe(2);
      expect(result.agents[0]).toMatchObject({ attendedCount: 1, refusals: [] });
    }));

  it("G2: a call whose result is no JSON is not already read", () =>
    run(function* () {
      let runs = 0;
      yield* twice(
        instant("search", { hooks: { beforeDispatch: [query] }, execute: () => (runs++ === 0 ? 1n : 1) }),
      );
      expect(runs).toBe(2);
    }));

  it("G2: a call that a hook called a failure is not already read", () =>
    run(function* () {
      const search = instant("search", {
        hooks: { beforeDispatch: [query], afterExecute: () => ({ type: "fail", message: "no" }) },
      });
      const { result } = yield* twice(search);
      expect(search.asked).toEqual(["x", "x"]);
      expect(result.agents[0]!.attendedCount).toBe(0);
    }));

  it("G2: a call that ran out of retries is not already read", () =>
    run(function* () {
      const search = instant("search", {
        hooks: { beforeDispatch: [query], afterExecute: () => ({ type: "retry", afterMs: 5 }) },
      });
      const { result } = yield* twice(search);
      expect(search.asked).toHaveLength(4);
      expect(result.agents[0]!.refusals).toEqual([]);
    }));

  for (const type of ["refuse", "cancel", "substitute"] as const)
    it(`G2: a call that a guard answered with ${type} is not already read`, () =>
      run(function* () {
        let asked = 0;
        const search = instant("search", {
          hooks: {
            beforeDispatch: [
              query,
              {
                name: "once",
                decide: () =>
                  asked++ === 0 ? ({ type, message: "not yet", result: "made up" } as never) : undefined,
              },
            ],
          },
        });
        const { result } = yield* twice(search);
        expect(search.asked).toEqual(["x"]);
        expect(result.agents[0]).toMatchObject({ attendedCount: 1, toolCallCount: 1 });
      }));

  it("G2: a result that was left out for want of room is not already read", () =>
    run(function* () {
      let runs = 0;
      const search = instant("search", {
        hooks: { beforeDispatch: [query], beforeAdmit: () => ({ type: "nudge", message: "too long" }) },
        execute: () => (runs++ === 0 ? "x".repeat(10_000) : "short"),
      });
      const { result } = yield* twice(search, {
        model: scripted(() => [ask("search", { q: "x" }), ask("search", { q: "x" }), report()], {
          contextWindow: 1_000,
        }),
      });
      expect(runs).toBe(2);
      expect(result.agents[0]).toMatchObject({ attendedCount: 1, refusals: [] });
    }));
});

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

describe("G8: a hook that allows does not bypass a deny", () => {
  const eager: ToolGuard = { name: "eager", decide: () => ({ type: "proceed" }) };
  const pretend: ToolGuard = {
    name: "pretend",
    decide: ({ tool }) => (tool === "shell" ? substitute("ran") : undefined),
  };
  for (const deny of ["shell", "local:shell", "local:sh*", "*hell"])
    it(`G8: denied as ${deny} it never runs, whatever hooks answer, and no hook is asked`, () =>
      run(function* () {
        const asked: string[] = [];
        const shell = instant("shell", { hooks: { beforeDispatch: [eager, pretend] } });
        const model = playing(ask("shell", { q: "rm" }), report());
        const { result } = yield* play({
          model,
          tools: [shell],
          terminal: reportTool,
          deny: [deny],
          grants: ["shell"],
          hooks: [
            { beforeDispatch: [{ name: "watch", decide: ({ tool }) => noted(asked, tool, undefined) }] },
            { afterExecute: () => ({ type: "retry", afterMs: 1 }), onReturn: () => ({ type: "accept" }) },
          ],
          orchestrate: parallel(["x"]),
        });
        expect(shell.asked).toEqual([]);
        expect(asked).not.toContain("shell");
        expect(result.agents[0]!.refusals).toMatchObject([{ tool: "shell", guard: "deny" }]);
        expect(lastShown(model, "agent/0")[0]).toMatchObject({ type: "error-text" });
      }));

  it("G8: a deny holds for the tool under another name: rules match the canonical identity", () =>
    run(function* () {
      const files = instant("remove", { identity: "mcp:files/remove" });
      const { result } = yield* play({
        model: playing(ask("remove"), report()),
        tools: [files],
        terminal: reportTool,
        deny: ["mcp:files/*"],
        orchestrate: parallel(["x"]),
      });
      expect(files.asked).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "deny" }]);
    }));

  it("G8: a deny of a tool there is not is an error that names the nearest", () =>
    run(function* () {
      const rig = agentPool({
        model: playing(report()),
        tools: [instant("shell")],
        terminal: reportTool,
        deny: ["shel"],
        orchestrate: parallel(["x"]),
      });
      let error: unknown;
      try {
        yield* rig;
      } catch (thrown) {
        error = thrown;
      }
      expect(String(error)).toMatch(/deny.*shell/);
    }));
});

describe("G11: a delegated agent that repeats a call it runs under", () => {
  const nested = (scope: "lineage" | "cohort", guard: ToolGuard) => ({
    tools: [
      instant("search"),
      { ...delegate(), hooks: { beforeDispatch: [guard] } } as Tool,
      {
        ...delegate({ name: "hand_on" }),
        hooks: { beforeDispatch: [{ ...(guard as object), name: "hand_dedup" } as ToolGuard] },
      } as Tool,
    ],
    terminal: reportTool,
    guards: { task_dedup: { scope }, hand_dedup: { scope } },
    orchestrate: parallel(["boss"]),
  });
  const kinds: [string, ToolGuard][] = [
    ["keyed", dedup("task_dedup", ({ tasks }) => tasks)],
    [
      "predicate",
      {
        name: "task_dedup",
        message,
        reject: ({ args, attended }) => attended().some((a) => canonicalJson(a) === canonicalJson(args)),
      },
    ],
    [
      "asynchronous",
      {
        name: "task_dedup",
        message,
        reject: async ({ args, attended }) =>
          attended().some((a) => canonicalJson(a) === canonicalJson(args)),
      },
    ],
  ];
  for (const [kind, guard] of kinds)
    for (const scope of ["lineage", "cohort"] as const) {
      it(`G11: directly, is refused at once (${kind}, ${scope})`, () =>
        run(function* () {
          const { result, events } = yield* play({
            model: scripted(() => [ask("delegate", { tasks: ["the same"] }), report()]),
            ...nested(scope, guard),
          });
          expect(result.agents[0]).toMatchObject({ exit: "returned", attendedCount: 1 });
          expect(result.totals).toMatchObject({ agents: 2, refusals: 1, parks: 0 });
          expect(ofType(events, "call:refused")).toHaveLength(1);
        }));

      it(`G11: through another delegation, is refused at once (${kind}, ${scope})`, () =>
        run(function* () {
          const { result } = yield* play({
            model: scripted(({ task }) =>
              task === "boss" || task === "two"
                ? [ask("delegate", { tasks: ["one"] }), report()]
                : [ask("hand_on", { tasks: ["two"] }), report()],
            ),
            ...nested(scope, guard),
          });
          expect(result.agents[0]!.exit).toBe("returned");
          expect(result.totals).toMatchObject({ agents: 3, refusals: 1, parks: 0 });
        }));
    }

  it("G11: through another agent's call that waits for it, is refused at once", () =>
    run(function* () {
      const gate = held("gate");
      const rig = yield* open({
        model: casting({
          // a runs delegate(x), whose helper wants delegate(y); b runs delegate(y), whose helper wants delegate(x)
          a: [ask("delegate", { tasks: ["x"] }), report()],
          b: [ask("delegate", { tasks: ["y"] }), report()],
          x: [ask("gate", { q: "x" }), ask("delegate", { tasks: ["y"] }), report()],
          y: [ask("gate", { q: "y" }), ask("delegate", { tasks: ["x"] }), report()],
        }),
        tools: [
          gate,
          { ...delegate(), hooks: { beforeDispatch: [dedup("task_dedup", ({ tasks }) => tasks)] } },
        ],
        terminal: reportTool,
        guards: { task_dedup: { scope: "cohort" } },
        orchestrate: parallel([
          { task: "a", key: "a" },
          { task: "b", key: "b" },
        ]),
      });
      expect(gate.running).toHaveLength(2);
      gate.held("x").succeed();
      yield* quiet;
      expect(rig.handle.inspect().parked).toBe(1); // waits for b's call
      gate.held("y").succeed();
      const { agents, totals } = yield* finish(rig);
      expect(agents.map(({ exit }) => exit)).toEqual(["returned", "returned"]);
      expect(ofType(rig.events, "call:refused")[0]).toMatchObject({ guard: "in_flight" });
      expect(totals.refusals).toBe(2);
    }));
});

describe("G9: a hook that throws, hangs or answers nonsense", () => {
  const broken: [string, ToolGuard, number][] = [
    ["throws", { name: "g", decide: () => bang() }, 0],
    ["rejects", { name: "g", decide: () => Promise.reject(new TypeError("a secret")) }, 0],
    [
      "throws after a while",
      {
        name: "g",
        *decide() {
          yield* until(Promise.resolve());
          return bang();
        },
      },
      0,
    ],
    ["hangs in a promise", { name: "g", decide: () => new Promise<undefined>(() => {}) }, 30_000],
    [
      "hangs in an operation",
      {
        name: "g",
        *decide() {
          yield* suspend();
          return undefined;
        },
      },
      30_000,
    ],
    [
      "hangs beyond a deadline of its own",
      { name: "g", timeoutMs: 500, reject: () => new Promise(() => {}), message },
      500,
    ],
    ["answers true", { name: "g", decide: () => true as never }, 0],
    ["answers text", { name: "g", decide: () => "refuse" as never }, 0],
    ["answers a number", { name: "g", decide: () => 0 as never }, 0],
    ["answers an object without a type", { name: "g", decide: () => ({ message: "no" }) as never }, 0],
    ["answers an unknown type", { name: "g", decide: () => ({ type: "allow" }) as never }, 0],
    ["refuses without a message", { name: "g", decide: () => ({ type: "refuse" }) as never }, 0],
    ["cancels with an empty message", { name: "g", decide: () => ({ type: "cancel", message: " " }) }, 0],
    ["substitutes nothing", { name: "g", decide: () => ({ type: "substitute" }) as never }, 0],
    ["substitutes no JSON", { name: "g", decide: () => substitute(10n) }, 0],
    ["substitutes a function", { name: "g", decide: () => substitute(() => 1) }, 0],
    ["substitutes something circular", { name: "g", decide: () => substitute(circular()) }, 0],
    ["rejects with text", { name: "g", message, reject: () => "yes" as never }, 0],
    ["promises nonsense", { name: "g", decide: async () => 7 as never }, 0],
    ["has a key that throws", dedup("g", () => bang()), 0],
    ["promises a key", dedup("g", async () => "x"), 0],
    ["has a key that is no JSON", dedup("g", () => ({ n: 1n })), 0],
  ];
  function bang(): never {
    throw new TypeError("a secret");
  }
  function circular(): unknown {
    const a: { b?: unknown } = {};
    a.b = a;
    return a;
  }

  for (const [how, guard, ms] of broken) {
    it(`G9: a guard that ${how} refuses the call, and leaves an event that does not tell its message`, () =>
      run(function* () {
        const search = instant("search", { hooks: { beforeDispatch: [guard] } });
        const model = playing(ask("search", { q: "x" }), report());
        const { result, events, clock } = yield* play({
          model,
          tools: [search],
          terminal: reportTool,
          orchestrate: parallel(["look"]),
        });
        expect(search.asked).toEqual([]);
        expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 0 });
        expect(result.agents[0]!.refusals).toMatchObject([{ tool: "search", guard: "hook_error" }]);
        expect(shown(model.requests[1]!.messages)[0]).toMatchObject({
          type: "error-text",
          value: expect.stringContaining("policy hook error"),
        });
        const errors = ofType(events, "hook:error");
        expect(errors).toMatchObject([
          {
            hook: "g",
            moment: "beforeDispatch",
            verdict: "refused",
            ms,
            agent: "agent/0",
            call: "agent/0:1#0",
          },
        ]);
        expect(errors[0]!.error).toMatch(/^[A-Z]\w+$/);
        expect(JSON.stringify([events, model.requests[1]!.messages])).not.toContain("a secret");
        expect(clock.now()).toBe(ms);
      }));

    it(`G9: with onError "proceed" a guard that ${how} is skipped, with an event`, () =>
      run(function* () {
        const search = instant("search", {
          hooks: { beforeDispatch: [{ ...(guard as object), onError: "proceed" } as ToolGuard] },
        });
        const { result, events } = yield* play({
          model: playing(ask("search", { q: "x" }), report()),
          tools: [search],
          terminal: reportTool,
          orchestrate: parallel(["look"]),
        });
        expect(search.asked).toEqual(["x"]);
        expect(result.agents[0]!.refusals).toEqual([]);
        expect(ofType(events, "hook:error")[0]).toMatchObject({ hook: "g", verdict: "skipped" });
      }));
  }

  it("G9: skipped, it leaves the guards after it in force", () =>
    run(function* () {
      const search = instant("search", {
        hooks: {
          beforeDispatch: [
            { name: "broken", onError: "proceed", decide: () => bang() },
            { name: "sound", decide: () => ({ type: "refuse", message: "no" }) },
          ],
        },
      });
      const { result } = yield* play({
        model: playing(ask("search"), report()),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
      });
      expect(search.asked).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "sound" }]);
    }));

  it("G9: one that is slow but within its time is heard", () =>
    run(function* () {
      const search = instant("search");
      const { result, clock } = yield* play({
        model: playing(ask("search"), report()),
        tools: [search],
        terminal: reportTool,
        hooks: [
          {
            beforeDispatch: [
              {
                name: "slow",
                tools: ["search"],
                message: "after some thought, no",
                *reject() {
                  const { useClock } = yield* until(import("@agentpool/core"));
                  yield* sleepOn(yield* useClock(), 29_999);
                  return true;
                },
              },
            ],
          },
        ],
        orchestrate: parallel(["look"]),
      });
      expect(clock.now()).toBe(29_999);
      expect(search.asked).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "slow" }]);
    }));

  it("G9: a halt while a guard thinks is no hook error", () =>
    run(function* () {
      const rig = yield* open({
        model: playing(ask("search"), report()),
        tools: [
          instant("search", {
            hooks: { beforeDispatch: [{ name: "g", decide: () => new Promise<undefined>(() => {}) }] },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
      });
      yield* rig.handle.cancel("agent/0");
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ exit: "cancelled", refusals: [] });
      expect(ofType(rig.events, "hook:error")).toEqual([]);
    }));
});
