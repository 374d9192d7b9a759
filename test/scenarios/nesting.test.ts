import {
  type AgentPoolOptions,
  agentPool,
  ConfigurationError,
  dedup,
  defineTool,
  delegate,
  parallel,
  reportTool,
  runPool,
  type Tool,
  type ToolContext,
  ToolRetryError,
  useAgentPool,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { all, type Operation, run, suspend } from "effection";
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
  ofType,
  open,
  play,
  playing,
  quiet,
  report,
  shown,
  textOf,
  thrownBy,
  unanswered,
} from "./support.ts";

/** A tool that opens pools with these options, one after another, and answers with their agents' results. */
const opening = (...pools: AgentPoolOptions[]): Tool =>
  instant("work", {
    *execute() {
      const found: unknown[] = [];
      for (const options of pools) found.push((yield* agentPool(options)).agents.map(({ result }) => result));
      return found;
    },
  });

describe("a pool inside a call", () => {
  it("has keys that name the call, its attempt, and its place among the call's pools", () =>
    run(function* () {
      const { events } = yield* play({
        model: scripted(({ task }) =>
          task === "boss" ? [asks(["work"], ["work"]), report()] : [report(task)],
        ),
        tools: [opening({ orchestrate: parallel(["a", "b"]) }, { orchestrate: parallel(["c"]) })],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(
        ofType(events, "agent:spawned")
          .map(({ agent }) => agent)
          .sort(),
      ).toEqual([
        "agent/0",
        "agent/0:1#0~0.1/0",
        "agent/0:1#0~0/0",
        "agent/0:1#0~0/1",
        "agent/0:1#1~0.1/0",
        "agent/0:1#1~0/0",
        "agent/0:1#1~0/1",
      ]);
    }));

  it("has other keys in the call's next attempt, whose id stays", () =>
    run(function* () {
      const ids: string[] = [];
      const { events } = yield* play({
        model: scripted(({ task }) => (task === "boss" ? [ask("work"), report()] : [report(task)])),
        tools: [
          instant("work", {
            *execute(_args, { attempt, id }) {
              ids.push(id);
              yield* agentPool({ orchestrate: parallel(["help"]) });
              if (attempt === 0) throw new ToolRetryError("429", 5);
              return "done";
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(ids).toEqual(["agent/0:1#0", "agent/0:1#0"]);
      expect(ofType(events, "agent:spawned").map(({ agent }) => agent)).toEqual([
        "agent/0",
        "agent/0:1#0~0/0",
        "agent/0:1#0~1/0",
      ]);
    }));

  it("starts from its caller's conversation as it stood before the open step", () =>
    run(function* () {
      const model = scripted(({ task }) =>
        task === "boss"
          ? [ask("search", { q: "before" }), asks(["search", { q: "beside" }], ["work"]), report()]
          : [report("helped")],
      );
      const { result, events } = yield* play({
        model,
        system: "Be brief.",
        tools: [instant("search"), opening({ orchestrate: parallel(["help"]) })],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      const helper = model.requests.find(({ task }) => task === "help")!;
      expect(textOf(helper.messages)).toMatch(/Be brief\..*boss.*before.*help/);
      expect(shown(helper.messages).map(({ value }) => value)).toEqual([{ answer: "before" }]);
      expect(unanswered(helper.messages)).toEqual([]);
      expect(ofType(events, "agent:spawned")[1]).toMatchObject({ parent: "agent/0", depth: 1 });
      expect(result.agents).toHaveLength(1);
    }));

  it("leaves its caller's conversation as it is", () =>
    run(function* () {
      const model = scripted(({ task }) =>
        task === "boss" ? [ask("work"), report()] : [ask("search", { q: "theirs" }), report("helped")],
      );
      yield* play({
        model,
        tools: [instant("search"), opening({ orchestrate: parallel(["help"]) })],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(lastShown(model, "agent/0").map(({ tool, value }) => [tool, value])).toEqual([
        ["work", [["helped"]]],
      ]);
      expect(textOf(model.requestsOf("agent/0")[1]!.messages)).not.toContain("theirs");
    }));

  it("has its caller's reads of before the open step, not those of its siblings in the step", () =>
    run(function* () {
      const search = instant("search", { hooks: { beforeDispatch: [dedup("once", ({ q }) => q)] } });
      yield* play({
        model: scripted(({ task }) =>
          task === "boss"
            ? [ask("search", { q: "before" }), asks(["search", { q: "beside" }], ["work"]), report()]
            : [asks(["search", { q: "before" }], ["search", { q: "beside" }]), report("helped")],
        ),
        tools: [search, opening({ orchestrate: parallel(["help"]) })],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(search.asked).toEqual(["before", "beside", "beside"]);
    }));

  it("gives its caller no reads: what helpers read the caller has not", () =>
    run(function* () {
      const search = instant("search", { hooks: { beforeDispatch: [dedup("once", ({ q }) => q)] } });
      const { result } = yield* play({
        model: scripted(({ task }) =>
          task === "boss"
            ? [ask("work"), ask("search", { q: "x" }), report()]
            : [ask("search", { q: "x" }), report()],
        ),
        tools: [search, opening({ orchestrate: parallel(["help"]) })],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(search.asked).toEqual(["x", "x"]);
      expect(result.agents[0]).toMatchObject({ attendedCount: 2, refusals: [] });
    }));

  // must hold: who was never shown a result has not read it: with a conversation of its own a helper may read it
  it("with a conversation of its own has not read what it was not shown", () =>
    run(function* () {
      const search = instant("search", { hooks: { beforeDispatch: [dedup("once", ({ q }) => q)] } });
      const model = scripted(({ task }) =>
        task === "boss"
          ? [ask("search", { q: "x" }), ask("work"), report()]
          : [ask("search", { q: "x" }), report("helped")],
      );
      yield* play({
        model,
        tools: [search, opening({ system: "You know nothing.", orchestrate: parallel(["help"]) })],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      const helper = model.requests.filter(({ task }) => task === "help");
      expect(textOf(helper[0]!.messages)).not.toContain("answer");
      expect(search.asked).toEqual(["x", "x"]);
    }));

  it("may have instructions, tools, a terminal tool and a model of its own", () =>
    run(function* () {
      const [inner, other] = [playing(ask("look"), ask("finish", { said: "it" })), instant("look")];
      const { result } = yield* play({
        model: playing(ask("work"), report()),
        system: "You are the boss.",
        tools: [
          opening({
            model: inner,
            system: "You are a helper.",
            tools: [other],
            terminal: defineTool({
              name: "finish",
              description: "Ends.",
              parameters: z.object({ said: z.string() }),
              execute: ({ said }) => said,
            }),
            orchestrate: parallel(["help"]),
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(other.asked).toEqual([""]);
      expect(textOf(inner.requests[0]!.messages)).toMatch(/You are a helper\./);
      expect(textOf(inner.requests[0]!.messages)).not.toContain("boss");
      expect(inner.requests[0]!.request.tools).toEqual(["look", "finish"]);
      expect(result.agents[0]!.exit).toBe("returned");
    }));

  it("fails its call, not its agent, where its options cannot work", () =>
    run(function* () {
      const model = playing(ask("work"), report("anyway"));
      const { result } = yield* play({
        model,
        tools: [opening({ orchestrate: parallel(["help"]), guards: { nobody: false } })],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "anyway" });
      expect(lastShown(model, "agent/0")[0]).toMatchObject({
        type: "error-text",
        value: expect.stringContaining("guards.nobody"),
      });
    }));

  it("fails its call, not its agent, where its orchestrator throws", () =>
    run(function* () {
      const model = playing(ask("work"), report("anyway"));
      const { result } = yield* play({
        model,
        tools: [
          opening({
            *orchestrate() {
              throw new Error("no plan");
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(result.agents[0]!.result).toBe("anyway");
      expect(lastShown(model, "agent/0")[0]).toMatchObject({ value: "no plan" });
    }));

  it("of the same key twice is an error that says so", () =>
    run(function* () {
      const model = scripted(({ task }) => (task === "boss" ? [ask("work"), report()] : [report()]));
      yield* play({
        model,
        tools: [
          opening({ key: "k", orchestrate: parallel(["a"]) }, { key: "k", orchestrate: parallel(["b"]) }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(lastShown(model, "agent/0")[0]).toMatchObject({
        value: expect.stringMatching(/"k\/0".*another key/),
      });
    }));

  it("watched through its handle shows the whole run, and its own result", () =>
    run(function* () {
      const seen: string[] = [];
      const { result } = yield* play({
        model: scripted(({ task }) => (task === "boss" ? [ask("work"), report()] : [report("helped")])),
        tools: [
          instant("work", {
            *execute() {
              const pool = yield* useAgentPool({ orchestrate: parallel(["help"]) });
              const events = yield* pool.events;
              let next = yield* events.next();
              for (; !next.done; next = yield* events.next()) seen.push(next.value.type);
              return [next.value?.agents.length, (yield* pool.result).agents[0]!.result];
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(result.agents[0]!.attendedCount).toBe(1);
      expect(seen[0]).toBe("pool:opened");
      expect(seen.at(-1)).toBe("pool:closed");
    }));

  it("may be opened in several tasks of the call at once", () =>
    run(function* () {
      const model = scripted(({ task }) =>
        task === "boss" ? [ask("work"), report()] : [report(`<${task}>`)],
      );
      yield* play({
        model,
        tools: [
          instant("work", {
            *execute() {
              const pools = yield* all(
                ["a", "b", "c"].map((task) => agentPool({ orchestrate: parallel([task]) })),
              );
              return pools.map(({ agents }) => agents[0]!.result);
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(lastShown(model, "agent/0")[0]!.value).toEqual(["<a>", "<b>", "<c>"]);
    }));

  for (const [how, parent] of [
    ["made up", { id: "x" }],
    ["nothing", null],
    ["a copy", "copy"],
  ] as const)
    it(`given a parent that is ${how} is an error that says what is accepted`, () =>
      run(function* () {
        const model = playing(ask("work"), report());
        yield* play({
          model,
          tools: [
            instant("work", {
              *execute(_args, ctx) {
                const given = parent === "copy" ? { ...ctx } : parent;
                return (yield* agentPool({
                  orchestrate: parallel(["help"]),
                  parent: given as unknown as ToolContext,
                })).agents.length;
              },
            }),
          ],
          terminal: reportTool,
          orchestrate: parallel(["boss"]),
        });
        if (parent !== null)
          expect(lastShown(model, "agent/0")[0]).toMatchObject({
            type: "error-text",
            value: expect.stringContaining("parent"),
          });
      }));

  // must hold: a terminal tool's call is a call: pools inside it nest in it
  it("opened by a terminal tool is a pool inside that call", () =>
    run(function* () {
      const closing = defineTool({
        name: "close",
        description: "Ends, once a helper has had a look.",
        parameters: z.object({}),
        *execute() {
          return (yield* agentPool({ terminal: reportTool, orchestrate: parallel(["check"]) })).agents[0]!
            .result;
        },
      });
      const { result, events } = yield* play({
        model: scripted(({ task }) =>
          task === "check" ? [report("checked")] : [ask("close"), ask("close")],
        ),
        tools: [instant("search")],
        terminal: closing,
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["a", "b"]),
      });
      expect(result.agents.map(({ exit, result }) => [exit, result])).toEqual([
        ["returned", "checked"],
        ["returned", "checked"],
      ]);
      expect(ofType(events, "agent:spawned").map(({ agent }) => agent)).toContain("agent/0:1#0~0/0");
    }));

  // must hold: a call that held no permit takes none when its pool is over
  it("opened by a terminal tool that is an async function loses no permit", () =>
    run(function* () {
      const closing = defineTool({
        name: "close",
        description: "Ends, once a helper has had a look.",
        parameters: z.object({}),
        async execute(_args, ctx) {
          const pool = await runPool({ terminal: reportTool, orchestrate: parallel(["check"]), parent: ctx });
          return pool.agents[0]!.result;
        },
      });
      const { result } = yield* play({
        model: scripted(({ task }) =>
          task === "check" ? [ask("search"), report("checked")] : [ask("close"), ask("close")],
        ),
        tools: [instant("search")],
        terminal: closing,
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["a", "b"]),
      });
      expect(result.agents.map(({ result }) => result)).toEqual(["checked", "checked"]);
    }));

  it("opened by a guard or a hook belongs to the run, and leaves no permit held", () =>
    run(function* () {
      let opened = 0;
      const judge = function* (): Operation<undefined> {
        const { agents } = yield* agentPool({
          key: `judge${opened++}`,
          tools: [],
          terminal: reportTool,
          hooks: [],
          orchestrate: parallel(["judge"]),
        });
        expect(agents[0]!.exit).toBe("returned");
        return undefined;
      };
      const { result } = yield* play({
        model: scripted(({ task }) => (task === "judge" ? [report("fine")] : [ask("search"), report()])),
        tools: [
          instant("search", {
            hooks: { beforeDispatch: [{ name: "judged", decide: judge }], afterExecute: judge },
          }),
        ],
        terminal: reportTool,
        budget: { concurrentTools: 1, concurrentGenerations: 1 },
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]!.attendedCount).toBe(1);
      expect(opened).toBeGreaterThanOrEqual(2);
    }));
});

describe("a pool in another pool's orchestrator", () => {
  it("is of the same run, limits and line, at the same depth", () =>
    run(function* () {
      const search = held("search", { hooks: { beforeDispatch: [dedup("once", ({ q }) => q)] } });
      const rig = yield* open({
        model: scripted(() => [ask("search", { q: "x" }), report()]),
        tools: [search],
        terminal: reportTool,
        guards: { once: { scope: "cohort" } },
        budget: { concurrentTools: 1 },
        *orchestrate(pool) {
          const agent = yield* pool.spawn("outer");
          yield* agentPool({ key: "inner", orchestrate: parallel(["inner"]) });
          yield* pool.waitFor(agent);
        },
      });
      expect(search.running).toHaveLength(1);
      expect(rig.handle.inspect()).toMatchObject({ parked: 1 });
      search.running[0]!.succeed();
      yield* finish(rig);
      expect(search.calls).toHaveLength(1);
      expect(ofType(rig.events, "agent:spawned").map(({ depth }) => depth)).toEqual([0, 0]);
      expect(new Set(rig.events.map((event) => event.run)).size).toBe(1);
    }));

  it("ends with the pool around it", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: scripted(() => [ask("search", { q: "x" })]),
        tools: [search],
        terminal: reportTool,
        *orchestrate(pool) {
          const inner = yield* useAgentPool({ key: "inner", orchestrate: parallel(["inner"]) });
          while (search.running.length === 0) yield* quiet;
          void inner;
          void pool;
        },
      });
      yield* finish(rig);
      expect(search.calls[0]!.state).toBe("halted");
      expect(ofType(rig.events, "agent:ended")).toMatchObject([{ result: { exit: "cancelled" } }]);
    }));
});

describe("delegate", () => {
  it("validates its tasks before anybody is asked", () =>
    run(function* () {
      const model = playing(
        asks(["delegate", { tasks: [] }], ["delegate", { tasks: [""] }], ["delegate", {}]),
        report(),
      );
      const { result } = yield* play({
        model,
        tools: [delegate()],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(result.totals.agents).toBe(1);
      expect(result.agents[0]!.refusals.map(({ guard }) => guard)).toEqual(["invalid", "invalid", "invalid"]);
    }));

  it("may be called twice in a step, and again later", () =>
    run(function* () {
      const model = scripted(({ task }) =>
        task === "boss"
          ? [
              asks(["delegate", { tasks: ["a"] }], ["delegate", { tasks: ["b"] }]),
              ask("delegate", { tasks: ["c"] }),
              report(),
            ]
          : [report(`<${task}>`)],
      );
      const { result } = yield* play({
        model,
        tools: [delegate()],
        terminal: reportTool,
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["boss"]),
      });
      expect(result.totals.agents).toBe(4);
      expect(
        lastShown(model, "agent/0").map(({ value }) => (value as { result: string }[])[0]!.result),
      ).toEqual(["<a>", "<b>", "<c>"]);
    }));

  // must hold: a delegate of a pool with a key of its own can be called as often as one without
  it("with a key of its own may be called twice", () =>
    run(function* () {
      const model = scripted(({ task }) =>
        task === "boss"
          ? [ask("delegate", { tasks: ["a"] }), ask("delegate", { tasks: ["b"] }), report()]
          : [report(`<${task}>`)],
      );
      const { result } = yield* play({
        model,
        tools: [delegate({ key: "helper" })],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(result.totals.agents).toBe(3);
    }));

  it("reports each helper's exit honestly", () =>
    run(function* () {
      const model = scripted(({ task }) =>
        task === "boss"
          ? [ask("delegate", { tasks: ["turns", "text"] }), report()]
          : task === "turns"
            ? [ask("search"), report("part")]
            : [{ text: "in words" }],
      );
      yield* play({
        model,
        tools: [instant("search"), delegate({ budget: { maxTurns: 1 } })],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(lastShown(model, "agent/0")[0]!.value).toMatchObject([
        { exit: "max_turns", result: "part" },
        { exit: "text", result: "in words" },
      ]);
    }));
});

describe("useAgentPool", () => {
  it("throws a configuration error where it is opened", () =>
    run(function* () {
      const error = yield* thrownBy(open({ tools: [], orchestrate: parallel(["a"]) } as never));
      expect(error).toBeInstanceOf(ConfigurationError);
    }));

  it("may never be read: the pool goes on", () =>
    run(function* () {
      const search = instant("search");
      yield* useAgentPool({
        model: playing(ask("search", { q: "x" }), report()),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      yield* quiet;
      expect(search.asked).toEqual(["x"]);
    }));

  it("gives its first reader every event from the start, and another those from then on", () =>
    run(function* () {
      const search = held("search");
      const pool = yield* useAgentPool({
        model: casting({ a: [ask("search", { q: "x" }), report()] }),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      yield* quiet;
      const first = yield* pool.events;
      const second = yield* pool.events;
      search.held("x").succeed();
      const read = function* (events: typeof first): Operation<string[]> {
        const types: string[] = [];
        for (let next = yield* events.next(); !next.done; next = yield* events.next())
          types.push(next.value.type);
        return types;
      };
      const [all, late] = [yield* read(first), yield* read(second)];
      expect(all[0]).toBe("pool:opened");
      expect(late[0]).toBe("call:settled");
      expect(all.slice(-late.length)).toEqual(late);
    }));

  it("does not hold up a pool whose reader is slow", () =>
    run(function* () {
      const pool = yield* useAgentPool({
        model: playing(report("done")),
        tools: [],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      const events = yield* pool.events;
      yield* events.next();
      expect((yield* pool.result).agents[0]!.result).toBe("done");
    }));

  it("keeps its error for whoever asks for the result", () =>
    run(function* () {
      const pool = yield* useAgentPool({
        model: playing(report()),
        tools: [],
        *orchestrate() {
          throw new RangeError("bad plan");
        },
      });
      yield* quiet;
      expect(yield* thrownBy(pool.result)).toBeInstanceOf(RangeError);
      expect(yield* thrownBy(pool.result)).toBeInstanceOf(RangeError);
    }));
});

describe("a model's own place", () => {
  it("that cannot be opened fails the pool with its error, and nothing runs", () =>
    run(function* () {
      const error = yield* thrownBy(
        play({
          model: {
            id: "closed",
            *open() {
              throw new RangeError("no such model");
            },
          },
          tools: [],
          orchestrate: parallel(["a"]),
        }),
      );
      expect(error).toBeInstanceOf(RangeError);
    }));

  it("that one task asks for and that cannot be opened fails that agent alone", () =>
    run(function* () {
      const { result, events } = yield* play({
        model: playing(report("fine")),
        tools: [],
        terminal: reportTool,
        orchestrate: parallel([
          "a",
          {
            task: "b",
            model: {
              id: "closed",
              *open() {
                throw new RangeError("no such model");
              },
            },
          },
          "c",
        ]),
      });
      expect(result.agents.map(({ exit }) => exit)).toEqual(["returned", "model_error", "returned"]);
      expect(result.agents[1]!.reason).toBe("no such model");
      expect(ofType(events, "agent:ended")).toHaveLength(3);
    }));

  it("that never opens can be left", () =>
    run(function* () {
      const rig = yield* open({
        model: {
          id: "slow",
          *open() {
            yield* suspend();
            throw new Error("never");
          },
        },
        tools: [],
        orchestrate: parallel(["a"]),
      });
      expect(rig.outcome).toEqual({});
    }));
});
