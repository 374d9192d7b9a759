import {
  type AdmitInput,
  agentPool,
  delegate,
  estimateTokens,
  type PoolContext,
  parallel,
  type ToolLifecycleHooks,
} from "@agentpool/core";
import { type ScriptedModel, type ScriptedTurn, type Scripts, scripted } from "@agentpool/models";
import { run } from "effection";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ask,
  asks,
  finish,
  held,
  instant,
  leftovers,
  ofType,
  quiet,
  report,
  shown,
  textOf,
  unanswered,
} from "../scenarios/support.ts";
import { openLife, playLife, shownIn } from "./support.ts";

const windowed = (contextWindow: number, ...turns: ScriptedTurn[]): ScriptedModel =>
  scripted(() => turns, { contextWindow });

/** A model whose sessions share a memory of so many tokens. */
const sharing = (tokens: number, scripts: Scripts): ScriptedModel => ({
  ...scripted(scripts),
  capacity: { tokens },
});

/** A tool whose result takes about as many tokens as it is asked for. */
const page = (name = "read") =>
  instant(name, {
    execute: ({ q }) => "x".repeat(4 * Number(q)),
  });

const read = (tokens: number): ScriptedTurn => ask("read", { q: `${tokens}` });

describe("an agent's context", () => {
  it("past its soft limit the agent is told once to come to an end, and goes on", () =>
    run(function* () {
      const model = windowed(8_000, read(6_200), read(10), read(20), report());
      const { result } = yield* playLife({ model, tools: [page()] });
      expect(result.agents[0]).toMatchObject({ exit: "returned", turns: 4, toolCallCount: 3 });
      const told = model.requests.map(
        ({ messages }) => textOf(messages).split("Your context is filling up").length - 1,
      );
      expect(told).toEqual([0, 1, 1, 1]);
    }));

  it("past its hard limit the agent gets one forced report, and no turn more", () =>
    run(function* () {
      const long = "y".repeat(4 * 7_300);
      const model = windowed(
        8_000,
        { ...read(10), reasoning: long, text: long },
        report("what I have"),
        read(1),
      );
      const { result, events } = yield* playLife({ model, tools: [page()] });
      expect(result.agents[0]).toMatchObject({ exit: "context", result: "what I have", turns: 1 });
      expect(ofType(events, "turn:started").map(({ forced }) => forced)).toEqual([false, true]);
      expect(ofType(events, "budget:exhausted")).toMatchObject([{ budget: "context" }]);
    }));

  it("has limits that are shares of the window, as the budget says", () =>
    run(function* () {
      const model = windowed(8_000, read(900), report());
      yield* playLife({ model, tools: [page()], budget: { context: { soft: 0.1, hard: 0.2 } } });
      expect(textOf(model.requests[1]!.messages)).toContain("Your context is filling up");
    }));

  it("takes an oversized result up to its limit, with a notice of how much was left out; it counts as read", () =>
    run(function* () {
      const model = windowed(8_000, read(50_000), report());
      const { result } = yield* playLife({ model, tools: [page()] });
      const value = String(shownIn(model, 2)[0]!.value);
      expect(value).toMatch(/Cut to fit: \d+ of 200000 characters were left out/);
      const kept = 200_000 - Number(/Cut to fit: (\d+)/.exec(value)![1]);
      expect(value.startsWith("x".repeat(kept))).toBe(true);
      expect(estimateTokens(value)).toBeLessThanOrEqual(7_200);
      expect(result.agents[0]).toMatchObject({ exit: "returned", attendedCount: 1 });
    }));

  it("takes several results of one step in order, each to what those before it left", () =>
    run(function* () {
      const model = windowed(
        8_000,
        asks(["read", { q: "5000" }], ["read", { q: "5000" }], ["read", { q: "10" }]),
        report(),
      );
      yield* playLife({ model, tools: [page()] });
      const values = shownIn(model, 2).map(({ value }) => String(value));
      expect(values[0]).toHaveLength(20_000);
      expect(values[1]).toContain("Cut to fit");
      expect(unanswered(model.requests[1]!.messages)).toEqual([]);
    }));

  it("asks beforeAdmit only where a result does not fit, and shows by how much", () =>
    run(function* () {
      const asked: Pick<AdmitInput, "tokens" | "room">[] = [];
      const model = windowed(8_000, read(100), read(9_000), report());
      yield* playLife({
        model,
        tools: [page()],
        hooks: [{ beforeAdmit: ({ tokens, room }) => void asked.push({ tokens, room }) }],
      });
      expect(asked).toMatchObject([{ tokens: 9_000 }]);
      expect(asked[0]!.room).toBeLessThan(7_200);
    }));

  it("of which there is hardly any left drops a result: it is not read, and the agent reports what it has", () =>
    run(function* () {
      const model = windowed(8_000, read(7_050), read(300), report("what I have"));
      const { result } = yield* playLife({ model, tools: [page()] });
      expect(result.agents[0]).toMatchObject({ exit: "context", result: "what I have", attendedCount: 1 });
      expect(String(shown(model.requests.at(-1)!.messages).at(-1)!.value)).toContain("was left out");
    }));
});

