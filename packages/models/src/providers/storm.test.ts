import {
  type AgentPoolOptions,
  agentPool,
  defineTool,
  type ManualClock,
  manualClock,
  type PoolEvent,
  parallel,
  reportTool,
} from "@agentpool/core";
import { type Operation, race, run, scoped, spawn, withResolvers } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fallback } from "../fallback/fallback.ts";
import { formats } from "./formats.testing.ts";
import {
  chatEvents,
  type Received,
  type Reply,
  refused,
  streamed,
  useWire,
  type WireTurn,
} from "./wire.testing.ts";

const search = defineTool({
  name: "search",
  description: "Searches.",
  parameters: z.object({ q: z.string() }),
  execute: ({ q }) => ({ hits: [q] }),
});

/** Where time goes by this fast, everything seems to take for ever. */
const patient = { timeoutMs: Number.POSITIVE_INFINITY };

/** Time goes by as fast as it can: whatever waits for it, waits for one turn of the event loop. */
function* quickly<T>(clock: ManualClock, body: () => Operation<T>): Operation<T> {
  return yield* scoped(function* () {
    yield* spawn(function* () {
      for (;;) {
        const next = withResolvers<void>();
        setImmediate(next.resolve);
        yield* next.operation;
        clock.step();
      }
    });
    return yield* body();
  });
}

const calling = (tool: string, input: string, id = "a"): WireTurn => ({ calls: [{ id, tool, input }] });
const reporting = calling("report", '{"result":"done"}', "r");

