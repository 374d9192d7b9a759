import {
  agentPool,
  ConfigurationError,
  chain,
  dag,
  dedup,
  defineTool,
  fanout,
  type Model,
  type Orchestrator,
  type PoolContext,
  parallel,
  reportTool,
  runPool,
  type Session,
  taskAndResult,
  useAgent,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { all, ensure, type Operation, resource, run, scoped, spawn, suspend } from "effection";
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
  report,
  shown,
  textOf,
  thrownBy,
} from "./support.ts";

const basics = () => ({ tools: [instant("search")], terminal: reportTool });

describe("an agent's exit", () => {
  it("is returned with the terminal tool's result, and the report holds its arguments", () =>
    run(function* () {
      const args = { result: "found", sources: ["a.md"] };
      const { result, events } = yield* play({
        ...basics(),
        model: playing(ask("report", args)),
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]).toMatchObject({
        exit: "returned",
        result: "found",
        report: args,
        reason: undefined,
        turns: 1,
      });
      expect(ofType(events, "agent:returned")).toMatchObject([{ exit: "returned", result: "found" }]);
    }));

  it("is text where it answers in words, with or without a terminal tool", () =>
    run(function* () {
      for (const more of [basics(), { tools: [instant("search")] }, { tools: [] }]) {
        const { result } = yield* play({
          ...more,
          model: playing({ text: "in words" }),
          orchestrate: parallel(["x"]),
        });
        expect(result.agents[0]).toMatchObject({ exit: "text", result: "in words", report: undefined });
      }
    }));

  it("is max_turns at its limit, with one generation more for a report", () =>
    run(function* () {
      const model = scripted(
        () =>
          ({ request }) =>
            typeof request.toolChoice === "object" ? report("what I have") : ask("search"),
      );
      const { result, events } = yield* play({
        ...basics(),
        model,
        budget: { maxTurns: 3 },
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]).toMatchObject({
        exit: "max_turns",
        result: "what I have",
        turns: 3,
        toolCallCount: 3,
      });
      expect(model.requests).toHaveLength(4);
      expect(model.requests[3]!.request).toMatchObject({ tools: ["report"], toolChoice: { tool: "report" } });
      expect(ofType(events, "turn:started").map(({ turn, forced }) => [turn, forced])).toEqual([
        [1, false],
        [2, false],
        [3, false],
        [4, true],
      ]);
    }));

  it("is max_turns without a report where recovery is none", () =>
    run(function* () {
      const model = scripted(() => () => ask("search"));
      const { result } = yield* play({
        ...basics(),
        model,
        recovery: "none",
        budget: { maxTurns: 2 },
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "max_turns", result: undefined, report: undefined });
      expect(model.requests).toHaveLength(2);
    }));

  it("keeps a forced report in words where there is no terminal tool", () =>
    run(function* () {
      const model = scripted(
        () =>
          ({ request }) =>
            request.toolChoice === "none" ? { text: "in short" } : ask("search"),
      );
      const { result } = yield* play({
        tools: [instant("search")],
        model,
        budget: { maxTurns: 1 },
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "max_turns", result: "in short" });
      expect(model.requests[1]!.request.tools).toEqual([]);
    }));

  it("keeps what it says where it answers a forced report in words", () =>
    run(function* () {
      const model: Model = wayward(scripted(() => [ask("search"), { text: "in words" }]));
      const { result } = yield* play({
        ...basics(),
        model,
        budget: { maxTurns: 1 },
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "max_turns", result: "in words" });
    }));

  it("runs no other call of a forced report", () =>
    run(function* () {
      const { tools, terminal } = basics();
      const model: Model = wayward(
        scripted(() => [
          ask("search", { q: "1" }),
          asks(["search", { q: "2" }], ["report", { result: "r" }]),
        ]),
      );
      const { result } = yield* play({
        tools,
        terminal,
        model,
        budget: { maxTurns: 1 },
        orchestrate: parallel(["x"]),
      });
      expect(tools[0]!.asked).toEqual(["1"]);
      expect(result.agents[0]).toMatchObject({ exit: "max_turns", result: "r" });
    }));

  it("runs a protected terminal tool on no path without a grant, a forced report included", () =>
    run(function* () {
      const sent: string[] = [];
      const send = defineTool({
        name: "send",
        description: "Sends it.",
        parameters: z.object({ result: z.string() }),
        protected: true,
        execute: ({ result }) => noted(sent, result, result),
      });
      const { result } = yield* play({
        tools: [instant("search")],
        terminal: send,
        model: playing(ask("send", { result: "now" }), ask("send", { result: "forced" })),
        budget: { maxTurns: 1 },
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "auth_reject" }]);
      expect(sent).toEqual([]);
    }));

  it("is not rejected at a forced report: no hook is asked", () =>
    run(function* () {
      const asked: string[] = [];
      const { result } = yield* play({
        ...basics(),
        model: playing(ask("search"), report("forced")),
        hooks: [{ onReturn: () => noted(asked, "asked", { type: "reject", message: "no" }) }],
        budget: { maxTurns: 1 },
        orchestrate: parallel(["x"]),
      });
      expect(asked).toEqual([]);
      expect(result.agents[0]!.result).toBe("forced");
    }));

  it("is max_calls where a call was refused for the limit", () =>
    run(function* () {
      const { result } = yield* play({
        ...basics(),
        model: playing(ask("search", { q: "a" }), ask("search", { q: "b" }), report("one")),
        budget: { maxToolCalls: 1 },
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]).toMatchObject({
        exit: "max_calls",
        result: "one",
        toolCallCount: 1,
        turns: 2,
      });
    }));

  it("is returned where the report comes with the last call that is allowed", () =>
    run(function* () {
      const { result } = yield* play({
        ...basics(),
        model: playing(asks(["search", { q: "a" }], ["report", { result: "r" }])),
        budget: { maxToolCalls: 1 },
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 1 });
    }));

  it("is context where there is hardly any room for a result, and what did fit is kept", () =>
    run(function* () {
      const model = scripted(
        () => [ask("search", { q: "small" }), ask("search", { q: "big" }), report("small only")],
        { contextWindow: 400 },
      );
      const { result, events } = yield* play({
        model,
        tools: [instant("search", { execute: ({ q }) => (q === "big" ? "x".repeat(10_000) : "fits") })],
        terminal: reportTool,
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]).toMatchObject({
        exit: "context",
        result: "small only",
        attendedCount: 1,
        toolCallCount: 2,
      });
      expect(lastShown(model, "agent/0").map(({ type }) => type)).toEqual(["text", "error-text"]);
      expect(ofType(events, "budget:exhausted")).toMatchObject([{ budget: "context", limit: 400 }]);
    }));

  it("is not context where a part of a result fits: the agent reads that, with a word on what was left out", () =>
    run(function* () {
      const model = scripted(() => [ask("search"), report("a part")], { contextWindow: 2_000 });
      const { result } = yield* play({
        model,
        tools: [instant("search", { execute: () => ({ page: "x".repeat(100_000) }) })],
        terminal: reportTool,
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "a part" });
      const [part] = lastShown(model, "agent/0");
      expect(String(part!.value).length).toBeLessThan(8_000);
      expect(String(part!.value)).toMatch(/Cut to fit/);
    }));

  for (const [what, execute] of [
    [
      "a failing tool's words",
      () => {
        throw new Error("x".repeat(100_000));
      },
    ],
    ["a result that a guard put in its place", () => "never"],
  ] as const)
    it(`is context too where ${what} would not fit`, () =>
      run(function* () {
        const model = scripted(() => [ask("search", { q: "x" }), report("short")], { contextWindow: 1_000 });
        const { result } = yield* play({
          model,
          tools: [
            instant("search", {
              execute,
              hooks:
                execute.length === 0 && execute.toString().includes("never")
                  ? {
                      beforeDispatch: [
                        {
                          name: "cached",
                          decide: () => ({ type: "substitute", result: "x".repeat(100_000) }),
                        },
                      ],
                    }
                  : undefined,
            }),
          ],
          terminal: reportTool,
          orchestrate: parallel(["x"]),
        });
        expect(textOf(model.requests.at(-1)!.messages).length).toBeLessThan(5_000);
        expect(result.agents[0]!.result).toBe("short");
      }));

  it("is invalid_output at the second answer in the wrong form", () =>
    run(function* () {
      const { result } = yield* play({
        ...basics(),
        model: playing(report("one"), report("two")),
        orchestrate: parallel([{ task: "x", output: z.object({ n: z.number() }) }]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "invalid_output", result: undefined, turns: 2 });
      expect(result.agents[0]!.reason).toMatch(/expected object|n/i);
    }));

  it("is model_error where the model fails, with its reason", () =>
    run(function* () {
      const { result } = yield* play({
        ...basics(),
        model: playing(ask("search"), { error: new Error("the model is down") }),
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]).toMatchObject({
        exit: "model_error",
        reason: "the model is down",
        turns: 1,
        toolCallCount: 1,
        result: undefined,
      });
    }));

  it("stays what it was where the forced report fails", () =>
    run(function* () {
      const { result } = yield* play({
        ...basics(),
        model: playing(ask("search"), { error: new Error("the model is down") }),
        budget: { maxTurns: 1 },
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "max_turns", result: undefined });
      expect(result.agents[0]!.reason).toContain("the model is down");
    }));

  it("stays what it was where the forced report fails with no error at all", () =>
    run(function* () {
      const failing = {
        wait: {
          *[Symbol.iterator]() {
            throw null;
          },
        },
      };
      const { result } = yield* play({
        ...basics(),
        model: wayward(playing(ask("search"), failing)),
        budget: { maxTurns: 1 },
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "max_turns", result: undefined });
    }));

  it("is cancelled where it was, with what it did until then on record", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        tools: [search],
        terminal: reportTool,
        model: playing(ask("search", { q: "x" }), report()),
        orchestrate: parallel(["x"]),
      });
      yield* rig.handle.cancel("agent/0");
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({
        exit: "cancelled",
        result: undefined,
        turns: 1,
        toolCallCount: 1,
        attendedCount: 0,
      });
      expect(ofType(rig.events, "agent:ended").map(({ result }) => result.exit)).toEqual(["cancelled"]);
    }));

  it("is returned although its session fails to close", () =>
    run(function* () {
      const inner = playing(report("kept"));
      const model: Model = {
        id: "sloppy",
        *open(prefix) {
          const session = yield* inner.open(prefix);
          return Object.assign(Object.create(session) as Session, {
            append: session.append.bind(session),
            mark: () => session.mark(),
            rewind: session.rewind.bind(session),
            generate: session.generate.bind(session),
            fork: (): Operation<Session> =>
              resource(function* (provide) {
                const forked = yield* session.fork();
                yield* ensure(() => {
                  throw new Error("could not close");
                });
                yield* provide(forked);
              }),
          });
        },
      };
      const { result } = yield* play({ ...basics(), model, orchestrate: parallel(["x"]) });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "kept" });
    }));

  it("goes on after an empty message, and after one that was cut off", () =>
    run(function* () {
      const model = playing({}, { text: "half of", finish: "length" }, report("whole"));
      const { result } = yield* play({ ...basics(), model, orchestrate: parallel(["x"]) });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "whole", turns: 3 });
    }));
});

