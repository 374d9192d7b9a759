import { agentPool, ConfigurationError, parallel, reportTool, runPool } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { type Operation, run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, basics, held, instant, play, playing, report } from "./support.ts";

describe("totals", () => {
  it("are sums over the whole tree of pools", () =>
    run(function* () {
      const model = scripted(({ task }) =>
        task === "boss" ? [ask("work"), report()] : [ask("search", { q: "x" }), report()],
      );
      const { result } = yield* play({
        model,
        tools: [
          instant("search"),
          instant("work", {
            *execute() {
              return (yield* agentPool({ orchestrate: parallel(["a", "b"]) })).totals.agents;
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(result.totals).toMatchObject({
        agents: 3,
        turns: 6,
        toolCalls: 3,
        attended: 3,
        refusals: 0,
        parks: 0,
      });
      expect(result.agents).toHaveLength(1);
      expect(result.totals.usage.output).toBeGreaterThan(result.agents[0]!.usage.output);
    }));
});

describe("runPool", () => {
  const options = () => ({
    ...basics(),
    model: scripted(({ task }: { task: string }) => [ask("search", { q: task }), report(`about ${task}`)]),
    orchestrate: parallel(["a", "b"]),
  });

  it("is a promise of the result", async () => {
    const { agents } = await runPool(options());
    expect(agents.map(({ result }) => result)).toEqual(["about a", "about b"]);
  });

  it("is iterated over from its first event to its last", async () => {
    const types: string[] = [];
    const pool = runPool(options());
    for await (const event of pool) types.push(event.type);
    expect(types[0]).toBe("pool:opened");
    expect(types.at(-1)).toBe("pool:closed");
    expect(types.filter((type) => type === "agent:ended")).toHaveLength(2);
    expect((await pool).agents).toHaveLength(2);
  });

  it("rejects with what the orchestrator threw, and so does its iteration", async () => {
    const failing = () => ({
      ...options(),
      *orchestrate(): Operation<void> {
        throw new RangeError("bad plan");
      },
    });
    await expect(Promise.resolve(runPool(failing()))).rejects.toThrow(RangeError);
    const events: string[] = [];
    await expect(
      (async () => {
        for await (const event of runPool(failing())) events.push(event.type);
      })(),
    ).rejects.toThrow("bad plan");
    expect(events.at(-1)).toBe("pool:closed");
  });

  it("rejects with a configuration error", async () => {
    await expect(Promise.resolve(runPool({ ...options(), guards: { nobody: false } }))).rejects.toThrow(
      ConfigurationError,
    );
  });

  it("ends with its signal and rejects with the signal's reason", async () => {
    const search = held("search");
    const controller = new AbortController();
    const pool = runPool({ ...options(), tools: [search] }, { signal: controller.signal });
    const outcome = Promise.resolve(pool).catch((error: unknown) => error);
    await new Promise((resolve) => setImmediate(resolve));
    expect(search.running).toHaveLength(2);
    controller.abort(new Error("enough"));
    expect(await outcome).toMatchObject({ message: "enough" });
    expect(search.calls.map(({ state, signal }) => [state, signal.aborted])).toEqual([
      ["halted", true],
      ["halted", true],
    ]);
  });

  it("does not start under a signal that was aborted before", async () => {
    const model = playing(report());
    await expect(
      (async () =>
        await runPool({ ...options(), model }, { signal: AbortSignal.abort(new Error("never")) }))(),
    ).rejects.toThrow("never");
    expect(model.requests).toEqual([]);
  });

  it("leaves no listener on its signal", async () => {
    const controller = new AbortController();
    const added: string[] = [];
    const { signal } = controller;
    const count = { add: 0, remove: 0 };
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    Object.assign(signal, {
      addEventListener: (...args: Parameters<typeof add>) => {
        count.add++;
        added.push(args[0]);
        add(...args);
      },
      removeEventListener: (...args: Parameters<typeof remove>) => {
        count.remove++;
        remove(...args);
      },
    });
    await runPool(options(), { signal });
    expect(count.remove).toBe(count.add);
    expect(added).toEqual(["abort"]);
  });

  it("halts, resolving once nothing is left, and the run rejects", async () => {
    const search = held("search");
    const pool = runPool({ ...options(), tools: [search] });
    await new Promise((resolve) => setImmediate(resolve));
    await pool.halt();
    expect(search.calls.every(({ state }) => state === "halted")).toBe(true);
    await expect(Promise.resolve(pool)).rejects.toThrow();
  });

  it("cancels an agent, pauses and resumes", async () => {
    const search = held("search");
    const model = options().model;
    const pool = runPool({ ...options(), model, tools: [search] });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    await turn();
    expect(await pool.cancel("agent/0")).toBe(true);
    pool.pause();
    search.held("b").succeed();
    await turn();
    expect(model.requests).toHaveLength(2);
    pool.resume();
    const { agents } = await pool;
    expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "returned"]);
  });

  it("winds down to what there is", async () => {
    const search = held("search");
    const pool = runPool({ ...options(), tools: [search] });
    await new Promise((resolve) => setImmediate(resolve));
    pool.windDown();
    search.held("a").succeed();
    search.held("b").fail(new Error("no"));
    const { agents } = await pool;
    expect(agents.map(({ exit, result }) => [exit, result])).toEqual([
      ["cancelled", "about a"],
      ["cancelled", "about b"],
    ]);
  });

  it("tells its observer and its readers of every agent that ended, those that a halt ended included", async () => {
    const search = held("search");
    const seen: string[] = [];
    const pool = runPool({ ...options(), tools: [search], onEvent: ({ type }) => seen.push(type) });
    const read: string[] = [];
    const reading = (async () => {
      for await (const { type } of pool) read.push(type);
    })().catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    await pool.halt();
    await reading;
    for (const types of [seen, read]) {
      expect(types.filter((type) => type === "agent:spawned")).toHaveLength(2);
      expect(types.filter((type) => type === "agent:ended")).toHaveLength(2);
      expect(types.at(-1)).toBe("pool:closed");
    }
  });
});
