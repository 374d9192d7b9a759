import {
  type AgentPoolOptions,
  agentPool,
  cancel,
  type GuardInput,
  type PoolEvent,
  parallel,
  refuse,
  reportTool,
  runPool,
  type ToolGuard,
  type ToolLifecycleHooks,
  useAgentPool,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { each, run } from "effection";
import { describe, expect, it } from "vitest";
import {
  ask,
  asks,
  casting,
  instant,
  lastShown,
  noted,
  ofType,
  playing,
  report,
  shown,
} from "../scenarios/support.ts";
import { callsIn, once, playLife, shownIn } from "./support.ts";

/** The page's guard, as it is written here. */
function sqlGuard({ tool, args }: GuardInput) {
  if (tool === "run_query" && !String(args.q).toUpperCase().includes("WHERE"))
    return refuse("Add a WHERE clause before running this query.");
  return undefined;
}

const harness = (...guards: ToolGuard[]): { readonly hooks: readonly ToolLifecycleHooks[] } => ({
  hooks: guards.map((guard) => ({ beforeDispatch: [guard] })),
});

describe("the four seams", () => {
  it("come in order: routing before the model speaks, then rewrite, steering, the tool, and who observes its result", () =>
    run(function* () {
      const log: string[] = [];
      const query = instant("run_query");
      yield* playLife({
        model: once("run_query"),
        tools: [
          {
            ...query,
            execute: (args, ctx) => noted(log, "tool", query.execute(args, ctx)),
          },
        ],
        hooks: [
          {
            onRoute: ({ turn }) => noted(log, `route ${turn}`, undefined),
            rewrite: () => noted(log, "rewrite", undefined),
            beforeDispatch: [{ name: "steer", decide: ({ tool }) => noted(log, `steer ${tool}`, undefined) }],
            onResult: () => {
              log.push("result");
            },
          },
        ],
        onEvent: ({ type }) => {
          if (type === "turn:started") log.push("model");
        },
      });
      expect(log.slice(0, 6)).toEqual(["route 1", "model", "rewrite", "steer run_query", "tool", "result"]);
    }));

  it("steering sees the call as it was rewritten, and so do the tool and the observer", () =>
    run(function* () {
      const seen: unknown[] = [];
      const query = instant("run_query");
      yield* playLife({
        model: once("run_query", { q: "SELECT" }),
        tools: [query],
        hooks: [
          {
            rewrite: ({ call }) =>
              call.tool === "run_query"
                ? { type: "rewrite", args: { q: "SELECT WHERE" }, mode: "replace" }
                : undefined,
            beforeDispatch: [
              sqlGuard,
              { name: "seen", tools: ["run_query"], decide: ({ args }) => noted(seen, args.q, undefined) },
            ],
            onResult: ({ call, result }) => {
              seen.push(call.args.q, result);
            },
          },
        ],
      });
      expect(query.asked).toEqual(["SELECT WHERE"]);
      expect(seen).toEqual(["SELECT WHERE", "SELECT WHERE", { answer: "SELECT WHERE" }]);
    }));

  it("a rewrite changes the name as well as the arguments", () =>
    run(function* () {
      const [dev, prod] = [instant("query_dev"), instant("query_prod")];
      const model = once("query_prod", { q: "x" });
      yield* playLife({
        model,
        tools: [dev, prod],
        hooks: [
          {
            rewrite: ({ call }) =>
              call.tool === "query_prod"
                ? { type: "rewrite", tool: "query_dev", args: { q: "safe" }, mode: "replace" }
                : undefined,
          },
        ],
      });
      expect([dev.asked, prod.asked]).toEqual([["safe"], []]);
      // the model reads the answer to the call it made
      expect(shownIn(model, 2)).toMatchObject([{ tool: "query_prod", value: { answer: "safe" } }]);
    }));

  it("an observer sees what each tool returned, and nothing it does changes it", () =>
    run(function* () {
      const seen: unknown[] = [];
      const model = playing(asks(["run_query", { q: "a" }], ["run_query", { q: "b" }]), report());
      yield* playLife({
        model,
        tools: [instant("run_query")],
        hooks: [
          {
            onResult: ({ result }) => {
              seen.push({ ...(result as object) });
              (result as { answer: string }).answer = "tampered";
              return { type: "fail" } as never;
            },
          },
        ],
      });
      expect(seen).toEqual([{ answer: "a" }, { answer: "b" }]);
      expect(shownIn(model, 2).map(({ value }) => value)).toEqual([{ answer: "a" }, { answer: "b" }]);
    }));
});

describe("the contract", () => {
  for (const [what, answer] of [
    ["nothing", undefined],
    ["null", null],
    ["a bare proceed", { type: "proceed" }],
  ] as const)
    it(`${what} runs the tool as usual`, () =>
      run(function* () {
        const query = instant("run_query");
        const model = once("run_query", { q: "a WHERE b" });
        const { result } = yield* playLife({
          model,
          tools: [query],
          ...harness({ name: "g", decide: () => answer }),
        });
        expect(query.asked).toEqual(["a WHERE b"]);
        expect(shownIn(model, 2)).toMatchObject([{ type: "json", value: { answer: "a WHERE b" } }]);
        expect(result.agents[0]).toMatchObject({ toolCallCount: 1, attendedCount: 1, refusals: [] });
      }));

  it("steering doesn't run the tool: the model reads feedback as an error, and corrects itself", () =>
    run(function* () {
      const query = instant("run_query");
      const model = scripted(() => [
        ask("run_query", { q: "DELETE" }),
        ({ messages }) =>
          ask("run_query", {
            q: shown(messages).at(-1)?.type === "error-text" ? "DELETE WHERE id = 1" : "DELETE",
          }),
        report(),
      ]);
      const { result, events } = yield* playLife({ model, tools: [query], ...harness(sqlGuard) });
      expect(query.asked).toEqual(["DELETE WHERE id = 1"]);
      expect(shownIn(model, 2)).toMatchObject([
        { type: "error-text", value: "Add a WHERE clause before running this query." },
      ]);
      expect(result.agents[0]).toMatchObject({
        exit: "returned",
        toolCallCount: 1,
        attendedCount: 1,
        refusals: [{ tool: "run_query", guard: "sqlGuard" }],
      });
      expect(ofType(events, "call:refused")).toMatchObject([{ guard: "sqlGuard" }]);
    }));

  it("cancelling doesn't run the tool: the model reads an ordinary result, and moves on", () =>
    run(function* () {
      const query = instant("run_query");
      const model = once("run_query");
      const { result, events } = yield* playLife({
        model,
        tools: [query],
        ...harness({
          name: "g",
          tools: ["run_query"],
          decide: () => cancel("Queries are closed on Sundays."),
        }),
      });
      expect(query.asked).toEqual([]);
      expect(shownIn(model, 2)).toMatchObject([{ type: "text", value: "Queries are closed on Sundays." }]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 0, attendedCount: 0 });
      expect(ofType(events, "call:cancelled")).toMatchObject([
        { guard: "g", message: "Queries are closed on Sundays." },
      ]);
      expect(ofType(events, "call:refused")).toEqual([]);
    }));

  it("a skip is an error by default: a predicate's message steers", () =>
    run(function* () {
      const model = once("run_query");
      yield* playLife({
        model,
        tools: [instant("run_query")],
        ...harness({ name: "g", tools: ["run_query"], reject: () => true, message: "Not so." }),
      });
      expect(shownIn(model, 2)).toMatchObject([{ type: "error-text", value: "Not so." }]);
    }));

  for (const [what, answer] of [
    ["without content", { type: "refuse" }],
    ["with empty content", { type: "refuse", message: "" }],
    ["whose content is no text", { type: "cancel", message: 7 }],
    ["of no known type", { type: "skip", content: "no", is_error: true }],
  ] as const) {
    const decide = (() => answer) as never;
    it(`a skip ${what} refuses the call: a broken guard is no permission`, () =>
      run(function* () {
        const query = instant("run_query");
        const { result, events } = yield* playLife({
          model: once("run_query"),
          tools: [query],
          ...harness({ name: "g", tools: ["run_query"], decide }),
        });
        expect(query.asked).toEqual([]);
        expect(result.agents[0]!.refusals).toMatchObject([{ guard: "hook_error" }]);
        expect(ofType(events, "hook:error")).toMatchObject([{ hook: "g", verdict: "refused" }]);
      }));

    it(`with onError "proceed" a skip ${what} is dropped with a warning, and the tool runs`, () =>
      run(function* () {
        const query = instant("run_query");
        const { result, events } = yield* playLife({
          model: once("run_query"),
          tools: [query],
          ...harness({ name: "g", tools: ["run_query"], onError: "proceed", decide }),
        });
        expect(query.asked).toEqual(["x"]);
        expect(result.agents[0]!.refusals).toEqual([]);
        expect(ofType(events, "hook:error")).toMatchObject([{ hook: "g", verdict: "skipped" }]);
      }));
  }
});