/** A model that answers what it likes, whatever it is told to. */
function wayward(inner: Model): Model {
  const loose = (session: Session): Session => ({
    get tokens() {
      return session.tokens;
    },
    append: (messages) => session.append(messages),
    mark: () => session.mark(),
    rewind: (to) => session.rewind(to),
    *fork() {
      return loose(yield* session.fork());
    },
    generate: (request) => session.generate({ ...request, toolChoice: undefined }),
  });
  return {
    id: "wayward",
    *open(prefix) {
      return loose(yield* inner.open(prefix));
    },
  };
}

describe("a typed result", () => {
  const output = z.object({ n: z.number(), tags: z.array(z.string()).default([]) });

  it("is the parsed value, from a report or from text, fenced or not", () =>
    run(function* () {
      for (const turn of [report('{"n":1}'), { text: '{"n":1}' }, { text: '```json\n{"n":1}\n```' }]) {
        const { result } = yield* play({
          ...basics(),
          model: playing(turn),
          orchestrate: parallel([{ task: "x", output }]),
        });
        expect(result.agents[0]!.result).toEqual({ n: 1, tags: [] });
      }
    }));

  it("may be corrected once, and the model reads what was wrong", () =>
    run(function* () {
      const model = playing(report('{"n":"one"}'), report('{"n":2}'));
      const { result } = yield* play({ ...basics(), model, orchestrate: parallel([{ task: "x", output }]) });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: { n: 2 } });
      expect(lastShown(model, "agent/0")[0]).toMatchObject({
        type: "error-text",
        value: expect.stringContaining("expected number"),
      });
    }));

  it("is asked for in the task", () =>
    run(function* () {
      const model = playing(report('{"n":1}'));
      yield* play({ ...basics(), model, orchestrate: parallel([{ task: "count them", output }]) });
      expect(textOf(model.requests[0]!.messages)).toMatch(/count them.*JSON that fits this schema/);
    }));

  it("is asked of the model itself where there are no tools", () =>
    run(function* () {
      const model = playing({ text: '{"n":1}' });
      yield* play({ tools: [], model, orchestrate: parallel([{ task: "x", output }]) });
      expect(model.requests[0]!.request.output).toMatchObject({ type: "object" });
    }));

  it("is given by a forced report that fits, and not by one that does not", () =>
    run(function* () {
      for (const [text, expected] of [
        ['{"n":3}', { n: 3, tags: [] }],
        ["three", undefined],
      ] as const) {
        const { result } = yield* play({
          ...basics(),
          model: playing(ask("search"), report(text)),
          budget: { maxTurns: 1 },
          orchestrate: parallel([{ task: "x", output }]),
        });
        expect(result.agents[0]).toMatchObject({ exit: "max_turns", result: expected });
      }
    }));

  it("is what useAgent returns", () =>
    run(function* () {
      const agent = yield* useAgent({ model: playing({ text: '{"n":1}' }), tools: [], task: "x", output });
      expect(agent).toMatchObject({ key: "agent/0", exit: "text", result: { n: 1, tags: [] } });
    }));

  it("of a schema that cannot be shown to a model is a configuration error", () =>
    run(function* () {
      const error = yield* thrownBy(
        play({
          ...basics(),
          model: playing(report("1")),
          orchestrate: parallel([{ task: "x", output: z.date() }]),
        }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
    }));
});