for (const [name, { model, events, words, limit }] of Object.entries(formats)) {
  const turn = (said: WireTurn): Reply => streamed(events({ ...said, finish: words.calls }));
  const tasks = (n: number) => Array.from({ length: n }, (_, at) => `Task ${at}.`);

  function* pool(url: string, clock: ManualClock, options: Partial<AgentPoolOptions> = {}) {
    const seen: PoolEvent[] = [];
    const result = yield* quickly(clock, () =>
      agentPool({
        model: model(url, patient),
        system: "You research.",
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(tasks(12)),
        clock,
        onEvent: (event) => seen.push(event),
        ...options,
      }),
    );
    return { ...result, seen };
  }

  describe(`a pool on ${name}`, () => {
    it("is throttled by a storm of limits: nobody asks while they last, and nobody is lost", () =>
      run(function* () {
        const clock = manualClock();
        const asked: number[] = [];
        const wire = yield* useWire(() => {
          asked.push(clock.now());
          return clock.now() < 30_000 ? refused(429, limit, { "retry-after": "30" }) : turn(reporting);
        });
        const { agents, seen } = yield* pool(wire.url, clock);
        expect(agents.map(({ result, turns }) => [result, turns])).toEqual(tasks(12).map(() => ["done", 1]));
        const during = asked.filter((at) => at < 30_000);
        expect(during.length).toBeLessThanOrEqual(8);
        expect(new Set(during)).toEqual(new Set([0]));
        expect(asked).toHaveLength(during.length + 12);
        expect(seen.filter(({ type }) => type === "model:limited").length).toBeGreaterThanOrEqual(1);
        expect(clock.pending).toBe(0);
      }));

    it("slows down where nobody says how long to wait, and comes to its end", () =>
      run(function* () {
        const clock = manualClock();
        let at = 0;
        const wire = yield* useWire(() => (at++ % 3 === 0 ? refused(529, limit) : turn(reporting)));
        const { agents } = yield* pool(wire.url, clock);
        expect(agents.map(({ result }) => result)).toEqual(tasks(12).map(() => "done"));
      }));

    it("takes a turn again that was cut in the middle of a call, which never runs, and repeats nothing", () =>
      run(function* () {
        const clock = manualClock();
        const half = events(calling("search", '{"q":"first"}', "cut"));
        const wire = yield* useWire(
          streamed(half, "cut"),
          refused(500, { error: { message: "oops" } }),
          turn(calling("search", '{"q":"second"}')),
          streamed(half, "end"),
          turn(reporting),
        );
        const { agents, seen } = yield* pool(wire.url, clock, { orchestrate: parallel(["Only task."]) });
        expect(agents[0]).toMatchObject({ result: "done", turns: 2, toolCallCount: 1, parks: 3 });
        const proposed = seen.flatMap((event) => (event.type === "call:proposed" ? [event.input] : []));
        expect(proposed).toEqual(['{"q":"second"}', '{"result":"done"}']);
        const bodies = wire.received.map(({ body }) => body);
        expect([bodies[1], bodies[2]]).toEqual([bodies[0], bodies[0]]);
        expect(bodies[4]).toBe(bodies[3]);
        expect(bodies[4]).not.toContain("first");
      }));

    it("gives an agent up whose provider keeps failing, and keeps the others", () =>
      run(function* () {
        const clock = manualClock();
        const wire = yield* useWire(({ body }: Received) =>
          body.includes("Task 0.") ? refused(500, { error: { message: "oops" } }) : turn(reporting),
        );
        const { agents } = yield* pool(wire.url, clock, {
          orchestrate: parallel(tasks(3)),
          recovery: "none",
        });
        expect(agents.map(({ exit }) => exit)).toEqual(["model_error", "returned", "returned"]);
        expect(agents[0]!.reason).toContain("500");
      }));

    it("leaves nothing waiting and asks nobody anything when it is halted in the middle of a storm", () =>
      run(function* () {
        const clock = manualClock();
        const limitedTwice = withResolvers<void>();
        let limits = 0;
        const wire = yield* useWire(() => refused(429, limit, { "retry-after": "30" }));
        yield* race([
          agentPool({
            model: model(wire.url),
            orchestrate: parallel(tasks(12)),
            clock,
            onEvent: ({ type }) => {
              if (type === "model:limited" && ++limits === 12) limitedTwice.resolve();
            },
          }),
          limitedTwice.operation,
        ]);
        const asked = wire.received.length;
        expect(asked).toBeLessThanOrEqual(8);
        expect(clock.pending).toBe(0);
        clock.advance(100_000);
        const next = withResolvers<void>();
        setImmediate(next.resolve);
        yield* next.operation;
        expect(wire.received).toHaveLength(asked);
      }));

    it("moves to the next model when this one is down, with what its agents had read, in the same bytes for all", () =>
      run(function* () {
        const clock = manualClock();
        const wire = yield* useWire(({ body }: Received) =>
          body.includes("hits")
            ? refused(401, { error: { message: "revoked" } })
            : turn(calling("search", '{"q":"x"}')),
        );
        const chat = (said: WireTurn) => streamed(chatEvents({ ...said, finish: "tool_calls" }));
        const other = yield* useWire(({ body }: Received) =>
          body.includes("hits")
            ? chat(calling("report", '{"result":"moved"}', "z"))
            : chat(calling("search", '{"q":"x"}')),
        );
        const moves: string[] = [];
        const { agents } = yield* pool(wire.url, clock, {
          system: "You research. ".repeat(20),
          orchestrate: parallel(tasks(4)),
          model: fallback(
            [model(wire.url, patient), formats["openai-compatible"].model(other.url, patient)],
            {
              onEvent: ({ agent, reason }) => moves.push(`${agent}: ${reason}`),
            },
          ),
        });
        expect(agents.map(({ result, turns }) => [result, turns])).toEqual(tasks(4).map(() => ["moved", 2]));
        expect(moves.sort().map((move) => move.slice(0, 8))).toEqual(tasks(4).map((_, at) => `agent/${at}:`));
        expect(moves[0]).toContain("401 ");
        const bodies = other.received.map(({ body }) => body);
        expect(bodies.filter((body) => body.includes("hits"))).toHaveLength(4);
        for (const body of bodies) {
          expect(body.slice(0, body.indexOf("Task "))).toBe(bodies[0]!.slice(0, bodies[0]!.indexOf("Task ")));
        }
        expect(bodies[0]!.indexOf("Task ")).toBeGreaterThan(bodies[0]!.lastIndexOf("You research. "));
      }));
  });
}