describe("the veto chain", () => {
  const naming = (log: string[], name: string, answer?: unknown): ToolGuard => ({
    name,
    tools: ["run_query"],
    decide: () => noted(log, name, answer) as never,
  });

  it("is asked in the order of registration, each in its turn, while all defer", () =>
    run(function* () {
      const log: string[] = [];
      yield* playLife({
        model: once("run_query"),
        tools: [instant("run_query")],
        ...harness(naming(log, "first"), naming(log, "second"), naming(log, "third")),
      });
      expect(log).toEqual(["first", "second", "third"]);
    }));

  for (const [kind, answer] of [
    ["steers", refuse("no")],
    ["cancels", cancel("no")],
  ] as const)
    it(`ends with the first who ${kind}: nobody after it is asked`, () =>
      run(function* () {
        const log: string[] = [];
        const { events } = yield* playLife({
          model: once("run_query"),
          tools: [instant("run_query")],
          ...harness(
            naming(log, "first"),
            naming(log, "second", answer),
            naming(log, "third", refuse("later")),
          ),
        });
        expect(log).toEqual(["first", "second"]);
        expect(
          events.filter(({ type }) => type === "call:refused" || type === "call:cancelled"),
        ).toMatchObject([{ guard: "second", message: "no" }]);
      }));

  it("goes on after a guard that raises and was told to proceed, and a later veto holds", () =>
    run(function* () {
      const log: string[] = [];
      const query = instant("run_query");
      const raising: ToolGuard = {
        name: "raising",
        tools: ["run_query"],
        onError: "proceed",
        decide: () => {
          throw new RangeError("a secret");
        },
      };
      const { events } = yield* playLife({
        model: once("run_query"),
        tools: [query],
        ...harness(raising, naming(log, "second", refuse("no"))),
      });
      expect(log).toEqual(["second"]);
      expect(query.asked).toEqual([]);
      expect(ofType(events, "hook:error")).toMatchObject([
        { hook: "raising", error: "RangeError", verdict: "skipped" },
      ]);
    }));

  it("one that raises refuses by default, and nobody after it is asked", () =>
    run(function* () {
      const log: string[] = [];
      const query = instant("run_query");
      const { result } = yield* playLife({
        model: once("run_query"),
        tools: [query],
        ...harness(
          {
            name: "raising",
            tools: ["run_query"],
            decide: () => {
              throw new RangeError("a secret");
            },
          },
          naming(log, "second"),
        ),
      });
      expect(query.asked).toEqual([]);
      expect(log).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "hook_error" }]);
    }));
});