describe("orchestrators", () => {
  it("parallel starts all at once", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        tools: [search],
        terminal: reportTool,
        model: scripted(({ task }) => [ask("search", { q: task }), report(task)]),
        orchestrate: parallel(["a", "b", "c"]),
      });
      expect(search.running.map(({ q }) => q)).toEqual(["a", "b", "c"]);
      for (const call of search.running) call.succeed();
      expect((yield* finish(rig)).agents.map(({ result }) => result)).toEqual(["a", "b", "c"]);
    }));

  it("parallel of nothing is nothing", () =>
    run(function* () {
      const { result } = yield* play({ ...basics(), model: playing(), orchestrate: parallel([]) });
      expect(result).toMatchObject({ agents: [], totals: { agents: 0, turns: 0 } });
    }));

  it("chain starts each with what those before it reported", () =>
    run(function* () {
      const model = scripted(({ task }) => [report(`<${task}>`)]);
      const { result, events } = yield* play({ ...basics(), model, orchestrate: chain(["a", "b", "c"]) });
      expect(result.agents.map(({ result }) => result)).toEqual(["<a>", "<b>", "<c>"]);
      const texts = model.requests.map(({ messages }) => textOf(messages));
      expect(texts.map((text) => ["<a>", "<b>"].filter((part) => text.includes(part)))).toEqual([
        [],
        ["<a>"],
        ["<a>", "<b>"],
      ]);
      expect(ofType(events, "spine:extended")).toHaveLength(3);
    }));

  it("chain goes on after an agent that left nothing, adding nothing of it", () =>
    run(function* () {
      const model = casting({ a: [{ error: new Error("down") }], b: [report("b")] });
      const { result, events } = yield* play({ ...basics(), model, orchestrate: chain(["a", "b"]) });
      expect(result.agents.map(({ exit }) => exit)).toEqual(["model_error", "returned"]);
      expect(ofType(events, "spine:extended")).toHaveLength(1);
    }));

  // must hold: whatever an agent ends with, the pool goes on
  for (const value of [10n, () => 1, Symbol("s")])
    it(`chain goes on after a result that is no JSON: ${typeof value}`, () =>
      run(function* () {
        const odd = defineTool({
          name: "odd",
          description: "Ends.",
          parameters: z.object({}),
          execute: () => value,
        });
        const model = scripted(() => [ask("odd")]);
        const { result } = yield* play({ tools: [], terminal: odd, model, orchestrate: chain(["a", "b"]) });
        expect(result.agents).toHaveLength(2);
        for (const { messages } of model.requests)
          for (const { content } of messages)
            if (typeof content !== "string")
              for (const part of content) if (part.type === "text") expect(typeof part.text).toBe("string");
      }));

  it("fanout runs one, then the others at once with what it reported", () =>
    run(function* () {
      const model = scripted(({ task }) => [report(`<${task}>`)]);
      yield* play({ ...basics(), model, orchestrate: fanout("plan", ["a", "b"]) });
      const [, a, b] = model.requests.map(({ messages }) => textOf(messages));
      for (const text of [a, b]) expect(text).toContain("<plan>");
      expect(b).not.toContain("<a>");
    }));

  it("dag runs each node as soon as those it depends on are over, and keys agents by its ids", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        tools: [search],
        terminal: reportTool,
        model: scripted(({ key }) => [ask("search", { q: key }), report(`<${key}>`)]),
        orchestrate: dag([
          { id: "end", task: (results) => `end after ${[...results.keys()]}`, dependsOn: ["left", "right"] },
          { id: "left", task: "left", dependsOn: ["start"] },
          { id: "right", task: { task: "right" } },
          { id: "start", task: "start" },
        ]),
      });
      const running = () => search.running.map(({ q }) => q).sort();
      expect(running()).toEqual(["agent/right", "agent/start"]);
      search.held("agent/start").succeed();
      yield* quiet;
      expect(running()).toEqual(["agent/left", "agent/right"]);
      search.held("agent/right").succeed();
      yield* quiet;
      search.held("agent/left").succeed();
      yield* quiet;
      expect(running()).toEqual(["agent/end"]);
      search.held("agent/end").succeed();
      const { agents } = yield* finish(rig);
      expect(agents.find(({ key }) => key === "agent/end")!.task).toBe("end after left,right");
    }));

  for (const [what, nodes, says] of [
    ["a node that is not there", [{ id: "a", task: "a", dependsOn: ["b"] }], /"a" depends on "b"/],
    [
      "two nodes of one name",
      [
        { id: "a", task: "a" },
        { id: "a", task: "b" },
      ],
      /two nodes.*"a"/,
    ],
    [
      "a circle",
      [
        { id: "a", task: "a", dependsOn: ["b"] },
        { id: "b", task: "b", dependsOn: ["a"] },
      ],
      /a → b → a/,
    ],
    ["a node that depends on itself", [{ id: "a", task: "a", dependsOn: ["a"] }], /a → a/],
  ] as const)
    it(`dag with ${what} is an error that names it`, () => {
      expect(() => dag(nodes)).toThrow(ConfigurationError);
      expect(() => dag(nodes)).toThrow(says);
    });

  it("your own is a generator function over the pool", () =>
    run(function* () {
      const best: Orchestrator = function* (pool) {
        const first = yield* pool.waitFor(yield* pool.spawn("first"));
        if (first.result === "try again")
          yield* pool.waitFor(yield* pool.spawn({ task: "second", key: "again" }));
      };
      const { result } = yield* play({
        ...basics(),
        model: casting({ first: [report("try again")], second: [report("fine")] }),
        orchestrate: best,
        key: "research",
      });
      expect(result.agents.map(({ key, result }) => [key, result])).toEqual([
        ["research/0", "try again"],
        ["research/again", "fine"],
      ]);
    }));

  it("ends the pool when it returns: agents that are still going are cancelled", () =>
    run(function* () {
      const search = held("search");
      const { result } = yield* play({
        tools: [search],
        terminal: reportTool,
        model: casting({ long: [ask("search", { q: "x" })], short: [report("short")] }),
        *orchestrate(pool) {
          yield* pool.spawn("long");
          while (search.running.length === 0) yield* quiet;
          yield* pool.waitFor(yield* pool.spawn("short"));
        },
      });
      expect(result.agents.map(({ exit }) => exit)).toEqual(["cancelled", "returned"]);
      expect(search.calls[0]!.state).toBe("halted");
    }));

  it("fails the pool when it throws: everything it started has ended, and the error is the caller's", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        tools: [search],
        terminal: reportTool,
        model: playing(ask("search", { q: "x" })),
        *orchestrate(pool) {
          yield* pool.spawn("x");
          yield* quiet;
          throw new RangeError("bad plan");
        },
      });
      for (let turn = 0; turn < 3; turn++) yield* quiet;
      expect(rig.outcome.error).toBeInstanceOf(RangeError);
      expect(search.calls[0]!.state).toBe("halted");
      expect(ofType(rig.events, "agent:ended")).toHaveLength(1);
      expect(ofType(rig.events, "pool:closed")).toMatchObject([{ result: undefined }]);
      expect(rig.clock.pending).toBe(0);
    }));

  it("may end an agent by ending the scope it spawned it in", () =>
    run(function* () {
      const search = held("search");
      const { result } = yield* play({
        tools: [search],
        terminal: reportTool,
        model: casting({ long: [ask("search", { q: "x" })], next: [report()] }),
        *orchestrate(pool) {
          yield* scoped(function* () {
            yield* pool.spawn({ task: "long", key: "long" });
            while (search.running.length === 0) yield* quiet;
          });
          yield* pool.waitFor(yield* pool.spawn("next"));
        },
      });
      expect(result.agents.map(({ exit }) => exit)).toEqual(["cancelled", "returned"]);
    }));
});

