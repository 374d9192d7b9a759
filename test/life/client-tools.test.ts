import {
  AnswerError,
  agentPool,
  dedup,
  type PoolHandle,
  parallel,
  reportTool,
  runPool,
  type Tool,
} from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import {
  ask,
  asks,
  casting,
  finish,
  held,
  instant,
  lastShown,
  leftovers,
  ofType,
  playing,
  quiet,
  report,
  unanswered,
} from "../scenarios/support.ts";
import { lifeOf, once, openLife, shownIn } from "./support.ts";

/** A tool whose calls run elsewhere; what it executes here would be a mistake. */
const client = (name = "pick", more: Partial<Tool> = {}): Tool => ({
  ...instant(name),
  execute: () => {
    throw new Error(`${name} was executed here`);
  },
  target: "client",
  ...more,
});

/** What an act of submitting throws. */
function refusing(act: () => void): AnswerError {
  try {
    act();
  } catch (error) {
    if (error instanceof AnswerError) return error;
    throw error;
  }
  throw new Error("it was taken");
}

describe("a call of a client tool", () => {
  it("parks until its result is submitted, and is never executed here", () =>
    run(function* () {
      const model = once("pick", { q: "colour" });
      const rig = yield* openLife({ model, tools: [client()] });
      expect(rig.handle.clientCalls()).toEqual([
        { id: "agent/0:1#0", agent: "agent/0", tool: "pick", identity: "local:pick", args: { q: "colour" } },
      ]);
      expect(rig.handle.inspect()).toMatchObject({ agents: { parked: 1 }, parked: 1, permits: { tools: 0 } });
      rig.clock.advance(24 * 3_600_000);
      yield* quiet;
      rig.handle.submit({ "agent/0:1#0": { picked: "blue" } });
      const { agents } = yield* finish(rig);
      expect(rig.handle.clientCalls()).toEqual([]);
      expect(shownIn(model, 2)).toMatchObject([{ tool: "pick", type: "json", value: { picked: "blue" } }]);
      expect(agents[0]).toMatchObject({ exit: "returned", toolCallCount: 1, attendedCount: 1, refusals: [] });
    }));

  it("has a life like any other", () =>
    run(function* () {
      const rig = yield* openLife({ model: once("pick"), tools: [client()] });
      rig.handle.submit({ "agent/0:1#0": "blue" });
      yield* finish(rig);
      expect(lifeOf(rig.events, "agent/0:1#0")).toEqual([
        "call:proposed",
        "call:dispatched",
        "call:parked",
        "call:resumed",
        "call:settled",
        "call:admitted",
      ]);
      expect(ofType(rig.events, "call:parked")).toMatchObject([{ reason: "client" }]);
    }));

  it("can be submitted from the moment its event is seen, also by who submits on the spot", () =>
    run(function* () {
      let handle: PoolHandle | undefined;
      const model = playing({ wait: 10, ...ask("pick") }, report());
      const rig = yield* openLife({
        model,
        tools: [client()],
        onEvent: (event) => {
          if (event.type === "call:parked" && event.reason === "client")
            handle?.submit({ [event.call]: "at once" });
        },
      });
      handle = rig.handle;
      yield* finish(rig);
      expect(shownIn(model, 2)).toMatchObject([{ value: "at once" }]);
    }));

  for (const [what, value, output] of [
    ["text", "blue", { type: "text", value: "blue" }],
    ["null", null, { type: "json", value: null }],
    ["nothing", undefined, { type: "json", value: null }],
    ["a list", [1, 2], { type: "json", value: [1, 2] }],
  ] as const)
    it(`takes any JSON as its result: ${what}`, () =>
      run(function* () {
        const model = once("pick");
        const rig = yield* openLife({ model, tools: [client()] });
        rig.handle.submit({ "agent/0:1#0": value });
        yield* finish(rig);
        expect(shownIn(model, 2)).toMatchObject([output]);
      }));

  it("takes its result as it was when it was submitted", () =>
    run(function* () {
      const model = once("pick");
      const rig = yield* openLife({ model, tools: [client()] });
      const result = { picked: "blue" };
      rig.handle.submit({ "agent/0:1#0": result });
      result.picked = "red";
      yield* finish(rig);
      expect(shownIn(model, 2)).toMatchObject([{ value: { picked: "blue" } }]);
    }));

  it("runs beside calls of server tools: those go on meanwhile, and all are answered in emission order", () =>
    run(function* () {
      const search = instant("search");
      const model = playing(
        asks(["pick", { q: "1" }], ["search", { q: "2" }], ["pick", { q: "3" }]),
        report(),
      );
      const rig = yield* openLife({ model, tools: [client(), search], budget: { concurrentTools: 1 } });
      expect(search.asked).toEqual(["2"]);
      rig.handle.submit({ "agent/0:1#2": "third", "agent/0:1#0": "first" });
      yield* finish(rig);
      expect(shownIn(model, 2).map(({ value }) => value)).toEqual(["first", { answer: "2" }, "third"]);
      expect(unanswered(model.requests[1]!.messages)).toEqual([]);
    }));

  it("keeps equal calls behind it in line, until its result is there", () =>
    run(function* () {
      const hooks = { beforeDispatch: [dedup("pick_dedup", ({ q }) => q)] };
      const rig = yield* openLife({
        model: playing(asks(["pick", { q: "x" }], ["pick", { q: "x" }]), report()),
        tools: [client("pick", { hooks })],
      });
      expect(rig.handle.clientCalls().map(({ id }) => id)).toEqual(["agent/0:1#0"]);
      rig.handle.submit({ "agent/0:1#0": "blue" });
      const { agents } = yield* finish(rig);
      expect(agents[0]!.refusals).toMatchObject([{ guard: "pick_dedup" }]);
      expect(agents[0]!.toolCallCount).toBe(1);
    }));

  it("is asked again where its result was not an attempt, and fails where that does not help", () =>
    run(function* () {
      const model = once("pick");
      const rig = yield* openLife({
        model,
        tools: [client()],
        hooks: [
          {
            afterExecute: ({ result }) => (result === "busy" ? { type: "retry", afterMs: 1_000 } : undefined),
          },
        ],
      });
      rig.handle.submit({ "agent/0:1#0": "busy" });
      yield* quiet;
      expect(rig.handle.clientCalls()).toEqual([]);
      rig.clock.advance(1_000);
      yield* quiet;
      expect(rig.handle.clientCalls()).toMatchObject([{ id: "agent/0:1#0" }]);
      rig.handle.submit({ "agent/0:1#0": "busy" });
      const { agents } = yield* finish(rig);
      expect(shownIn(model, 2)).toMatchObject([
        { type: "error-text", value: expect.stringContaining("unavailable") },
      ]);
      expect(agents[0]).toMatchObject({ toolCallCount: 1, attendedCount: 0 });
    }));

  it("in a nested pool surfaces at the top, and resumes in its owner", () =>
    run(function* () {
      const model = casting({
        "agent/0": [ask("delegate"), report()],
        nested: [ask("pick"), report("picked")],
      });
      const rig = yield* openLife({
        model,
        tools: [
          client(),
          instant("delegate", {
            *execute() {
              return (yield* agentPool({ orchestrate: parallel(["nested"]) })).agents.map(
                ({ result }) => result,
              );
            },
          }),
        ],
      });
      const [asked] = rig.handle.clientCalls();
      expect(asked).toMatchObject({ agent: "agent/0:1#0~0/0", id: "agent/0:1#0~0/0:1#0" });
      rig.handle.submit({ [asked!.id]: "blue" });
      yield* finish(rig);
      expect(lastShown(model, "agent/0")).toMatchObject([{ value: ["picked"] }]);
    }));

  it("is offered by runPool as well", async () => {
    const model = once("pick");
    const pool = runPool({ model, tools: [client()], terminal: reportTool, orchestrate: parallel(["look"]) });
    for await (const event of pool)
      if (event.type === "call:parked") {
        expect(pool.clientCalls()).toMatchObject([{ id: event.call }]);
        pool.submit({ [event.call]: "blue" });
      }
    await pool;
    expect(shownIn(model, 2)).toMatchObject([{ value: "blue" }]);
  });
});