describe("in a turn of several calls", () => {
  it("each is judged alone: one is vetoed and the others run, all answered in the order they were emitted", () =>
    run(function* () {
      const query = instant("run_query");
      const model = playing(
        asks(
          ["run_query", { q: "1 WHERE" }],
          ["run_query", { q: "2" }],
          ["run_query", { q: "3 WHERE" }],
          ["run_query", { q: "4" }],
        ),
        report(),
      );
      const { result, events } = yield* playLife({ model, tools: [query], ...harness(sqlGuard) });
      expect(query.asked).toEqual(["1 WHERE", "3 WHERE"]);
      expect(shownIn(model, 2).map(({ id, type }) => [id, type])).toEqual([
        ["call_1", "json"],
        ["call_2", "error-text"],
        ["call_3", "json"],
        ["call_4", "error-text"],
      ]);
      expect(
        callsIn(events)
          .filter((what) => what.startsWith("admitted"))
          .slice(0, 4),
      ).toEqual([0, 1, 2, 3].map((index) => `admitted agent/0:1#${index}`));
      expect(result.agents[0]).toMatchObject({ toolCallCount: 2, attendedCount: 2 });
      expect(result.agents[0]!.refusals).toHaveLength(2);
    }));

  it("every call may be vetoed: the turn goes back to the model with nothing but answers", () =>
    run(function* () {
      const query = instant("run_query");
      const model = playing(asks(["run_query", { q: "1" }], ["run_query", { q: "2" }]), report());
      const { result } = yield* playLife({ model, tools: [query], ...harness(sqlGuard) });
      expect(query.asked).toEqual([]);
      expect(shownIn(model, 2).map(({ type }) => type)).toEqual(["error-text", "error-text"]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 0 });
    }));

  it("a guard that breaks on one call takes no other down", () =>
    run(function* () {
      const query = instant("run_query");
      const model = playing(asks(["run_query", { q: "a" }], ["run_query", { q: "b" }]), report());
      yield* playLife({
        model,
        tools: [query],
        ...harness({
          name: "g",
          tools: ["run_query"],
          decide: async ({ args }) => {
            if (args.q === "a") throw new Error("a secret");
          },
        }),
      });
      expect(query.asked).toEqual(["b"]);
      expect(shownIn(model, 2).map(({ type }) => type)).toEqual(["error-text", "json"]);
    }));
});

