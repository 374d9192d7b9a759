import {
  agentPool,
  ModelLimitError,
  type PoolEvent,
  parallel,
  reportTool,
  sleepOn,
  useClock,
} from "@agentpool/core";
import type { ScriptedTurn } from "@agentpool/models";
import { reviewer } from "@agentpool/review";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { formats } from "../../packages/models/src/providers/formats.testing.ts";
import { refused, streamed, useWire } from "../../packages/models/src/providers/wire.testing.ts";
import { ask, asks, instant, ofType, play, playing, report, textOf } from "../scenarios/support.ts";
import { breach, course, judging, lastText, pass, reviewsIn, shipped, shop, shownTo } from "./support.ts";

const task = (name: string) => ({ terminal: reportTool, orchestrate: parallel([name]) });

describe("a review", () => {
  it("of a step that passes lets its calls run, one after another, in order", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const judge = judging(pass());
      const { result, events } = yield* play({
        ...task("Cancel 1, 2 and 3."),
        model: playing(
          asks(
            ["cancel_order", { order: 1 }],
            ["cancel_order", { order: 2 }],
            ["cancel_order", { order: 3 }],
          ),
          report(),
        ),
        tools,
        reviewer: reviewer({ models: judge }),
      });
      expect(cancelled).toEqual([1, 2, 3]);
      expect(judge.requests).toHaveLength(1);
      expect(course(events)).toEqual(["review:started", "review:passed"]);
      const order = events.flatMap((event) =>
        event.type === "call:dispatched" || event.type === "call:settled" ? [event.call.at(-1)] : [],
      );
      expect(order.slice(0, 6)).toEqual(["0", "0", "1", "1", "2", "2"]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", turns: 2, toolCallCount: 3 });
    }));

  it("that passes has calls that take their time wait for each other, also those that nobody minds", () =>
    run(function* () {
      const { cancel } = shop();
      const look = instant("look", {
        *execute({ q }) {
          const clock = yield* useClock();
          yield* sleepOn(clock, 100);
          return q;
        },
      });
      const { events, clock } = yield* play({
        ...task("Look twice, and cancel."),
        model: playing(
          asks(["look", { q: "a" }], ["look", { q: "b" }], ["cancel_order", { order: 1 }]),
          asks(["look", { q: "c" }], ["look", { q: "d" }]),
          report(),
        ),
        tools: [look, cancel],
        reviewer: reviewer({ models: judging(pass()) }),
      });
      const order = events.flatMap((event) =>
        event.type === "call:dispatched" || event.type === "call:settled"
          ? [`${event.call.split(":")[1]} ${event.type.slice(5, 7)}`]
          : [],
      );
      expect(order.slice(0, 6)).toEqual(["1#0 di", "1#0 se", "1#1 di", "1#1 se", "1#2 di", "1#2 se"]);
      // a step that nobody reviews has its calls run side by side
      expect(order.slice(6, 10)).toEqual(["2#0 di", "2#1 di", "2#0 se", "2#1 se"]);
      expect(clock.now()).toBe(300);
    }));

  it("of a step that breaks the rules runs none of its calls, and the agent tries again with a correction", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const model = playing(
        { reasoning: "They ask for it.", ...ask("cancel_order", { order: 7 }) },
        report("It has shipped."),
      );
      const { result, events } = yield* play({
        ...task("Cancel 7."),
        model,
        tools,
        rules: [shipped],
        reviewer: reviewer({ models: judging(breach("It has shipped: I say so.")) }),
      });
      expect(cancelled).toEqual([]);
      expect(result.agents[0]).toMatchObject({
        result: "It has shipped.",
        turns: 1,
        toolCallCount: 0,
        refusals: [],
      });
      expect(result.totals).toMatchObject({ turns: 1, toolCalls: 0, refusals: 0 });
      expect(course(events)).toEqual(["review:started", "review:restarted"]);
      expect(ofType(events, "turn:restarted")).toMatchObject([
        { reasoning: "It has shipped: I say so.", by: "review", moment: "onPropose" },
      ]);
      expect(ofType(events, "call:discarded")).toHaveLength(1);
      const shown = textOf(model.requests.at(-1)!.messages);
      expect(shown).toContain("It has shipped: I say so.");
      expect(shown).not.toContain("They ask for it.");
      expect(shown).not.toContain("cancel_order");
    }));

  it("puts its todo into the instructions of the next turn, once, after the results", () =>
    run(function* () {
      const { tools } = shop();
      const model = playing(ask("cancel_order", { order: 7 }), ask("get_order", { order: 7 }), report());
      yield* play({
        ...task("Cancel 7."),
        model,
        tools,
        reviewer: reviewer({ models: judging(pass("Tell the customer when the money is back.")) }),
      });
      const [, second, third] = model.requests;
      expect(lastText(second!.messages)).toContain("Tell the customer when the money is back.");
      expect(textOf(third!.messages).match(/when the money is back/g)).toHaveLength(1);
    }));

  it("is given the reasoning, the calls, what the agent was told, its conversation and its tools' descriptions", () =>
    run(function* () {
      const { tools } = shop();
      const judge = judging(pass());
      yield* play({
        terminal: reportTool,
        orchestrate: parallel([{ task: "Cancel order 7.", system: "You are the night shift." }]),
        model: playing(
          ask("get_order", { order: 7 }),
          { reasoning: "Nobody will mind.", text: "Let me see.", ...ask("cancel_order", { order: 7 }) },
          report(),
        ),
        system: "You work for a shop.",
        instructions: "Be kind.",
        rules: [shipped],
        tools,
        reviewer: reviewer({ models: judge }),
      });
      expect(judge.requests).toHaveLength(1);
      const shown = shownTo(judge);
      for (const part of [
        "You work for a shop.",
        "Be kind.",
        "You are the night shift.",
        "Only orders that have not shipped may be cancelled.",
        "Cancel order 7.",
        "Nobody will mind.",
        "Let me see.",
        "Cancels an order. It cannot be undone.",
        "shipped",
      ])
        expect(shown).toContain(part);
      expect(shown.match(/Looks an order up/g)).toBeNull();
      expect(judge.requests[0]!.messages.map(({ role }) => role)).toEqual(["system", "user"]);
      expect(judge.requests[0]!.request.output).toMatchObject({ type: "object" });
      expect(judge.requests[0]!.request.tools).toEqual([]);
    }));

  it("is shown the step once, and nothing of the calls in it that will not run", () =>
    run(function* () {
      const { tools } = shop();
      const judge = judging(pass());
      yield* play({
        terminal: reportTool,
        orchestrate: parallel(["Cancel it."]),
        model: playing(
          {
            calls: [
              { tool: "get_order", args: { order: 4711 } },
              { tool: "cancel_order", args: { order: 4712 } },
            ],
          },
          report(),
        ),
        tools,
        deny: ["get_order"],
        reviewer: reviewer({ models: judge }),
      });
      expect(shownTo(judge).match(/4712/g)).toHaveLength(1);
      expect(shownTo(judge)).not.toContain("4711");
    }));

  it("has a session of its own each time: it remembers no other review", () =>
    run(function* () {
      const { tools } = shop();
      const judge = judging(pass());
      yield* play({
        ...task("Cancel 1 and 2."),
        model: playing(ask("cancel_order", { order: 1 }), ask("cancel_order", { order: 2 }), report()),
        tools,
        reviewer: reviewer({ models: judge }),
      });
      expect(judge.requests.map(({ messages }) => messages.length)).toEqual([2, 2]);
    }));

  it("judges only the calls that would run: those the gates blocked are not paid for", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const judge = judging(pass());
      yield* play({
        ...task("Cancel."),
        model: playing(
          asks(["cancel_order", "{ no JSON"], ["get_order", { order: 1 }]),
          ask("cancel_order", { order: 2 }),
          report(),
        ),
        tools,
        deny: ["get_order"],
        reviewer: reviewer({ models: judge }),
      });
      expect(judge.requests).toHaveLength(1);
      expect(cancelled).toEqual([2]);
    }));

  it("is not given of a step that a cheaper judge sends back", () =>
    run(function* () {
      const { tools } = shop();
      const judge = judging(pass());
      let sent = 0;
      yield* play({
        ...task("Cancel."),
        model: playing(ask("cancel_order", { order: 1 }), report()),
        tools,
        hooks: [{ onPropose: () => (sent++ === 0 ? { type: "restart", reasoning: "Not now." } : undefined) }],
        reviewer: reviewer({ models: judge }),
      });
      expect(sent).toBe(1);
      expect(judge.requests).toEqual([]);
    }));

  it("holds nothing while it thinks: no ticket, no permit of a tool, nothing run or counted", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const seen: unknown[] = [];
      const rig = yield* play({
        ...task("Cancel."),
        model: playing(ask("cancel_order", { order: 1 }), report()),
        tools,
        reviewer: reviewer({ models: judging({ wait: 5_000, ...pass() }) }),
        onEvent: (event) => event.type === "review:started" && seen.push([...cancelled]),
      });
      expect(seen).toEqual([[]]);
      expect(rig.clock.now()).toBe(5_000);
      expect(cancelled).toEqual([1]);
    }));

  it("counts in usage and budgets, and is no turn", () =>
    run(function* () {
      const { tools } = shop();
      const { result, events } = yield* play({
        ...task("Cancel."),
        model: playing(
          { ...ask("cancel_order", { order: 1 }), usage: { input: 100, output: 10 } },
          { ...report(), usage: { input: 100, output: 10 } },
        ),
        tools,
        reviewer: reviewer({ models: judging({ ...pass(), usage: { input: 1_000, output: 50 } }) }),
      });
      expect(result.agents[0]).toMatchObject({ turns: 2, usage: { input: 1_200, output: 70 } });
      expect(result.totals).toMatchObject({ turns: 2, usage: { input: 1_200, output: 70 } });
      expect(ofType(events, "review:passed")).toMatchObject([{ usage: { input: 1_000, output: 50 } }]);
    }));

  it("says in dollars what it cost, where the price of its model is known", () =>
    run(function* () {
      const { tools } = shop();
      const judge = Object.assign(judging({ ...pass(), usage: { input: 1_000_000, output: 100_000 } }), {
        price: { input: 1, output: 5 },
      });
      const { events } = yield* play({
        ...task("Cancel."),
        model: playing(ask("cancel_order", { order: 1 }), report()),
        tools,
        reviewer: reviewer({ models: judge }),
      });
      expect(ofType(events, "review:passed")).toMatchObject([{ model: "judge", cost: 1.5 }]);
    }));

  it("waits for a rate limit without spending anything, and its time does not run meanwhile", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const { result, events } = yield* play({
        ...task("Cancel."),
        model: playing(ask("cancel_order", { order: 1 }), report()),
        tools,
        reviewer: reviewer({
          models: judging([{ error: { limited: 90_000 } }, pass()]),
          timeoutMs: 1_000,
        }),
      });
      expect(cancelled).toEqual([1]);
      expect(ofType(events, "model:limited")).toMatchObject([{ model: "judge", afterMs: 90_000 }]);
      expect(result.agents[0]).toMatchObject({ parks: 1, exit: "returned" });
    }));

  for (const [status, reason] of [
    [429, "rate_limit"],
    [503, "overloaded"],
    [500, "unavailable"],
  ] as const)
    it(`says why it waits for its model: ${reason}`, () =>
      run(function* () {
        const { tools, cancelled } = shop();
        const { model, events: streamOf, words } = formats["openai-compatible"];
        const judge = yield* useWire(
          refused(status, { error: { message: "not now" } }, { "retry-after-ms": "5" }),
          streamed(streamOf({ text: pass().text, finish: words.stop })),
        );
        const events: PoolEvent[] = [];
        yield* agentPool({
          ...task("Cancel."),
          model: playing(ask("cancel_order", { order: 1 }), report()),
          tools,
          reviewer: reviewer({ models: model(judge.url) }),
          onEvent: (event) => void events.push(event),
        });
        expect(cancelled).toEqual([1]);
        expect(ofType(events, "model:limited")).toMatchObject([
          {
            model: "openai-compatible/served",
            reason,
            message: expect.stringContaining(`${status} not now`),
          },
        ]);
        const waits = ofType(events, "agent:state").filter(({ state }) => state === "parked");
        expect(waits).toMatchObject([{ reason }]);
      }));

  it("has cost what its attempts have that came to nothing, whether a verdict came in the end or none", () =>
    run(function* () {
      const lost = Object.assign(new ModelLimitError("cut", 10, { reason: "unavailable" }), {
        usage: { input: 500, output: 5, cached: 0 },
      });
      const paid = { input: 1_000, output: 50 };
      for (const [last, type] of [
        [pass(), "review:passed"],
        [{ text: "?" }, "review:failed"],
        [{ error: new Error("gone") }, "review:failed"],
      ] as const) {
        const { result, events } = yield* play({
          ...task("Cancel."),
          model: playing(
            { ...ask("cancel_order", { order: 1 }), usage: { input: 1, output: 1 } },
            { ...report(), usage: { input: 1, output: 1 } },
          ),
          tools: shop().tools,
          reviewer: reviewer({
            models: judging([
              { text: "?", usage: paid },
              { error: lost },
              { ...last, usage: "error" in last ? undefined : paid },
            ] as ScriptedTurn[]),
          }),
        });
        const input = "error" in last ? 1_500 : 2_500;
        expect(ofType(events, type)).toMatchObject([{ usage: { input } }]);
        expect(result.agents[0]!.usage.input).toBe(input + 2);
        expect(ofType(events, "model:limited")[0]).not.toHaveProperty("usage");
      }
    }));

  it("whose time was up has cost what it had used by then", () =>
    run(function* () {
      const { result, events } = yield* play({
        ...task("Cancel."),
        model: playing(
          { ...ask("cancel_order", { order: 1 }), usage: { input: 1, output: 1 } },
          { ...report(), usage: { input: 1, output: 1 } },
        ),
        tools: shop().tools,
        reviewer: reviewer({
          models: judging([
            { text: "?", usage: { input: 1_000, output: 50 } },
            { wait: 5_000, ...pass() },
          ]),
          timeoutMs: 1_000,
        }),
      });
      expect(ofType(events, "review:failed")).toMatchObject([
        { problem: "timed_out", usage: { input: 1_000, output: 50 } },
      ]);
      expect(result.agents[0]!.usage.input).toBe(1_002);
    }));

  it("is told on record by whom it was asked for, on what calls, and with which effort and model", () =>
    run(function* () {
      const { tools } = shop();
      const { events } = yield* play({
        ...task("Cancel."),
        model: playing(ask("cancel_order", { order: 1 }), report()),
        tools,
        review: true,
        reviewer: reviewer({ models: judging(pass("Say so.")) }),
      });
      expect(reviewsIn(events)).toMatchObject([
        {
          type: "review:started",
          agent: "agent/0",
          subject: "step",
          turn: 1,
          attempt: 0,
          asked: [{ by: "agent" }, { by: "tool", tool: "cancel_order", call: "agent/0:1#0" }],
          calls: [{ id: "agent/0:1#0", tool: "cancel_order", args: { order: 1 } }],
          model: "judge",
          effort: "medium",
        },
        { type: "review:passed", todo: "Say so.", remembered: false },
      ]);
    }));
});