describe("where sessions share a memory", () => {
  const two = (tokens: number, hooks: readonly ToolLifecycleHooks[] = []) => {
    const hold = held("hold", { timeoutMs: 1e9 });
    const model = sharing(tokens, (({ key }) =>
      key.endsWith("big")
        ? [read(4_000), ask("hold"), report("big")]
        : [{ wait: 1, ...read(4_000) }, report("late")]) as Scripts);
    return {
      hold,
      model,
      options: {
        model,
        hooks,
        tools: [page(), hold],
        orchestrate: parallel([
          { task: "big", key: "big" },
          { task: "late", key: "late" },
        ]),
      },
    };
  };

  it("a result is deferred while a sibling can make room by ending, and then read whole", () =>
    run(function* () {
      const asked: unknown[] = [];
      const { hold, model, options } = two(8_000, [{ beforeAdmit: (input) => void asked.push(input) }]);
      const rig = yield* openLife(options);
      rig.clock.step();
      yield* quiet;
      expect(ofType(rig.events, "agent:state").at(-1)).toMatchObject({
        agent: "agent/late",
        state: "parked",
        reason: "room",
      });
      expect(model.requestsOf("agent/late")).toHaveLength(1);
      hold.running[0]!.succeed();
      const { agents } = yield* finish(rig);
      expect(agents.map(({ exit, attendedCount }) => [exit, attendedCount])).toEqual([
        ["returned", 2],
        ["returned", 1],
      ]);
      expect(String(shown(model.requestsOf("agent/late")[1]!.messages)[0]!.value)).toHaveLength(16_000);
      expect(asked).toEqual([]);
      expect(leftovers(rig)).toEqual([]);
    }));

  it("waiting for room costs no turn, no token and no line of context", () =>
    run(function* () {
      const { hold, options } = two(8_000);
      const rig = yield* openLife(options);
      rig.clock.step();
      yield* quiet;
      rig.clock.advance(3_600_000);
      yield* quiet;
      hold.running[0]!.succeed();
      const { agents } = yield* finish(rig);
      expect(agents[1]).toMatchObject({ turns: 2, parks: 1, toolCallCount: 1 });
    }));

  it("beforeAdmit is asked only at a genuine stall, when nobody can make room any more; and of one agent at a time", () =>
    run(function* () {
      const asked: string[] = [];
      const model = sharing(8_000, () => [read(2_800), { wait: 10, ...read(2_801) }, report()]);
      const { result } = yield* playLife({
        model,
        tools: [page()],
        hooks: [
          {
            beforeAdmit: ({ agent }) => {
              asked.push(agent.key);
              return { type: "drop" };
            },
          },
        ],
        orchestrate: parallel(["a", "b"]),
      });
      // both have read one page, and neither can read the second: the first drops it and ends, the other reads on
      expect(asked).toEqual(["agent/0"]);
      expect(result.agents.map(({ exit, attendedCount }) => [exit, attendedCount])).toEqual([
        ["context", 1],
        ["returned", 2],
      ]);
    }));

  it("at a stall a hook may nudge instead: the agent reads that, and goes on", () =>
    run(function* () {
      const model = sharing(8_000, () => [read(2_800), { wait: 10, ...read(2_801) }, report("done")]);
      const { result } = yield* playLife({
        model,
        tools: [page()],
        hooks: [{ beforeAdmit: () => ({ type: "nudge", message: "Ask for a smaller part." }) }],
        orchestrate: parallel(["a", "b"]),
      });
      expect(result.agents.map(({ exit }) => exit)).toEqual(["returned", "returned"]);
      expect(textOf(model.requestsOf("agent/0").at(-1)!.messages)).toContain("Ask for a smaller part.");
    }));

  it("M4: spawning many agents at once reserves room for each; the rest wait, and none dies at turn 0", () =>
    run(function* () {
      const model = sharing(8_192, () => [{ wait: 10, ...read(500) }, report("done")]);
      const { result, events } = yield* playLife({
        model,
        tools: [page()],
        orchestrate: parallel(Array.from({ length: 30 }, (_, index) => `task ${index}`)),
      });
      expect(result.agents.map(({ exit, attendedCount }) => [exit, attendedCount])).toEqual(
        result.agents.map(() => ["returned", 1]),
      );
      let live = 0;
      let most = 0;
      for (const { type } of events) {
        if (type === "agent:spawned") most = Math.max(most, ++live);
        if (type === "agent:ended") live--;
      }
      expect(most).toBeLessThanOrEqual(7);
      expect(most).toBeGreaterThan(3);
    }));

  it("what a fork shares with its spine is counted once", () =>
    run(function* () {
      const long = "z".repeat(4 * 5_000);
      const model = sharing(12_000, () => [{ wait: 10, ...read(500) }, report()]);
      const fits: boolean[] = [];
      const { result } = yield* playLife({
        model,
        tools: [page()],
        *orchestrate(pool: PoolContext) {
          yield* pool.extendSpine("Read this.", long);
          const agents = [];
          for (const key of ["a", "b", "c"]) agents.push(yield* pool.spawn({ task: key, key }));
          fits.push(pool.canFit(1_000), pool.canFit(4_000));
          for (const agent of agents) yield* pool.waitFor(agent);
        },
      });
      expect(result.agents.map(({ exit, parks }) => [exit, parks])).toEqual([
        ["returned", 0],
        ["returned", 0],
        ["returned", 0],
      ]);
      expect(fits).toEqual([true, false]);
    }));

  it("a caller whose helpers wait for room cannot make any: they are told at the stall, and all come to an end", () =>
    run(function* () {
      const model = sharing(8_000, (({ key }) =>
        key.includes("~")
          ? [read(3_000), read(3_000), report("helped")]
          : [read(2_000), ask("delegate", { tasks: ["h1", "h2"] }), report("done")]) as Scripts);
      const { result, events } = yield* playLife({ model, tools: [page(), delegate()] });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "done" });
      expect(ofType(events, "agent:ended")).toHaveLength(3);
    }));

  it("is one for models that say so, and each other's where they do not", () =>
    run(function* () {
      const capacity = { tokens: 8_000 };
      const make = (shared: boolean): ScriptedModel => ({
        ...scripted(() => [read(5_000), { wait: 10, ...report() }]),
        ...(shared ? { capacity } : {}),
      });
      for (const [shared, parks] of [
        [true, 1],
        [false, 0],
      ] as const) {
        const [a, b] = [make(shared), make(shared)];
        const { result } = yield* playLife({
          model: a,
          tools: [page()],
          *orchestrate(pool: PoolContext) {
            const one = yield* pool.spawn({ task: "a", key: "a" });
            const other = yield* pool.spawn({ task: "b", key: "b", model: b });
            yield* pool.waitFor(one);
            yield* pool.waitFor(other);
          },
        });
        expect(result.totals.parks).toBe(parks);
        expect(result.agents.map(({ attendedCount }) => attendedCount)).toEqual([1, 1]);
      }
    }));

  it("winding down and cancelling reach those who wait for it", () =>
    run(function* () {
      for (const how of ["wind", "cancel"] as const) {
        const { hold, options } = two(8_000);
        const rig = yield* openLife(options);
        rig.clock.step();
        yield* quiet;
        if (how === "wind") rig.handle.windDown();
        else expect(yield* rig.handle.cancel("agent/late")).toBe(true);
        yield* quiet;
        hold.running[0]!.succeed();
        const { agents } = yield* finish(rig);
        expect(agents[1]!.exit).toBe("cancelled");
        expect(leftovers(rig)).toEqual([]);
      }
    }));

  it("a nested pool in it, and one that an orchestrator opens, share it too", () =>
    run(function* () {
      const shared = sharing(8_000, (() => [read(3_200), { wait: 5, ...report() }]) as Scripts);
      const { result } = yield* playLife({
        model: shared,
        tools: [page()],
        *orchestrate(pool: PoolContext) {
          const one = yield* pool.spawn({ task: "a", key: "a" });
          yield* agentPool({ key: "inner", orchestrate: parallel(["b", "c"]) });
          yield* pool.waitFor(one);
        },
      });
      expect(result.totals.agents).toBe(3);
      expect(result.totals.attended).toBe(3);
    }));

  it(
    "never stalls for good, whatever agents read and whoever delegates: each comes to its end, and every call is answered",
    { timeout: 60_000 },
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.array(fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.constant("delegate" as const)), {
              minLength: 1,
              maxLength: 4,
            }),
            { minLength: 1, maxLength: 5 },
          ),
          fc.integer({ min: 3_000, max: 12_000 }),
          async (agents, tokens) => {
            await run(function* () {
              const model = sharing(tokens, (({ key }) => {
                if (key.includes("~")) return [read(700), report("helped")];
                const steps = agents[Number(key.split("/")[1])]!;
                return [
                  ...steps.map((step, at) => ({
                    wait: at,
                    ...(step === "delegate" ? ask("delegate", { tasks: [`h${at}`, `g${at}`] }) : read(step)),
                  })),
                  report(),
                ];
              }) as Scripts);
              const rig = yield* openLife({
                model,
                tools: [page(), delegate()],
                repetition: false,
                orchestrate: parallel(agents.map((_, index) => `task ${index}`)),
              });
              const result = yield* finish(rig);
              expect(result.agents.every(({ exit }) => exit === "returned" || exit === "context")).toBe(true);
              for (const { messages } of model.requests) expect(unanswered(messages)).toEqual([]);
            });
          },
        ),
        { numRuns: 150 },
      ),
  );
});