describe("keys", () => {
  it("are the place in the orchestration: an index, or the task's own", () =>
    run(function* () {
      const { result } = yield* play({
        ...basics(),
        model: playing(report()),
        orchestrate: parallel(["a", { task: "b", key: "bee" }, "c"]),
      });
      expect(result.agents.map(({ key }) => key)).toEqual(["agent/0", "agent/bee", "agent/2"]);
    }));

  it("used twice are an error that names the key", () =>
    run(function* () {
      const error = yield* thrownBy(
        play({
          ...basics(),
          model: playing(report()),
          orchestrate: parallel([
            { task: "a", key: "k" },
            { task: "b", key: "k" },
          ]),
        }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toContain('"agent/k"');
    }));

  it("are needed in branches that run side by side", () =>
    run(function* () {
      const error = yield* thrownBy(
        play({
          ...basics(),
          model: playing(report()),
          *orchestrate(pool) {
            yield* all([pool.spawn("left"), pool.spawn("right")]);
          },
        }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/"left" needs a key/);
    }));

  it("let branches that run side by side spawn", () =>
    run(function* () {
      const { result } = yield* play({
        ...basics(),
        model: playing(report()),
        *orchestrate(pool) {
          const branch = (key: string) =>
            spawn(function* () {
              yield* pool.waitFor(yield* pool.spawn({ task: key, key }));
            });
          const [left, right] = [yield* branch("left"), yield* branch("right")];
          yield* left;
          yield* right;
        },
      });
      expect(result.agents.map(({ key, exit }) => [key, exit])).toEqual([
        ["agent/left", "returned"],
        ["agent/right", "returned"],
      ]);
    }));

  it("of pools side by side in an orchestrator need to differ, and the error says so", () =>
    run(function* () {
      const two = (second?: string) =>
        play({
          ...basics(),
          model: playing(report()),
          *orchestrate() {
            yield* agentPool({ key: "one", orchestrate: parallel(["a"]) });
            yield* agentPool({ key: second ?? "one", orchestrate: parallel(["a"]) });
          },
        });
      expect(String(yield* thrownBy(two()))).toMatch(/"one\/0".*another key/);
      expect((yield* two("two")).result.totals.agents).toBe(2);
    }));

  for (const key of ["__proto__", "constructor", "toString", "a/b", " "])
    it(`may be any text: ${JSON.stringify(key)}`, () =>
      run(function* () {
        const rig = yield* play({
          ...basics(),
          model: playing(report()),
          orchestrate: parallel([{ task: "a", key }]),
        });
        expect(rig.result.agents[0]!.key).toBe(`agent/${key}`);
        expect(yield* rig.handle.cancel(`agent/${key}`)).toBe(false);
      }));
});

describe("a task", () => {
  it("may have instructions of its own, beside the pool's", () =>
    run(function* () {
      const model = playing(report());
      yield* play({
        ...basics(),
        model,
        system: "Be brief.",
        orchestrate: parallel([{ task: "a", system: "In verse." }, "b"]),
      });
      const [a, b] = model.requests.map(({ messages }) => textOf(messages));
      expect(a).toMatch(/Be brief\..*In verse\./);
      expect(b).toContain("Be brief.");
      expect(b).not.toContain("In verse.");
    }));

  it("may have some of the pool's tools, and always its terminal tool", () =>
    run(function* () {
      const [search, shell] = [instant("search"), instant("shell")];
      const model = playing(ask("shell"), report());
      const { result } = yield* play({
        tools: [search, shell],
        terminal: reportTool,
        model,
        orchestrate: parallel([{ task: "a", tools: ["search"] }]),
      });
      expect(shell.asked).toEqual([]);
      expect(model.requests[0]!.request.tools).toEqual(["search", "report"]);
      expect(result.agents[0]!.refusals).toMatchObject([{ tool: "shell", guard: "invalid" }]);
    }));

  it("with a tool the pool does not have is an error that names the nearest", () =>
    run(function* () {
      const error = yield* thrownBy(
        play({
          ...basics(),
          model: playing(report()),
          orchestrate: parallel([{ task: "a", tools: ["serch"] }]),
        }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/"agent\/0".*"serch".*did you mean "search"/);
    }));

  it("may run on another model, in a conversation of its own that starts with what the spine was extended with", () =>
    run(function* () {
      const [here, there] = [playing(report("plan")), playing(report("there"))];
      const { result } = yield* play({
        ...basics(),
        model: here,
        system: "Be brief.",
        orchestrate: chain(["a", { task: "b", model: there }]),
      });
      expect(result.agents.map(({ result }) => result)).toEqual(["plan", "there"]);
      expect(textOf(there.requests[0]!.messages)).toMatch(/Be brief\..*plan.*b/);
    }));

  it("may have a smaller budget", () =>
    run(function* () {
      const { result } = yield* play({
        ...basics(),
        model: scripted(
          () =>
            ({ request }) =>
              typeof request.toolChoice === "object" ? report("r") : ask("search"),
        ),
        budget: { maxTurns: 3 },
        orchestrate: parallel([
          { task: "a", budget: { maxTurns: 1 } },
          { task: "b", budget: { maxToolCalls: 2 } },
          "c",
        ]),
      });
      expect(result.agents.map(({ exit, turns, toolCallCount }) => [exit, turns, toolCallCount])).toEqual([
        ["max_turns", 1, 1],
        ["max_calls", 3, 2],
        ["max_turns", 3, 3],
      ]);
    }));

  // must hold: a limit that is none is an error that says what is accepted, wherever it is written
  for (const budget of [
    { maxTurns: 0 },
    { maxTurns: Number.NaN },
    { maxToolCalls: -1 },
    { maxTurns: "2" as never },
  ])
    it(`with a budget that is none is a configuration error: ${JSON.stringify(budget)}`, () =>
      run(function* () {
        const error = yield* thrownBy(
          play({
            ...basics(),
            model: scripted(() => [ask("search"), ask("search"), ask("search"), report()]),
            orchestrate: parallel([{ task: "a", budget }]),
          }),
        );
        expect(error).toBeInstanceOf(ConfigurationError);
      }));

  for (const task of ["", "  ", undefined, 7, null, {}])
    it(`that is no text is an error: ${JSON.stringify(task)}`, () =>
      run(function* () {
        const error = yield* thrownBy(
          play({ ...basics(), model: playing(report()), orchestrate: parallel([{ task: task as string }]) }),
        );
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(String(error)).toContain("task");
      }));

  it("may fork from another agent: its conversation, its reads and its key as the parent", () =>
    run(function* () {
      const search = instant("search", { hooks: { beforeDispatch: [dedup("once", ({ q }) => q)] } });
      const model = casting({
        first: [ask("search", { q: "x" }), report("1")],
        second: [ask("search", { q: "x" }), report("2")],
      });
      const { result, events } = yield* play({
        tools: [search],
        terminal: reportTool,
        model,
        *orchestrate(pool) {
          const first = yield* pool.spawn({ task: "first", key: "first" });
          yield* pool.waitFor(first);
          yield* pool.waitFor(yield* pool.spawn({ task: "second", key: "second", parent: first }));
        },
      });
      expect(result.agents[1]).toMatchObject({ parent: "agent/first", toolCallCount: 0 });
      expect(search.asked).toEqual(["x"]);
      expect(shown(model.requestsOf("agent/second")[0]!.messages).map(({ tool }) => tool)).toEqual([
        "search",
        "report",
      ]);
      expect(ofType(events, "agent:spawned")[1]).toMatchObject({ parent: "agent/first" });
    }));

  it("cannot fork from an agent of another run, nor change the model with a parent", () =>
    run(function* () {
      let stranger: Parameters<PoolContext["waitFor"]>[0] | undefined;
      yield* play({
        ...basics(),
        model: playing(report()),
        *orchestrate(pool) {
          stranger = yield* pool.spawn("x");
          yield* pool.waitFor(stranger);
        },
      });
      const model = playing(report());
      const foreign = yield* thrownBy(
        play({ ...basics(), model, orchestrate: parallel([{ task: "y", parent: stranger! }]) }),
      );
      expect(String(foreign)).toMatch(/parent of "agent\/0" is not an agent of this run/);
      const both = yield* thrownBy(
        play({
          ...basics(),
          model,
          *orchestrate(pool) {
            const first = yield* pool.spawn("x");
            yield* pool.spawn({ task: "y", parent: first, model });
          },
        }),
      );
      expect(String(both)).toMatch(/parent and another model/);
    }));

  // must hold: a session lives as long as somebody may fork from it, whatever the model holds on to
  it("may fork from an agent that is over, also where a session is released with its scope", () =>
    run(function* () {
      const { result } = yield* play({
        ...basics(),
        model: strict(casting({ first: [report("1")], second: [report("2")] })),
        *orchestrate(pool) {
          const first = yield* pool.spawn({ task: "first", key: "first" });
          yield* pool.waitFor(first);
          yield* pool.waitFor(yield* pool.spawn({ task: "second", key: "second", parent: first }));
        },
      });
      expect(result.agents[1]).toMatchObject({ exit: "returned", reason: undefined });
    }));

  it("leaves its session at rest once it is over: what it held may go to others, and it can be forked still", () =>
    run(function* () {
      const log: string[] = [];
      const inner = casting({ first: [report("1")], second: [report("2")] });
      const resting = (session: Session, name: string): Session => ({
        get tokens() {
          return session.tokens;
        },
        append: (messages) => session.append(messages),
        mark: () => session.mark(),
        rewind: (to) => session.rewind(to),
        generate: (request) => session.generate(request),
        *fork() {
          log.push(`${name} forked`);
          return resting(yield* session.fork(), `${name}+`);
        },
        *rest() {
          log.push(`${name} rests`);
        },
      });
      const { result } = yield* play({
        ...basics(),
        model: {
          id: "resting",
          *open(prefix) {
            return resting(yield* inner.open(prefix), "spine");
          },
        },
        *orchestrate(pool) {
          const first = yield* pool.spawn({ task: "first", key: "first" });
          yield* pool.waitFor(first);
          yield* pool.waitFor(yield* pool.spawn({ task: "second", key: "second", parent: first }));
        },
      });
      expect(result.agents.map(({ exit }) => exit)).toEqual(["returned", "returned"]);
      expect(log).toEqual(expect.arrayContaining(["spine forked", "spine+ rests", "spine+ forked"]));
    }));

  it("cannot fork from an agent that was never shown its tools: that is an error that names one", () =>
    run(function* () {
      const thrown: unknown[] = [];
      const nest = instant("nest", {
        *execute(_args, { agent }) {
          try {
            yield* agentPool({
              tools: [instant("new")],
              *orchestrate(pool) {
                yield* pool.spawn({ task: "child", key: "child", parent: agent });
              },
            });
          } catch (error) {
            thrown.push(error);
          }
          return "done";
        },
      });
      yield* play({
        ...basics(),
        tools: [nest],
        model: playing(ask("nest"), report()),
        orchestrate: parallel(["boss"]),
      });
      expect(String(thrown[0])).toContain('is of a pool without the tool "new"');
    }));

  it("that forks from one on another model is on that model: its window and its price count", () =>
    run(function* () {
      const search = instant("search", { execute: () => "x".repeat(8_000) });
      const small = scripted(() => [ask("search"), report()], { contextWindow: 1_000, id: "small" });
      const { events } = yield* play({
        ...basics(),
        tools: [search],
        *orchestrate(pool) {
          const first = yield* pool.spawn({ task: "first", key: "first", model: small });
          yield* pool.waitFor(first);
          yield* pool.waitFor(yield* pool.spawn({ task: "second", key: "second", parent: first }));
        },
        model: playing(report()),
      });
      const cut = small.requestsOf("agent/second").map(({ messages }) => JSON.stringify(messages).length);
      expect(Math.max(...cut)).toBeLessThan(8_000);
      expect(ofType(events, "agent:ended").map(({ agent }) => agent)).toEqual([
        "agent/first",
        "agent/second",
      ]);
    }));

  it("forks as its parent stood when it was asked for, also where forking takes a while", () =>
    run(function* () {
      const gate = held("gate");
      const search = instant("search");
      const model = casting({
        parent: [
          ask("gate", { q: "1" }),
          ask("search", { q: "read meanwhile" }),
          ask("gate", { q: "2" }),
          report(),
        ],
        child: [report("forked")],
      });
      let forking = 0;
      const slow = slowFork(model, () => forking++ === 1);
      const rig = yield* open({
        tools: [gate, search],
        terminal: reportTool,
        model: slow.model,
        *orchestrate(pool) {
          const parent = yield* pool.spawn({ task: "parent", key: "parent" });
          while (gate.running.length === 0) yield* quiet;
          const child = yield* pool.spawn({ task: "child", key: "child", parent });
          yield* pool.waitFor(child);
        },
      });
      yield* quiet;
      gate.held("1").succeed();
      yield* quiet;
      expect(gate.held("2").q).toBe("2");
      slow.release();
      const { agents } = yield* finish(rig);
      expect(agents[1]).toMatchObject({ exit: "returned", result: "forked", reason: undefined });
    }));
});

/** A model whose sessions may not be used once the scope they were opened in has ended. */
function strict(inner: Model): Model {
  const guarded = (open: Operation<Session>): Operation<Session> =>
    resource(function* (provide) {
      const session = yield* open;
      let released = false;
      const use = (): Session => {
        if (released) throw new Error("this session was released");
        return session;
      };
      try {
        yield* provide({
          get tokens() {
            return use().tokens;
          },
          append: (messages) => use().append(messages),
          mark: () => use().mark(),
          rewind: (to) => use().rewind(to),
          fork: () => guarded(use().fork()),
          generate: (request) => use().generate(request),
        });
      } finally {
        released = true;
      }
    });
  return { id: "strict", open: (prefix) => guarded(inner.open(prefix)) };
}

/** A model one of whose forks takes until it is released. */
function slowFork(inner: Model, slow: () => boolean): { readonly model: Model; release(): void } {
  const gates: (() => void)[] = [];
  const wrap = (session: Session): Session => ({
    get tokens() {
      return session.tokens;
    },
    append: (messages) => session.append(messages),
    mark: () => session.mark(),
    rewind: (to) => session.rewind(to),
    generate: (request) => session.generate(request),
    *fork() {
      const forked = yield* session.fork();
      if (slow()) {
        let open = false;
        gates.push(() => {
          open = true;
        });
        while (!open) yield* quiet;
      }
      return wrap(forked);
    },
  });
  return {
    model: {
      id: "slow",
      *open(prefix) {
        return wrap(yield* inner.open(prefix));
      },
    },
    release: () => {
      for (const open of gates) open();
    },
  };
}

describe("the spine", () => {
  it("gives what it was extended with as text, to those who fork later, and no reads", () =>
    run(function* () {
      const search = instant("search", { hooks: { beforeDispatch: [dedup("once", ({ q }) => q)] } });
      const model = scripted(() => [ask("search", { q: "x" }), report("the answer is x")]);
      const { result } = yield* play({
        tools: [search],
        terminal: reportTool,
        model,
        orchestrate: chain(["a", "b"], taskAndResult),
      });
      expect(search.asked).toEqual(["x", "x"]);
      expect(result.agents[1]!.refusals).toEqual([]);
      expect(textOf(model.requestsOf("agent/1")[0]!.messages)).toContain("the answer is x");
    }));

  it("does not change agents that have forked already", () =>
    run(function* () {
      const search = held("search");
      const model = casting({ early: [ask("search", { q: "x" }), report("early")], late: [report("late")] });
      const rig = yield* open({
        tools: [search],
        terminal: reportTool,
        model,
        *orchestrate(pool) {
          const early = yield* pool.spawn("early");
          while (search.running.length === 0) yield* quiet;
          const before = pool.spine.tokens;
          yield* pool.extendSpine("What is new?", "Something new.");
          expect(pool.spine.tokens).toBeGreaterThan(before);
          yield* pool.waitFor(yield* pool.spawn("late"));
          search.held("x").succeed();
          yield* pool.waitFor(early);
        },
      });
      yield* finish(rig);
      expect(textOf(model.requestsOf("agent/0")[1]!.messages)).not.toContain("Something new.");
      expect(textOf(model.requestsOf("agent/1")[0]!.messages)).toContain("Something new.");
    }));

  it("says whether so many tokens more still fit", () =>
    run(function* () {
      const answers: boolean[] = [];
      yield* play({
        tools: [],
        model: scripted(() => [], { contextWindow: 1_000 }),
        budget: { context: { hard: 0.5 } },
        *orchestrate(pool) {
          answers.push(pool.canFit(500 - pool.spine.tokens), pool.canFit(501 - pool.spine.tokens));
          yield* pool.extendSpine("x".repeat(400), "y".repeat(400));
          answers.push(pool.canFit(300), pool.canFit(200));
        },
      });
      expect(answers).toEqual([true, false, false, true]);
    }));

  it("fits anything where the model has no window", () =>
    run(function* () {
      yield* play({
        tools: [],
        model: playing(),
        *orchestrate(pool) {
          expect(pool.canFit(1e9)).toBe(true);
        },
      });
    }));

  it("lets nobody spawn once the pool is over", () =>
    run(function* () {
      const search = instant("search");
      let late: PoolContext | undefined;
      yield* play({
        tools: [search],
        terminal: reportTool,
        model: playing(ask("search"), report()),
        *orchestrate(pool) {
          late = pool;
        },
      });
      yield* thrownBy(
        scoped(function* () {
          yield* late!.waitFor(yield* late!.spawn({ task: "late", key: "late" }));
        }),
      );
      expect(search.asked).toEqual([]);
    }));
});

describe("a step of several calls", () => {
  it("runs them side by side, a barrier alone: earlier calls finish first, later ones wait", () =>
    run(function* () {
      const [search, write] = [held("search"), held("write", { parallel: false })];
      const rig = yield* open({
        tools: [search, write],
        terminal: reportTool,
        model: playing(
          asks(
            ["search", { q: "1" }],
            ["search", { q: "2" }],
            ["write", { q: "3" }],
            ["search", { q: "4" }],
            ["search", { q: "5" }],
          ),
          report(),
        ),
        orchestrate: parallel(["x"]),
      });
      const running = () => [...search.running, ...write.running].map(({ q }) => q);
      expect(running()).toEqual(["1", "2"]);
      search.held("2").succeed();
      yield* quiet;
      expect(running()).toEqual(["1"]);
      search.held("1").fail(new Error("no"));
      yield* quiet;
      expect(running()).toEqual(["3"]);
      write.held("3").succeed();
      yield* quiet;
      expect(running()).toEqual(["4", "5"]);
      for (const call of search.running) call.succeed();
      yield* finish(rig);
    }));

  it("with two barriers runs one after the other", () =>
    run(function* () {
      const write = held("write", { parallel: false });
      const rig = yield* open({
        tools: [write],
        terminal: reportTool,
        model: playing(asks(["write", { q: "1" }], ["write", { q: "2" }]), report()),
        orchestrate: parallel(["x"]),
      });
      expect(write.running.map(({ q }) => q)).toEqual(["1"]);
      write.held("1").succeed();
      yield* quiet;
      write.held("2").succeed();
      yield* finish(rig);
      expect(write.peak).toBe(1);
    }));

  it("admits results in emitted order though they settle in another, each as soon as those before it are in", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        tools: [search],
        terminal: reportTool,
        model: playing(
          asks(["search", { q: "1" }], ["search", { q: "2" }], ["search", { q: "3" }]),
          report(),
        ),
        orchestrate: parallel(["x"]),
      });
      const admitted = () => ofType(rig.events, "call:admitted").map(({ call }) => call.at(-1));
      search.held("3").succeed();
      yield* quiet;
      expect(admitted()).toEqual([]);
      search.held("1").succeed();
      yield* quiet;
      expect(admitted()).toEqual(["0"]);
      search.held("2").succeed();
      yield* quiet;
      expect(admitted().slice(0, 3)).toEqual(["0", "1", "2"]);
      yield* finish(rig);
    }));

  it("with a terminal call lets the others settle first, wherever it stands", () =>
    run(function* () {
      for (const first of [true, false]) {
        const search = held("search");
        const counts: number[] = [];
        const others = [["search", { q: "1" }] as const, ["search", { q: "2" }] as const];
        const terminal = ["report", { result: "r" }] as const;
        const rig = yield* open({
          tools: [search],
          terminal: reportTool,
          hooks: [{ onReturn: ({ agent }) => void counts.push(agent.toolCallCount) }],
          model: playing(asks(...(first ? [terminal, ...others] : [...others, terminal]))),
          orchestrate: parallel(["x"]),
        });
        expect(counts).toEqual([]);
        search.held("2").succeed();
        yield* quiet;
        expect(counts).toEqual([]);
        search.held("1").fail(new Error("no"));
        const { agents } = yield* finish(rig);
        expect(counts).toEqual([2]);
        expect(agents[0]).toMatchObject({
          exit: "returned",
          result: "r",
          toolCallCount: 2,
          attendedCount: 1,
        });
      }
    }));

  it("of two terminal calls counts the first, and answers the second", () =>
    run(function* () {
      const model = playing(asks(["report", { result: "one" }], ["report", { result: "two" }]));
      const { result, events } = yield* play({ ...basics(), model, orchestrate: parallel(["x"]) });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "one" });
      expect(ofType(events, "call:refused")).toMatchObject([{ call: "agent/0:1#1", guard: "invalid" }]);
    }));

  it("counts the second of two terminal calls where the first cannot be read", () =>
    run(function* () {
      const model = playing(asks(["report", '{"result":'], ["report", { result: "two" }]));
      const { result } = yield* play({ ...basics(), model, orchestrate: parallel(["x"]) });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "two", turns: 1 });
    }));

  it("with a rejected terminal call goes on, having read the others", () =>
    run(function* () {
      const model = playing(asks(["report", { result: "early" }], ["search", { q: "1" }]), report("late"));
      const { result } = yield* play({
        ...basics(),
        model,
        hooks: [{ onReturn: () => ({ type: "reject", message: "more" }) }],
        orchestrate: parallel(["x"]),
      });
      expect(lastShown(model, "agent/0").map(({ tool, type }) => [tool, type])).toEqual([
        ["report", "error-text"],
        ["search", "json"],
      ]);
      expect(result.agents[0]).toMatchObject({ result: "late", attendedCount: 1 });
    }));
});

