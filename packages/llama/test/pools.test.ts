import {
  type AgentPoolOptions,
  agentPool,
  defineTool,
  delegate,
  type Model,
  type PoolEvent,
  type PoolResult,
  parallel,
  refuse,
  reportTool,
  type ToolLifecycleHooks,
  ToolRetryError,
  useAgentPool,
} from "@agentpool/core";
import { fallback, scripted } from "@agentpool/models";
import { type Operation, run, scoped, spawn, until } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { shapes } from "../src/testing/index.ts";
import { noiseModel, useWatched, type WatchedModel } from "./noise.ts";

/** Its strings come to an end soon, so that its calls do. */
const path = noiseModel({ habits: { "<|im_end|>": 4.5, '"': 8, "]": 6, "}": 6 } });
const endless = noiseModel({ habits: {} });

/** A tool that noise calls with some text; counts. */
function counting(execute: (attempt: number) => unknown = () => "It was looked up.") {
  let calls = 0;
  const tool = defineTool({
    name: "look",
    description: "Looks something up.",
    parameters: z.object({ what: z.string().max(20) }),
    execute: () => execute(++calls),
  });
  return { tool, calls: () => calls };
}

interface Played extends PoolResult {
  readonly events: readonly PoolEvent[];
}

function* play(model: WatchedModel, options: Omit<AgentPoolOptions, "model">): Operation<Played> {
  const events: PoolEvent[] = [];
  const result = yield* agentPool({
    model,
    system: "You look things up, and report.",
    terminal: reportTool,
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { ...result, events };
}

/** An agent's first call is of this tool, whatever the noise says. */
const first = (tool: string, args: Record<string, unknown>): ToolLifecycleHooks => ({
  name: "first",
  rewrite: ({ agent, call }) =>
    agent.turns <= 1 && call.tool !== tool ? { type: "rewrite", tool, args, mode: "replace" } : undefined,
});

const ofType = <T extends PoolEvent["type"]>(events: readonly PoolEvent[], type: T) =>
  events.filter((event): event is Extract<PoolEvent, { type: T }> => event.type === type);

/** Nothing of a pool is left in the model. */
function expectAtRest({ kernel, loaded }: WatchedModel): void {
  expect(kernel.samplers).toBe(0);
  expect(loaded.seats.writing).toBe(0);
  expect(loaded.engine.busy).toBe(false);
}

const failures = (agents: PoolResult["agents"]) =>
  agents.flatMap(({ exit, reason }) => (exit === "model_error" ? [reason] : []));

const tasks = (count: number) => parallel(Array.from({ length: count }, (_, at) => `Look up ${at}.`));
const calling = { calls: "always", maxTokens: 1_000 } as const;

describe("a pool on a model in this process", () => {
  it("calls tools with arguments that fit their schemas, and reports with a result that fits", () =>
    run(function* () {
      const model = yield* useWatched(path, { ...calling, sequences: 4 });
      const { tool, calls } = counting();
      const { agents, events } = yield* play(model, { tools: [tool], orchestrate: tasks(3) });
      expect(agents.map(({ exit }) => exit).every((exit) => ["returned", "max_turns"].includes(exit))).toBe(
        true,
      );
      expect(agents.map(({ report }) => typeof (report as { result: string }).result)).toEqual([
        "string",
        "string",
        "string",
      ]);
      expect(ofType(events, "call:refused")).toEqual([]);
      expect(calls()).toBe(agents.reduce((sum, { toolCallCount }) => sum + toolCallCount, 0));
      expectAtRest(model);
    }));

  it("parks an agent whose tool asks for another try, and lets a guard send it back", () =>
    run(function* () {
      const model = yield* useWatched(path, { ...calling, sequences: 2 });
      const { tool } = counting((attempt) => {
        if (attempt === 1) throw new ToolRetryError("Busy.", 5);
        return "Found.";
      });
      let seen = 0;
      const { agents, events } = yield* play(model, {
        tools: [tool],
        hooks: [
          first("look", { what: "it" }),
          {
            name: "second thoughts",
            beforeDispatch: [
              {
                name: "first_is_refused",
                decide: ({ tool }) => (tool === "look" && ++seen === 1 ? refuse("Think again.") : undefined),
              },
            ],
          },
        ],
        orchestrate: tasks(2),
        budget: { maxTurns: 6 },
      });
      expect(ofType(events, "call:refused").map(({ guard }) => guard)).toEqual(["first_is_refused"]);
      expect(ofType(events, "call:parked").map(({ reason }) => reason)).toContain("retry");
      expect(agents.reduce((sum, { attendedCount }) => sum + attendedCount, 0)).toBeGreaterThan(0);
      expectAtRest(model);
    }));

  it("gets a forced report out of an agent that has used its turns, by grammar", () =>
    run(function* () {
      const model = yield* useWatched(path, { ...calling, sequences: 2 });
      const { tool } = counting();
      const { agents } = yield* play(model, {
        tools: [tool],
        orchestrate: tasks(4),
        budget: { maxTurns: 1 },
      });
      const forced = agents.filter(({ exit }) => exit === "max_turns");
      expect(forced.length).toBeGreaterThan(0);
      for (const { report } of forced) expect(report).toMatchObject({ result: expect.any(String) });
      expectAtRest(model);
    }));

  it("runs more agents than there are sequences in waves, and computes what they share once", () =>
    run(function* () {
      const model = yield* useWatched(path, { ...calling, sequences: 3, patience: 0 });
      const { tool } = counting();
      const system = Array.from({ length: 40 }, (_, line) => `Rule ${line} is not to guess.`).join("\n");
      const { agents } = yield* play(model, { system, tools: [tool], orchestrate: tasks(9) });
      expect(agents).toHaveLength(9);
      expect(failures(agents)).toEqual([]);
      const { input, cached } = agents.reduce(
        (sum, { usage }) => ({ input: sum.input + usage.input, cached: sum.cached + usage.cached }),
        { input: 0, cached: 0 },
      );
      expect(cached / input).toBeGreaterThan(0.8);
      expectAtRest(model);
    }));

  it.each([1, 2])("nests pools while the caller waits for them, on %i sequences", (sequences) =>
    run(function* () {
      const model = yield* useWatched(path, { ...calling, sequences, patience: 0 });
      const { tool } = counting();
      const { agents, events } = yield* play(model, {
        tools: [delegate({ terminal: reportTool, tools: [tool], hooks: [] }), tool],
        hooks: [first("delegate", { tasks: ["One part.", "Another part."] })],
        orchestrate: tasks(2),
        budget: { maxTurns: 4, maxDepth: 2, maxAgents: 20 },
      });
      expect(failures(agents)).toEqual([]);
      expect(ofType(events, "agent:spawned").length).toBeGreaterThan(2);
      expectAtRest(model);
    }),
  );

  it("takes over from a model that is down, forks and all", () =>
    run(function* () {
      const local = yield* useWatched(path, { ...calling, sequences: 3 });
      const down = scripted(() => [], { id: "down" });
      const broken: Model = {
        ...down,
        *open() {
          throw new Error("nobody is there");
        },
      };
      const moves: string[] = [];
      const model = fallback([broken, local], { onEvent: ({ from, to }) => moves.push(`${from} → ${to}`) });
      expect(model.contextWindow).toBe(2_048);
      const result = yield* agentPool({
        model,
        system: "You report.",
        terminal: reportTool,
        orchestrate: tasks(3),
      });
      expect(failures(result.agents)).toEqual([]);
      expect(moves).toEqual(["down → llama:noise"]);
      expectAtRest(local);
    }));

  it("halted at any moment, waits for what is under way, and leaves nothing behind", () =>
    run(function* () {
      for (const batches of [1, 2, 3, 5, 8, 13, 21, 34]) {
        const model = yield* scoped(function* () {
          const inner = yield* useWatched(endless, { maxTokens: 500, sequences: 3, patience: 0 });
          let left = batches;
          const reached = new Promise<void>((resolve) => {
            inner.kernel.onBatch = () => {
              if (--left === 0) resolve();
            };
          });
          yield* spawn(() => play(inner, { orchestrate: tasks(5) }));
          yield* until(reached);
          return inner;
        });
        expect(model.kernel.closed).toBe(true);
        expectAtRest(model);
      }
    }));

  it("halted again and again, gives back the memory of its sequences", () =>
    run(function* () {
      const deep = noiseModel({ habits: {}, shape: { ...shapes.tiny, layers: 16 } });
      const used: number[] = [];
      for (let times = 0; times < 6; times++) {
        yield* scoped(function* () {
          const model = yield* useWatched(deep, { sequences: 8, contextWindow: 8_192, patience: 0 });
          yield* spawn(() => play(model, { orchestrate: tasks(3) }));
          yield* until(
            new Promise<void>((resolve) => {
              model.kernel.onBatch = resolve;
            }),
          );
        });
        used.push(process.memoryUsage().rss / 2 ** 20);
      }
      // Each time they take 128 MB, and four times as much would be left.
      expect(used[5]! - used[1]!).toBeLessThan(200);
    }));

  it("wound down, ends with the reports of those who were writing", () =>
    run(function* () {
      const model = yield* useWatched(endless, { maxTokens: 60, sequences: 3, patience: 0 });
      const results = yield* scoped(function* () {
        const pool = yield* useAgentPool({
          model,
          system: "You report.",
          terminal: reportTool,
          orchestrate: tasks(3),
        });
        yield* until(
          new Promise<void>((resolve) => {
            model.kernel.onBatch = resolve;
          }),
        );
        pool.windDown();
        return yield* pool.result;
      });
      expect(results.agents).toHaveLength(3);
      expectAtRest(model);
    }));
});
