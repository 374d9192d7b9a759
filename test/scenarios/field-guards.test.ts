import {
  agentPool,
  canonicalJson,
  dedup,
  delegate,
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
import { cohort, guards, message } from "./query-guards.ts";
import {
  ask,
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
