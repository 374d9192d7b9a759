import { agentPool, parallel, type RouteInput, type ToolLifecycleHooks } from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, asks, casting, instant, noted, ofType, playing, report } from "../scenarios/support.ts";
import { once, playLife, shownIn } from "./support.ts";

const routing = (...names: string[]): ToolLifecycleHooks => ({ onRoute: () => ({ type: "tools", names }) });

describe("onRoute", () => {
  it("chooses which tools a turn sees; nobody answers: all the agent has", () =>
    run(function* () {
      const model = playing(ask("a"), ask("b"), report());
      const { result } = yield* playLife({
        model,
        tools: [instant("a"), instant("b")],
        hooks: [{ onRoute: ({ turn }) => (turn === 2 ? { type: "tools", names: ["b"] } : undefined) }],
      });
      expect(model.requests.map(({ request }) => request.tools)).toEqual([
        ["a", "b", "report"],
        ["b", "report"],
        ["a", "b", "report"],
      ]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 2 });
    }));

  it("is asked before each turn, with the turn and the tools there are; the first answer wins", () =>
    run(function* () {
      const asked: Pick<RouteInput, "turn" | "tools">[] = [];
      const model = playing(ask("a"), report());
      yield* playLife({
        model,
        tools: [instant("a"), instant("b")],
        hooks: [
          { onRoute: ({ turn, tools }) => noted(asked, { turn, tools }, undefined) },
          routing("a"),
          routing("b"),
        ],
      });
      const tools = ["a", "b", "report"];
      expect(asked).toEqual([
        { turn: 1, tools },
        { turn: 2, tools },
      ]);
      expect(model.requests[0]!.request.tools).toEqual(["a", "report"]);
    }));

  it("always leaves the terminal tool: an agent can always report", () =>
    run(function* () {
      const model = playing(report());
      const { result } = yield* playLife({ model, tools: [instant("a")], hooks: [routing()] });
      expect(model.requests[0]!.request.tools).toEqual(["report"]);
      expect(result.agents[0]).toMatchObject({ exit: "returned" });
    }));

  it("hides: a call to a hidden tool does not run, no hook and no person is asked, and the model reads an honest error", () =>
    run(function* () {
      const asked: string[] = [];
      const [a, b] = [instant("a"), instant("b")];
      const model = playing(asks(["b", { q: "1" }], ["a", { q: "2" }]), report());
      const { result, events } = yield* playLife({
        model,
        tools: [a, b],
        requireApproval: ["b"],
        hooks: [
          routing("a"),
          {
            rewrite: ({ call }) => noted(asked, `rewrite ${call.tool}`, undefined),
            beforeDispatch: [{ name: "g", decide: ({ tool }) => noted(asked, `guard ${tool}`, undefined) }],
          },
        ],
      });
      expect([a.asked, b.asked]).toEqual([["2"], []]);
      expect(asked.filter((what) => what.endsWith(" b"))).toEqual([]);
      expect(ofType(events, "approval:requested")).toEqual([]);
      expect(shownIn(model, 2)[0]).toMatchObject({
        type: "error-text",
        value: expect.stringMatching(/b is not available in this turn.*a, report/),
      });
      expect(result.agents[0]!.refusals).toMatchObject([{ tool: "b", guard: "invalid" }]);
    }));

  it("that leaves nothing is said so, and no list of nothing is offered", () =>
    run(function* () {
      const model = playing(ask("a"), { text: "done" });
      yield* playLife({ model, terminal: undefined, tools: [instant("a")], hooks: [routing()] });
      expect(shownIn(model, 2)[0]!.value).toMatch(/a is not available in this turn/);
      expect(shownIn(model, 2)[0]!.value).not.toMatch(/one of: *\.|Known: *\./);
    }));

  it("hides from a rewrite too: what becomes a call of a hidden tool does not run", () =>
    run(function* () {
      const [a, b] = [instant("a"), instant("b")];
      const { result } = yield* playLife({
        model: once("a"),
        tools: [a, b],
        hooks: [
          routing("a"),
          {
            rewrite: ({ call }) =>
              call.tool === "a" ? { type: "rewrite", tool: "b", args: {}, mode: "merge" } : undefined,
          },
        ],
      });
      expect([a.asked, b.asked]).toEqual([[], []]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "invalid" }]);
    }));

  it("may name tools of the pool that an agent does not have: it gets those it has, and no others", () =>
    run(function* () {
      const model = playing(ask("a"), report());
      const { events } = yield* playLife({
        model,
        tools: [instant("a"), instant("b"), instant("shell")],
        hooks: [routing("a", "b")],
        orchestrate: parallel([{ task: "look", tools: ["a", "shell"] }]),
      });
      expect(model.requests[0]!.request.tools).toEqual(["a", "report"]);
      expect(ofType(events, "hook:error")).toEqual([]);
    }));

  for (const [how, onRoute] of [
    [
      "throws",
      () => {
        throw new RangeError("a secret");
      },
    ],
    ["names a tool there is not", () => ({ type: "tools", names: ["c"] })],
    ["answers without names", () => ({ type: "tools" })],
    ["answers names that are no texts", () => ({ type: "tools", names: [1] })],
    ["answers another moment's answer", () => ({ type: "refuse", message: "no" })],
  ] as const)
    it(`one that ${how} abstains, and an event says so`, () =>
      run(function* () {
        const model = playing(report());
        const { events } = yield* playLife({
          model,
          tools: [instant("a"), instant("b")],
          hooks: [{ name: "router", onRoute: onRoute as never }, routing("a")],
        });
        expect(model.requests[0]!.request.tools).toEqual(["a", "report"]);
        expect(ofType(events, "hook:error")).toMatchObject([
          { hook: "router", moment: "onRoute", verdict: "skipped", agent: "agent/0" },
        ]);
      }));

  it("of a pool around holds in a nested pool with other tools: it gets those of them that were named", () =>
    run(function* () {
      const wipe = instant("wipe");
      const model = casting({
        "agent/0": [ask("nest"), report()],
        "agent/0:1#0~0/0": [ask("wipe"), { text: "done" }],
      });
      const nest = instant("nest", {
        *execute() {
          yield* agentPool({ tools: [instant("search"), wipe], orchestrate: parallel(["nested"]) });
          return "done";
        },
      });
      const { events } = yield* playLife({
        model,
        tools: [nest, instant("search"), instant("read")],
        hooks: [{ onRoute: () => ({ type: "tools", names: ["nest", "search", "read"] }) }],
      });
      expect(ofType(events, "hook:error")).toEqual([]);
      expect(model.requestsOf("agent/0:1#0~0/0")[0]!.request.tools).toEqual(["search"]);
      expect(wipe.asked).toEqual([]);
    }));

  it("of a pool around holds in a nested pool", () =>
    run(function* () {
      const model = casting({
        "agent/0": [ask("delegate"), report()],
        nested: [report("nested")],
      });
      yield* playLife({
        model,
        tools: [
          instant("a"),
          instant("delegate", {
            *execute() {
              return (yield* agentPool({ orchestrate: parallel(["nested"]) })).agents.length;
            },
          }),
        ],
        hooks: [routing("delegate")],
      });
      expect(model.requestsOf("agent/0:1#0~0/0")[0]!.request.tools).toEqual(["delegate", "report"]);
    }));
});