describe("submitting", () => {
  const two = function* () {
    const model = playing(asks(["pick", { q: "a" }], ["pick", { q: "b" }]), report());
    const rig = yield* openLife({ model, tools: [client()] });
    return { ...rig, model };
  };
  const [a, b] = ["agent/0:1#0", "agent/0:1#1"];

  it("a part of what an agent waits for is an error that names what is missing, and nothing is submitted", () =>
    run(function* () {
      const rig = yield* two();
      expect(refusing(() => rig.handle.submit({ [a]: 1 }))).toMatchObject({
        problem: "incomplete",
        message: expect.stringContaining(b),
      });
      expect(rig.handle.clientCalls()).toHaveLength(2);
      rig.handle.submit({ [a]: 1, [b]: 2 });
      yield* finish(rig);
      expect(shownIn(rig.model, 2).map(({ value }) => value)).toEqual([1, 2]);
    }));

  it("an id that there is not is an error that names the nearest, and nothing is submitted", () =>
    run(function* () {
      const rig = yield* two();
      for (const id of ["agent/0:1#7", "constructor", "__proto__x"])
        expect(refusing(() => rig.handle.submit({ [a]: 1, [b]: 2, [id]: 3 }))).toMatchObject({
          problem: "unknown",
          message: expect.stringContaining(id),
        });
      expect(rig.handle.clientCalls()).toHaveLength(2);
      rig.handle.submit({ [a]: 1, [b]: 2 });
      yield* finish(rig);
    }));

  it("twice is an error: the first result stands", () =>
    run(function* () {
      const rig = yield* two();
      rig.handle.submit({ [a]: 1, [b]: 2 });
      expect(refusing(() => rig.handle.submit({ [a]: 3, [b]: 4 }))).toMatchObject({ problem: "answered" });
      yield* finish(rig);
      expect(refusing(() => rig.handle.submit({ [a]: 5 }))).toMatchObject({ problem: "answered" });
      expect(shownIn(rig.model, 2).map(({ value }) => value)).toEqual([1, 2]);
    }));

  it("what is no JSON is an error that names the call, and nothing is submitted", () =>
    run(function* () {
      const rig = yield* two();
      const circular: { self?: unknown } = {};
      circular.self = circular;
      for (const value of [1n, () => 1, circular, Number.NaN])
        expect(refusing(() => rig.handle.submit({ [a]: 1, [b]: value }))).toMatchObject({
          problem: "malformed",
          message: expect.stringContaining(b),
        });
      expect(rig.handle.clientCalls()).toHaveLength(2);
      rig.handle.submit({ [a]: 1, [b]: 2 });
      yield* finish(rig);
    }));

  it("for one agent needs nothing of another", () =>
    run(function* () {
      const rig = yield* openLife({
        model: once("pick"),
        tools: [client()],
        orchestrate: parallel(["one", "two"]),
      });
      rig.handle.submit({ "agent/1:1#0": "for two" });
      yield* quiet;
      expect(rig.handle.clientCalls().map(({ agent }) => agent)).toEqual(["agent/0"]);
      expect(ofType(rig.events, "agent:ended")).toMatchObject([{ agent: "agent/1" }]);
      rig.handle.submit({ "agent/0:1#0": "for one" });
      yield* finish(rig);
    }));

  it("for a barrier comes when its turn has come: calls that are not asked yet are not waited for", () =>
    run(function* () {
      const rig = yield* openLife({
        model: playing(asks(["pick", { q: "a" }], ["pick", { q: "b" }]), report()),
        tools: [client("pick", { parallel: false })],
      });
      expect(rig.handle.clientCalls().map(({ id }) => id)).toEqual([a]);
      rig.handle.submit({ [a]: 1 });
      yield* quiet;
      rig.handle.submit({ [b]: 2 });
      yield* finish(rig);
    }));
});

