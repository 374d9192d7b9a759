import { agentPool, type Effort, type PoolEvent, parallel, reportTool } from "@agentpool/core";
import { type ScriptedTurn, scripted } from "@agentpool/models";
import { reviewer } from "@agentpool/review";
import { type Operation, run, suspend } from "effection";
import { describe, expect, it } from "vitest";
import { formats } from "../../packages/models/src/providers/formats.testing.ts";
import { streamed, useWire } from "../../packages/models/src/providers/wire.testing.ts";
import { ask, finish, ofType, open, play, playing, quiet, report, textOf } from "../scenarios/support.ts";
import { breach, course, judging, pass, reviewsIn, shop } from "./support.ts";

const base = { terminal: reportTool, orchestrate: parallel(["Cancel it."]) };

/** An agent that wants to cancel another order each time, and then gives up. */
const stubborn = (times: number) =>
  playing(
    ...Array.from({ length: times }, (_, order) => ask("cancel_order", { order })),
    report("I gave up."),
  );

describe("restarts", () => {
  for (const [effort, limit] of [
    ["low", 2],
    ["medium", 3],
    ["high", 5],
    ["max", 10],
  ] as const)
    it(`are ${limit} for an agent's task at effort ${effort}: the next breach is refused, and the model reads why`, () =>
      run(function* () {
        const { tools, cancelled } = shop();
        // a rewound session holds what took the place of its turns: the script goes on behind them
        const model = stubborn(limit + 1);
        const { result, events } = yield* play({
          ...base,
          model,
          tools,
          effort,
          reviewer: reviewer({ models: judging(breach("Not this one.")) }),
        });
        expect(ofType(events, "review:restarted").map(({ restarts }) => restarts)).toEqual(
          Array.from({ length: limit }, (_, at) => at + 1),
        );
        expect(ofType(events, "review:failed")).toMatchObject([
          { problem: "exhausted", adjustedReasoning: "Not this one." },
        ]);
        expect(cancelled).toEqual([]);
        expect(result.agents[0]!.refusals).toMatchObject([{ tool: "cancel_order", guard: "review" }]);
        expect(textOf(model.requests.at(-1)!.messages)).toMatch(/sent back \d+ times already. Not this one/);
        expect(result.agents[0]).toMatchObject({ result: "I gave up.", turns: 2 });
      }));

  it("are counted over the task and not by turn", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const { events } = yield* play({
        ...base,
        model: stubborn(5),
        tools,
        effort: "low",
        reviewer: reviewer({ models: judging(breach(), pass(), breach(), pass(), breach()) }),
      });
      expect(course(events).filter((type) => type !== "review:started")).toEqual([
        "review:restarted",
        "review:passed",
        "review:restarted",
        "review:passed",
        "review:failed",
      ]);
      expect(cancelled).toEqual([1, 3]);
    }));

  it("are each agent's own", () =>
    run(function* () {
      const { tools } = shop();
      const { events } = yield* play({
        ...base,
        orchestrate: parallel(["a", "b"]),
        model: stubborn(2),
        tools,
        effort: "low",
        reviewer: reviewer({ models: judging(breach()), restarts: { low: 1 } }),
      });
      expect(ofType(events, "review:restarted").map(({ agent, limit }) => [agent, limit])).toEqual([
        ["agent/0", 1],
        ["agent/1", 1],
      ]);
    }));

  it("are as many as the reviewer is told, none included", () =>
    run(function* () {
      for (const limit of [0, 4, 12]) {
        const { tools } = shop();
        const { events } = yield* play({
          ...base,
          model: stubborn(limit + 1),
          tools,
          reviewer: reviewer({ models: judging(breach()), restarts: { medium: limit } }),
        });
        expect(ofType(events, "review:restarted")).toHaveLength(limit);
      }
    }));

  it("follow the effort of the turn, which a rule that matched has raised", () =>
    run(function* () {
      const { tools } = shop();
      const { events } = yield* play({
        ...base,
        model: stubborn(6),
        tools,
        effort: "low",
        rules: [{ title: "Care", content: "Care.", effort: "high" }],
        reviewer: reviewer({
          models: {
            "review.rules": judging({ text: '{"applies":["r1"]}' }),
            "review.tools": judging(breach()),
          },
        }),
      });
      expect(ofType(events, "review:restarted")).toHaveLength(5);
    }));

  for (const [what, restarts] of [
    ["an effort there is not", { hihg: 3 }],
    ["min", { min: 3 }],
    ["a count below 0", { low: -1 }],
    ["half a restart", { low: 0.5 }],
  ] as const)
    it(`cannot be configured with ${what}`, () => {
      expect(() =>
        reviewer({ restarts: restarts as Partial<Record<Exclude<Effort, "min">, number>> }),
      ).toThrow(/reviewer\.restarts.*accepted are/);
    });
});