describe("totals", () => {
  it("are sums over the whole tree of pools", () =>
    run(function* () {
      const model = scripted(({ task }) =>
        task === "boss" ? [ask("work"), report()] : [ask("search", { q: "x" }), report()],
      );
      const { result } = yield* play({
        model,
        tools: [
          instant("search"),
          instant("work", {
            *execute() {
              return (yield* agentPool({ orchestrate: parallel(["a", "b"]) })).totals.agents;
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(result.totals).toMatchObject({
        agents: 3,
        turns: 6,
        toolCalls: 3,
        attended: 3,
        refusals: 0,
        parks: 0,
      });
      expect(result.agents).toHaveLength(1);
      expect(result.totals.usage.output).toBeGreaterThan(result.agents[0]!.usage.output);
    }));
});

describe("runPool", () => {
  const options = () => ({
    ...basics(),
    model: scripted(({ task }: { task: string }) => [ask("search", { q: task }), report(`about ${task}`)]),
    orchestrate: parallel(["a", "b"]),
  });

  it("is a promise of the result", async () => {
    const { agents } = await runPool(options());
    expect(agents.map(({ result }) => result)).toEqual(["about a", "about b"]);
  });

  it("is iterated over from its first event to its last", async () => {
    const types: string[] = [];
    const pool = runPool(options());
    for await (const event of pool) types.push(event.type);
    expect(types[0]).toBe("pool:opened");
    expect(types.at(-1)).toBe("pool:closed");
    expect(types.filter((type) => type === "agent:ended")).toHaveLength(2);
    expect((await pool).agents).toHaveLength(2);
  });

  it("rejects with what the orchestrator threw, and so does its iteration", async () => {
    const failing = () => ({
      ...options(),
      *orchestrate(): Operation<void> {
        throw new RangeError("bad plan");
      },
    });
    await expect(Promise.resolve(runPool(failing()))).rejects.toThrow(RangeError);
    const events: string[] = [];
    await expect(
      (async () => {
        for await (const event of runPool(failing())) events.push(event.type);
      })(),
    ).rejects.toThrow("bad plan");
    expect(events.at(-1)).toBe("pool:closed");
  });

  it("rejects with a configuration error", async () => {
    await expect(Promise.resolve(runPool({ ...options(), guards: { nobody: false } }))).rejects.toThrow(
      ConfigurationError,
    );
  });

  it("ends with its signal and rejects with the signal's reason", async () => {
    const search = held("search");
    const controller = new AbortController();
    const pool = runPool({ ...options(), tools: [search] }, { signal: controller.signal });
    const outcome = Promise.resolve(pool).catch((error: unknown) => error);
    await new Promise((resolve) => setImmediate(resolve));
    expect(search.running).toHaveLength(2);
    controller.abort(new Error("enough"));
    expect(await outcome).toMatchObject({ message: "enough" });
    expect(search.calls.map(({ state, signal }) => [state, signal.aborted])).toEqual([
      ["halted", true],
      ["halted", true],
    ]);
  });

  it("does not start under a signal that was aborted before", async () => {
    const model = playing(report());
    await expect(
      (async () =>
        await runPool({ ...options(), model }, { signal: AbortSignal.abort(new Error("never")) }))(),
    ).rejects.toThrow("never");
    expect(model.requests).toEqual([]);
  });

  it("leaves no listener on its signal", async () => {
    const controller = new AbortController();
    const added: string[] = [];
    const { signal } = controller;
    const count = { add: 0, remove: 0 };
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    Object.assign(signal, {
      addEventListener: (...args: Parameters<typeof add>) => {
        count.add++;
        added.push(args[0]);
        add(...args);
      },
      removeEventListener: (...args: Parameters<typeof remove>) => {
        count.remove++;
        remove(...args);
      },
    });
    await runPool(options(), { signal });
    expect(count.remove).toBe(count.add);
    expect(added).toEqual(["abort"]);
  });

  it("halts, resolving once nothing is left, and the run rejects", async () => {
    const search = held("search");
    const pool = runPool({ ...options(), tools: [search] });
    await new Promise((resolve) => setImmediate(resolve));
    await pool.halt();
    expect(search.calls.every(({ state }) => state === "halted")).toBe(true);
    await expect(Promise.resolve(pool)).rejects.toThrow();
  });

  it("cancels an agent, pauses and resumes", async () => {
    const search = held("search");
    const model = options().model;
    const pool = runPool({ ...options(), model, tools: [search] });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    await turn();
    expect(await pool.cancel("agent/0")).toBe(true);
    pool.pause();
    search.held("b").succeed();
    await turn();
    expect(model.requests).toHaveLength(2);
    pool.resume();
    const { agents } = await pool;
    expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "returned"]);
  });

  it("winds down to what there is", async () => {
    const search = held("search");
    const pool = runPool({ ...options(), tools: [search] });
    await new Promise((resolve) => setImmediate(resolve));
    pool.windDown();
    search.held("a").succeed();
    search.held("b").fail(new Error("no"));
    const { agents } = await pool;
    expect(agents.map(({ exit, result }) => [exit, result])).toEqual([
      ["cancelled", "about a"],
      ["cancelled", "about b"],
    ]);
  });

  it("tells its observer and its readers of every agent that ended, those that a halt ended included", async () => {
    const search = held("search");
    const seen: string[] = [];
    const pool = runPool({ ...options(), tools: [search], onEvent: ({ type }) => seen.push(type) });
    const read: string[] = [];
    const reading = (async () => {
      for await (const { type } of pool) read.push(type);
    })().catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    await pool.halt();
    await reading;
    for (const types of [seen, read]) {
      expect(types.filter((type) => type === "agent:spawned")).toHaveLength(2);
      expect(types.filter((type) => type === "agent:ended")).toHaveLength(2);
      expect(types.at(-1)).toBe("pool:closed");
    }
  });
});

describe("an observer", () => {
  it("that throws is none of the run's business", () =>
    run(function* () {
      const { result } = yield* play({
        ...basics(),
        model: playing(report("fine")),
        onEvent: () => {
          throw new Error("observer");
        },
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]!.result).toBe("fine");
    }));

  it("that watches a pool and one inside it sees everything once, to the end", () =>
    run(function* () {
      const seen: string[] = [];
      const onEvent = ({ type }: { type: string }) => void seen.push(type);
      yield* agentPool({
        model: scripted(({ task }) => (task === "boss" ? [ask("work"), report()] : [report()])),
        tools: [
          instant("work", {
            *execute() {
              yield* agentPool({ orchestrate: parallel(["help"]), onEvent });
              return "done";
            },
          }),
        ],
        terminal: reportTool,
        onEvent,
        orchestrate: parallel(["boss"]),
      });
      expect(seen.filter((type) => type === "agent:spawned")).toHaveLength(2);
      expect(seen.filter((type) => type === "agent:ended")).toHaveLength(2);
      expect(seen.at(-1)).toBe("pool:closed");
    }));

  it("of a pool that ends with its scope is told so", () =>
    run(function* () {
      const types: string[] = [];
      const rig = yield* spawn(function* () {
        yield* open({
          tools: [held("search")],
          terminal: reportTool,
          model: playing(ask("search")),
          orchestrate: parallel(["x"]),
          onEvent: ({ type }) => void types.push(type),
        });
        yield* suspend();
      });
      yield* quiet;
      yield* quiet;
      yield* rig.halt();
      expect(types).toContain("agent:ended");
      expect(types.at(-1)).toBe("pool:closed");
    }));
});
