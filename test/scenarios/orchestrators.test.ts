import {
  ConfigurationError,
  chain,
  dag,
  defineTool,
  fanout,
  type Orchestrator,
  parallel,
  reportTool,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run, scoped } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ask,
  basics,
  casting,
  finish,
  held,
  ofType,
  open,
  play,
  playing,
  quiet,
  report,
  textOf,
} from "./support.ts";

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