describe("while a client is waited for", () => {
  it("winding down withdraws the call: the model reads why, and a late result is a typed error", () =>
    run(function* () {
      const model = playing(ask("pick"), report("what I have"));
      const rig = yield* openLife({ model, tools: [client()] });
      rig.handle.windDown();
      yield* quiet;
      expect(rig.handle.clientCalls()).toEqual([]);
      expect(refusing(() => rig.handle.submit({ "agent/0:1#0": 1 })).problem).toBe("unknown");
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ exit: "cancelled", result: "what I have", attendedCount: 0 });
      expect(shownIn(model, 2)).toMatchObject([{ type: "error-text" }]);
    }));

  it("winding down asks no client any more", () =>
    run(function* () {
      const slow = held("slow", { parallel: false });
      const rig = yield* openLife({
        model: playing(asks(["slow", { q: "s" }], ["pick", { q: "x" }]), report()),
        tools: [client(), slow],
      });
      rig.handle.windDown();
      slow.held("s").succeed();
      const { agents } = yield* finish(rig);
      expect(ofType(rig.events, "call:dispatched").map(({ tool }) => tool)).toEqual(["slow"]);
      expect(ofType(rig.events, "call:withdrawn")).toMatchObject([{ tool: "pick" }]);
      expect(agents[0]).toMatchObject({ toolCallCount: 1 });
    }));

  it("a cancelled agent takes its calls with it, and leaves nothing", () =>
    run(function* () {
      const rig = yield* openLife({ model: once("pick"), tools: [client()] });
      yield* rig.handle.cancel("agent/0");
      expect(rig.handle.clientCalls()).toEqual([]);
      yield* finish(rig);
      expect(leftovers(rig)).toEqual([]);
    }));

  it("a result in the same instant as a cancel is not read", () =>
    run(function* () {
      const rig = yield* openLife({ model: once("pick"), tools: [client()] });
      rig.handle.submit({ "agent/0:1#0": 1 });
      yield* rig.handle.cancel("agent/0");
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ exit: "cancelled", attendedCount: 0 });
    }));
});

describe("a terminal tool of a client", () => {
  it("is never executed here, or cannot be given", () =>
    run(function* () {
      const ran: unknown[] = [];
      const terminal: Tool = { ...reportTool, target: "client", execute: (args) => ran.push(args) };
      let error: unknown;
      try {
        const rig = yield* openLife({ model: playing(report()), tools: [instant("search")], terminal });
        if (rig.handle.clientCalls().length > 0) rig.handle.submit({ "agent/0:1#0": "taken" });
        yield* finish(rig);
      } catch (thrown) {
        error = thrown;
      }
      expect(ran).toEqual([]);
      if (error !== undefined) expect(String(error)).toMatch(/terminal.*client/s);
    }));
});