describe("steering fires from every entry point", () => {
  const steered = (): AgentPoolOptions & { readonly query: ReturnType<typeof instant> } => {
    const query = instant("run_query");
    return {
      query,
      model: playing(ask("run_query", { q: "DELETE" }), report()),
      tools: [query],
      terminal: reportTool,
      orchestrate: parallel(["look"]),
      ...harness(sqlGuard),
    };
  };
  const refused = [{ tool: "run_query", guard: "sqlGuard" }];

  it("agentPool", () =>
    run(function* () {
      const { query, ...options } = steered();
      const { agents } = yield* agentPool(options);
      expect(agents[0]!.refusals).toMatchObject(refused);
      expect(query.asked).toEqual([]);
    }));

  it("useAgentPool, its events read as a stream", () =>
    run(function* () {
      const { query, ...options } = steered();
      const { events } = yield* useAgentPool(options);
      const seen: PoolEvent[] = [];
      for (const event of yield* each(events)) {
        seen.push(event);
        yield* each.next();
      }
      expect(ofType(seen, "call:refused")).toMatchObject(refused);
      expect(query.asked).toEqual([]);
    }));

  it("runPool, awaited", async () => {
    const { query, ...options } = steered();
    const { agents } = await runPool(options);
    expect(agents[0]!.refusals).toMatchObject(refused);
    expect(query.asked).toEqual([]);
  });

  it("runPool, iterated over", async () => {
    const { query, ...options } = steered();
    const seen: PoolEvent[] = [];
    for await (const event of runPool(options)) seen.push(event);
    expect(ofType(seen, "call:refused")).toMatchObject(refused);
    expect(query.asked).toEqual([]);
  });

  for (const how of ["an operation", "a promise"] as const)
    it(`a pool nested by a tool that is ${how}`, () =>
      run(function* () {
        const query = instant("run_query");
        const nested: Pick<AgentPoolOptions, "orchestrate"> = { orchestrate: parallel(["nested"]) };
        const model = casting({
          "agent/0": [ask("delegate"), report()],
          nested: [ask("run_query", { q: "DELETE" }), report("nothing deleted")],
        });
        const { events } = yield* playLife({
          model,
          tools: [
            query,
            instant("delegate", {
              execute:
                how === "an operation"
                  ? function* () {
                      return (yield* agentPool(nested)).agents.length;
                    }
                  : async (_, ctx) => (await runPool({ ...nested, parent: ctx })).agents.length,
            }),
          ],
          ...harness(sqlGuard),
        });
        expect(query.asked).toEqual([]);
        expect(ofType(events, "call:refused")).toMatchObject([
          { agent: "agent/0:1#0~0/0", tool: "run_query", guard: "sqlGuard" },
        ]);
        expect(lastShown(model, "agent/0:1#0~0/0")).toMatchObject([{ type: "error-text" }]);
      }));

  it("a pool that an orchestrator opens", () =>
    run(function* () {
      const query = instant("run_query");
      const { events } = yield* playLife({
        model: playing(ask("run_query", { q: "DELETE" }), report()),
        tools: [query],
        ...harness(sqlGuard),
        *orchestrate() {
          yield* agentPool({ key: "inner", orchestrate: parallel(["look"]) });
        },
      });
      expect(query.asked).toEqual([]);
      expect(ofType(events, "call:refused")).toMatchObject([{ agent: "inner/0", guard: "sqlGuard" }]);
    }));
});
