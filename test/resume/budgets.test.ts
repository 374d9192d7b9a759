import { type AgentPoolOptions, type Model, parallel } from "@agentpool/core";
import { run } from "effection";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, finish, held, instant, ofType, playing, quiet, report, textOf } from "../scenarios/support.ts";
import { worlds } from "../simulation/arbitrary.ts";
import { play as playWorld } from "../simulation/drive.ts";
import { clockAfter, memoryJournal } from "./memory-journal.ts";
import { crash, on, pool, resume, shown, since, takeUp } from "./support.ts";

const usage = { input: 100, output: 10, cached: 0 };
const priced = (model: ReturnType<typeof playing>): Model =>
  Object.assign(model, { price: { input: 1_000, output: 1_000 } });

describe("what a run has used when it is taken up", () => {
  const turns = Array.from({ length: 9 }, (_, at) => ({ ...ask("find", { q: `${at}` }), usage }));

  it.each([
    ["tokens", { maxTokens: 600 }],
    ["dollars", { maxCost: 0.6 }],
  ])("counts against its budget of %s", (_, limit) =>
    run(function* () {
      const make = () =>
        pool({
          model: priced(playing(...turns)),
          tools: [instant("find")],
          budget: { maxTurns: 20, ...limit },
        });
      const whole = yield* resume(make(), []);
      const entries = yield* crash(make(), on("call:settled", "agent/0:2#0"));
      const again = yield* resume(make(), entries);
      expect(whole.result.agents[0]!.exit).toBe("budget");
      expect(again.result).toEqual(whole.result);
    }),
  );

  it("counts against its time, but not the time in which nobody worked on it", () =>
    run(function* () {
      const script = [ask("wait"), report("in time")];
      const budget = { wallClock: { soft: 10_000, hard: 20_000 } };
      const make = () =>
        pool({ model: playing(...script), tools: [held("wait", { idempotent: true })], budget });
      const clock = clockAfter([]);
      const entries = yield* crash(
        { ...make(), clock },
        (event) => event.type === "agent:steered",
        function* (rig) {
          clock.advance(6_000);
          yield* quiet;
          rig.handle.steer("agent/0", "Still there?");
        },
      );
      const later = clockAfter(entries);
      later.advance(86_400_000);
      const rig = yield* takeUp({ ...make(), clock: later }, entries);
      later.advance(3_999);
      yield* quiet;
      expect(rig.outcome).toEqual({});
      later.advance(1);
      yield* quiet;
      expect(ofType(since(rig.events), "call:settled")).toEqual([]);
      later.advance(10_000);
      const result = yield* finish(rig);
      expect(result.agents[0]!.exit).toBe("deadline");
      expect(ofType(since(rig.events), "budget:exhausted")).toHaveLength(1);
      expect(ofType(since(rig.events), "budget:threshold").map(({ share }) => share)).toEqual([
        0.5, 0.75, 0.9,
      ]);
    }));

  it("waits out what is left of a limit of its model", () =>
    run(function* () {
      const script = [{ error: { limited: 60_000 } }, report()];
      const entries = yield* crash(pool({ model: playing(...script), tools: [] }), on("model:limited"));
      const model = playing(report());
      const rig = yield* takeUp(pool({ model, tools: [] }), entries);
      rig.clock.advance(59_999);
      yield* quiet;
      expect(model.requests).toEqual([]);
      rig.clock.advance(1);
      const result = yield* finish(rig);
      expect(result.agents[0]).toMatchObject({ exit: "returned", parks: 1, turns: 1 });
    }));

  it("leaves agents their limits: turns that were taken are taken", () =>
    run(function* () {
      const make = () =>
        pool({
          model: playing(...turns),
          tools: [instant("find")],
          budget: { maxTurns: 3, maxToolCalls: 2 },
        });
      const whole = yield* resume(make(), []);
      const entries = yield* crash(make(), on("call:admitted", "agent/0:2#0"));
      expect((yield* resume(make(), entries)).result).toEqual(whole.result);
    }));

  it("leaves values that models may not see their placeholders", () =>
    run(function* () {
      const script = [ask("look"), ask("find", { q: "[EMAIL_1] and [EMAIL_2]" }), report()];
      const look = { ...instant("look"), execute: () => "Ask bea@example.org." };
      const make = (tool = instant("find")) =>
        pool({
          model: playing(...script),
          tools: [tool, look],
          redact: {},
          orchestrate: parallel(["Write to ann@example.org."]),
        });
      const whole = make();
      yield* resume(whole, []);
      const entries = yield* crash(make(), on("call:admitted", "agent/0:1#0"));
      const find = instant("find");
      const again = make(find);
      yield* resume(again, entries);
      const last = (model: Model) =>
        textOf((model as ReturnType<typeof playing>).requestsOf("agent/0").at(-1)!.messages);
      expect(last(again.model!)).toBe(last(whole.model!));
      expect(find.asked).toEqual(["ann@example.org and bea@example.org"]);
      // the record alone knows them
      expect(JSON.stringify(entries.filter(({ type }) => type === "record:redacted"))).toContain(
        "ann@example.org",
      );
    }));

  it("leaves a result the form that its task asks for", () =>
    run(function* () {
      const output = z.object({ day: z.string().transform((day) => new Date(day)) });
      const script = [{ text: '{"day":"2020-02-03"}' }];
      const orchestrate = parallel([
        { task: "when", output },
        { task: "wait", key: "1" },
      ]);
      const make = () => ({
        ...pool({ model: playing(...script), tools: [] }),
        terminal: undefined,
        orchestrate,
      });
      const entries = yield* crash(make(), on("agent:ended", "agent/0"));
      const { result } = yield* resume(make(), entries);
      expect(result.agents[0]!.result).toEqual({ day: new Date("2020-02-03") });
    }));
});

describe("where no undecided calls compete", () => {
  it("the result is the same as without an interruption, from any prefix of the record", async () => {
    const alone = worlds.map((world) => ({
      ...world,
      agents: 1,
      delegate: 0,
      never: 0,
      memory: 0,
      scope: "lineage" as const,
    }));
    await fc.assert(
      fc.asyncProperty(alone, fc.double({ min: 0, max: 1, noNaN: true }), async (world, share) => {
        const idempotent = ({ tools, terminal }: AgentPoolOptions): Partial<AgentPoolOptions> => ({
          tools: tools!.map((tool) => ({ ...tool, idempotent: true })),
          ...(terminal ? { terminal: { ...terminal, idempotent: true } } : {}),
        });
        const journal = memoryJournal();
        const whole = await playWorld(world, undefined, {
          adapt: (options) => ({ ...options, run: "r", journal, ...idempotent(options) }),
        });
        const prefix = journal.entries.slice(0, Math.floor(share * (journal.entries.length + 1)));
        const again = await playWorld(world, undefined, {
          clock: clockAfter(prefix),
          adapt: (options) => ({
            ...options,
            run: "r",
            journal: memoryJournal(prefix),
            ...idempotent(options),
          }),
        });
        expect(again.result).toEqual(whole.result);
        // and so is all that the model was shown on the way, to the byte
        for (const { key, turn, messages } of again.witness.moments) {
          const same = whole.witness.moments.filter((moment) => moment.key === key && moment.turn === turn);
          expect(same.map((moment) => shown(moment.messages))).toContain(shown(messages));
        }
      }),
      { numRuns: Number(process.env.AGENTPOOL_WORLDS ?? 60) },
    );
  }, 600_000);
});