describe("a review without a verdict", () => {
  const refusing = (models: Parameters<typeof reviewer>[0], more: object = {}) =>
    run(function* () {
      const { tools, cancelled } = shop();
      const model = playing(ask("cancel_order", { order: 1 }), report("Not cancelled."));
      const rig = yield* play({ ...base, model, tools, ...more, reviewer: reviewer(models) });
      expect(cancelled).toEqual([]);
      expect(rig.result.agents[0]!.refusals).toMatchObject([
        {
          tool: "cancel_order",
          guard: "review",
          message: expect.stringContaining("it has to be reviewed first"),
        },
      ]);
      return ofType(rig.events, "review:failed");
    });

  for (const [how, ...said] of [
    ["no JSON", { text: "Looks fine to me!" }, { text: "Really, it does." }],
    ["nothing", {}, {}],
    ["another form", { text: '{"passed":"yes"}' }, { text: "true" }],
    [
      "a breach without a reasoning",
      { text: '{"passed":false}' },
      { text: '{"passed":false,"adjustedReasoning":" "}' },
    ],
    ["a call", { calls: [{ tool: "cancel_order", args: { order: 1 } }] }, { text: "[]" }],
  ] as readonly (readonly [string, ...ScriptedTurn[]])[])
    it(`because it answered ${how}, twice, refuses the calls: malformed`, async () => {
      const judge = judging(said);
      expect(await refusing({ models: judge })).toMatchObject([{ problem: "malformed" }]);
      expect(judge.requests).toHaveLength(2);
    });

  for (const [name, { model, events: streamOf, words }] of Object.entries(formats))
    it(`because ${name} gave no JSON, also when its client asked it again, refuses the calls: malformed, and both answers are paid for`, () =>
      run(function* () {
        const { tools, cancelled } = shop();
        const fine = streamOf({
          text: "Looks fine to me!",
          finish: words.stop,
          usage: { input: 300, output: 20, cached: 0 },
        });
        const judge = yield* useWire(streamed(fine), streamed(fine));
        const events: PoolEvent[] = [];
        const { totals } = yield* agentPool({
          ...base,
          model: playing(ask("cancel_order", { order: 1 }), report("Not cancelled.")),
          tools,
          reviewer: reviewer({ models: model(judge.url) }),
          onEvent: (event) => void events.push(event),
        });
        expect(cancelled).toEqual([]);
        expect(judge.received).toHaveLength(2);
        expect(ofType(events, "review:failed")).toMatchObject([
          { problem: "malformed", usage: { input: 600, output: 40 } },
        ]);
        expect(totals.usage.input).toBeGreaterThanOrEqual(600);
      }));

  it("because its model failed refuses the calls: model", async () => {
    const judge = judging({ error: new Error("503 overloaded") });
    expect(await refusing({ models: judge })).toMatchObject([
      { problem: "model", message: expect.stringContaining("503 overloaded") },
    ]);
  });

  it("because its model cannot be opened refuses the calls: model", async () => {
    const broken = {
      ...judging(pass()),
      *open(): Generator<never, never> {
        throw new Error("no key");
      },
    };
    expect(await refusing({ models: broken })).toMatchObject([
      { problem: "model", message: "judge: no key" },
    ]);
  });

  it("because its model does not open in time refuses the calls: timed_out", async () => {
    const closed = {
      ...judging(pass()),
      *open(): Operation<never> {
        yield* suspend();
        throw new Error("never");
      },
    };
    expect(await refusing({ models: closed, timeoutMs: 1_000 })).toMatchObject([{ problem: "timed_out" }]);
  });

  it("because its time was up refuses the calls: timed_out, with its repair in the same time", async () => {
    const slow = judging([
      { wait: 700, text: "?" },
      { wait: 700, ...pass() },
    ]);
    expect(await refusing({ models: slow, timeoutMs: 1_000 })).toMatchObject([{ problem: "timed_out" }]);
    expect(slow.requests).toHaveLength(2);
  });

  it("because the run's budget is used refuses the calls: budget", async () => {
    const dear = judging({ ...pass() });
    const failed = await refusing({ models: dear }, { budget: { maxTokens: 900 }, recovery: "none" });
    expect(failed).toMatchObject([{ problem: "budget" }]);
    expect(dear.requests).toEqual([]);
  });

  it("because the run winds down withdraws from a rate limit: withdrawn", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const rig = yield* open({
        ...base,
        model: playing(ask("cancel_order", { order: 1 }), report("Stopped.")),
        tools,
        reviewer: reviewer({ models: judging([{ error: { limited: 60_000 } }, pass()]) }),
      });
      yield* quiet;
      rig.handle.windDown();
      const { agents } = yield* finish(rig);
      expect(cancelled).toEqual([]);
      expect(ofType(rig.events, "review:failed")).toMatchObject([{ problem: "withdrawn" }]);
      expect(agents[0]).toMatchObject({ exit: "cancelled", result: "Stopped." });
    }));

  it("waits for a permit like any generation, which costs it no time", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const { events } = yield* play({
        ...base,
        orchestrate: parallel(["a", "b", "c"]),
        model: scripted(({ key }) => [
          { wait: 400, ...ask("cancel_order", { order: Number(key.at(-1)) }) },
          { wait: 400, ...report() },
        ]),
        tools,
        budget: { concurrentGenerations: 1 },
        reviewer: reviewer({ models: judging({ wait: 400, ...pass() }), timeoutMs: 500 }),
      });
      expect(cancelled.sort()).toEqual([0, 1, 2]);
      expect(ofType(events, "review:passed")).toHaveLength(3);
    }));

  it("uses up the run's budget with what it uses: its agent then reports, and nothing more is reviewed", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const { result, events } = yield* play({
        ...base,
        model: playing(
          ask("cancel_order", { order: 1 }),
          ask("cancel_order", { order: 2 }),
          report("what I have"),
        ),
        tools,
        budget: { maxTokens: 20_000 },
        reviewer: reviewer({ models: judging({ ...pass(), usage: { input: 19_000, output: 600 } }) }),
      });
      expect(cancelled).toEqual([1]);
      expect(result.agents[0]).toMatchObject({ exit: "budget" });
      expect(ofType(events, "budget:threshold").map(({ share }) => share)).toEqual([0.5, 0.75, 0.9]);
    }));

  it("repaired once, is a verdict like any other, and both answers are paid for", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const judge = judging([
        { text: "Fine.", usage: { input: 10, output: 1 } },
        { ...pass(), usage: { input: 20, output: 2 } },
      ]);
      const { events } = yield* play({
        ...base,
        model: playing(ask("cancel_order", { order: 1 }), report()),
        tools,
        reviewer: reviewer({ models: judge }),
      });
      expect(cancelled).toEqual([1]);
      expect(ofType(events, "review:passed")).toMatchObject([{ usage: { input: 30, output: 3 } }]);
      expect(textOf(judge.requests[1]!.messages.slice(-1))).toContain("not of the form");
    }));

  it("in a code fence is a verdict too", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      yield* play({
        ...base,
        model: playing(ask("cancel_order", { order: 1 }), report()),
        tools,
        reviewer: reviewer({ models: judging({ text: `\`\`\`json\n${pass().text}\n\`\`\`` }) }),
      });
      expect(cancelled).toEqual([1]);
    }));

  it("of an agent that is cancelled ends with it, and leaves nothing", () =>
    run(function* () {
      const { tools } = shop();
      const judge = judging({ wait: suspend() });
      const rig = yield* open({
        ...base,
        model: playing(ask("cancel_order", { order: 1 }), report()),
        tools,
        reviewer: reviewer({ models: judge }),
      });
      yield* quiet;
      expect(judge.requests).toHaveLength(1);
      yield* rig.handle.cancel("agent/0");
      const { agents } = yield* finish(rig);
      expect(agents[0]!.exit).toBe("cancelled");
      expect(reviewsIn(rig.events).map(({ type }) => type)).toEqual(["review:started"]);
    }));
});
