import {
  type Args,
  agentPool,
  ConfigurationError,
  delegate,
  type Orchestrator,
  parallel,
  reportTool,
  runPool,
  type Tool,
  type ToolContext,
  useAgentPool,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { type Operation, run, spawn, suspend, until } from "effection";
import { describe, expect, it } from "vitest";
import {
  ask,
  casting,
  finish,
  held,
  instant,
  leftovers,
  noted,
  ofType,
  open,
  play,
  playing,
  quiet,
  report,
} from "./support.ts";

describe("M3: cancelling an agent", () => {
  /** Ways for a tool to run a pool inside its call. */
  const ways: { readonly [how: string]: (inside: Orchestrator) => Partial<Tool> } = {
    "agentPool in an operation": (inside) => ({
      *execute() {
        return (yield* agentPool({ orchestrate: inside })).agents.length;
      },
    }),
    "useAgentPool in an operation": (inside) => ({
      *execute() {
        const pool = yield* useAgentPool({ orchestrate: inside });
        return (yield* pool.result).agents.length;
      },
    }),
    "agentPool in a task of the operation": (inside) => ({
      *execute() {
        const task = yield* spawn(() => agentPool({ orchestrate: inside }));
        return (yield* task).agents.length;
      },
    }),
    "runPool in an async function": (inside) => ({
      execute: async (_args: Args, ctx: ToolContext) =>
        (await runPool({ orchestrate: inside, parent: ctx })).agents.length,
    }),
    "runPool in an async function that heeds its signal": (inside) => ({
      execute: async (_args: Args, ctx: ToolContext) =>
        (await runPool({ orchestrate: inside, parent: ctx }, { signal: ctx.signal })).agents.length,
    }),
    "runPool in an operation": (inside) => ({
      *execute(_args: Args, ctx: ToolContext) {
        const running = async () => await runPool({ orchestrate: inside, parent: ctx });
        return (yield* until(running())).agents.length;
      },
    }),
  };

  for (const [how, way] of Object.entries(ways)) {
    const nested = (concurrentTools: number) => {
      const search = held("search");
      const model = scripted(({ task }) =>
        task === "boss"
          ? [ask("work"), report()]
          : [ask("search", { q: task }), ask("search", { q: "more" }), report()],
      );
      const work = instant("work", way(parallel(["one", "two"])));
      return {
        search,
        model,
        rig: open({
          model,
          tools: [search, work],
          terminal: reportTool,
          budget: { concurrentTools },
          orchestrate: parallel(["boss", "boss"]),
        }),
      };
    };

    it(`M3: cancels the agents and tools of pools inside its calls, and nothing of them runs afterwards (${how})`, () =>
      run(function* () {
        const { search, model, rig: opening } = nested(8);
        const rig = yield* opening;
        const mine = search.running.filter(({ agent }) => agent.startsWith("agent/0:"));
        expect(mine).toHaveLength(2);
        yield* rig.handle.cancel("agent/0");
        yield* quiet;
        expect(mine.map(({ state, signal }) => [state, signal.aborted])).toEqual([
          ["halted", true],
          ["halted", true],
        ]);
        const started = model.requests.filter(({ key }) => key.startsWith("agent/0")).length;
        for (let left = 4; left > 0 && search.running.length > 0; left--) {
          for (const call of search.running) call.succeed();
          yield* quiet;
        }
        const { agents } = yield* finish(rig);
        expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "returned"]);
        expect(model.requests.filter(({ key }) => key.startsWith("agent/0"))).toHaveLength(started);
        const ended = ofType(rig.events, "agent:ended").filter(({ agent }) => agent.startsWith("agent/0:"));
        expect(ended.map(({ result }) => result.exit)).toEqual(["cancelled", "cancelled"]);
      }));

    it(`M3: gives back every permit, so that the others can go on (${how})`, () =>
      run(function* () {
        const { search, rig: opening } = nested(1);
        const rig = yield* opening;
        yield* rig.handle.cancel("agent/0");
        yield* quiet;
        for (let left = 8; left > 0 && search.running.length > 0; left--) {
          expect(search.running).toHaveLength(1);
          search.running[0]!.succeed();
          yield* quiet;
        }
        const { agents } = yield* finish(rig);
        expect(agents[1]).toMatchObject({ exit: "returned", attendedCount: 1 });
        expect(search.peak).toBe(1);
      }));

    it(`M3: ending the whole pool ends them too and leaves nothing (${how})`, () =>
      run(function* () {
        const { search, rig: opening } = nested(3);
        let rig:
          | Awaited<ReturnType<typeof run<typeof opening extends Operation<infer R> ? R : never>>>
          | undefined;
        const task = yield* spawn(function* () {
          rig = yield* opening;
          yield* suspend();
        });
        yield* quiet;
        yield* quiet;
        expect(search.running.length).toBeGreaterThan(0);
        yield* task.halt();
        yield* quiet;
        expect(search.running).toEqual([]);
        expect(search.calls.every(({ signal }) => signal.aborted)).toBe(true);
        expect(leftovers(rig!)).toEqual([]);
      }));
  }

  it("M3: aborts the request of a tool that waits for a promise", () =>
    run(function* () {
      const seen: string[] = [];
      const fetching = instant("fetching", {
        execute: (_args, { signal }) =>
          new Promise((_, reject) =>
            signal.addEventListener("abort", () => reject(noted(seen, "aborted", signal.reason))),
          ),
      });
      const rig = yield* open({
        model: playing(ask("fetching"), report()),
        tools: [fetching],
        terminal: reportTool,
        orchestrate: parallel(["x"]),
      });
      yield* rig.handle.cancel("agent/0");
      expect(seen).toEqual(["aborted"]);
      yield* finish(rig);
    }));

  it("M3: stops its generation, and the permit goes to the next", () =>
    run(function* () {
      const seen: string[] = [];
      const rig = yield* open({
        model: casting({
          slow: [
            {
              wait: {
                *[Symbol.iterator]() {
                  try {
                    yield* suspend();
                  } finally {
                    seen.push("stopped");
                  }
                },
              },
            },
          ],
          next: [report("next")],
        }),
        tools: [instant("search")],
        terminal: reportTool,
        budget: { concurrentGenerations: 1 },
        orchestrate: parallel(["slow", "next"]),
      });
      expect(rig.handle.inspect().permits.generations).toBe(1);
      yield* rig.handle.cancel("agent/0");
      const { agents } = yield* finish(rig);
      expect(seen).toEqual(["stopped"]);
      expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "returned"]);
    }));

  it("M3: of a key there is not is an error, of one that is over says false", () =>
    run(function* () {
      const rig = yield* play({
        model: playing(report()),
        tools: [instant("search")],
        terminal: reportTool,
        orchestrate: parallel(["x"]),
      });
      expect(yield* rig.handle.cancel("agent/0")).toBe(false);
      let error: unknown;
      try {
        yield* rig.handle.cancel("agent/00");
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/did you mean "agent\/0"/);
    }));

  it("M3: of a helper by its key ends the helper alone", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: scripted(({ task }) =>
          task === "boss"
            ? [ask("delegate", { tasks: ["one", "two"] }), report()]
            : [ask("search", { q: task }), report("found")],
        ),
        tools: [search, delegate()],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      const key = search.held("one").agent;
      expect(yield* rig.handle.cancel(key)).toBe(true);
      search.held("two").succeed();
      const { agents } = yield* finish(rig);
      expect(agents[0]!.exit).toBe("returned");
    }));
});
