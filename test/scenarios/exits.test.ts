import { defineTool, type Model, parallel, reportTool, type Session } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { ensure, type Operation, resource, run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ask,
  asks,
  basics,
  finish,
  held,
  instant,
  lastShown,
  noted,
  ofType,
  open,
  play,
  playing,
  report,
  textOf,
} from "./support.ts";

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
          const sloppy: Session = {
            get tokens() {
              return session.tokens;
            },
            append: (messages) => session.append(messages),
            mark: () => session.mark(),
            rewind: (to) => session.rewind(to),
            generate: (request) => session.generate(request),
            fork: (): Operation<Session> =>
              resource(function* (provide) {
                const forked = yield* session.fork();
                yield* ensure(() => {
                  throw new Error("could not close");
                });
                yield* provide(forked);
              }),
          };
          return sloppy;
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
