import { parallel, reportTool, type Tool } from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { cohort, guards, message } from "./query-guards.ts";
import { ask, asks, casting, finish, held, ofType, open, playing, quiet, report } from "./support.ts";

for (const [kind, guard] of Object.entries(guards))
  describe(`G1: two agents asking for the same thing at once, ${kind} guard`, () => {
    const together = (tool: Tool, agents: number, more: Partial<Parameters<typeof open>[0]> = {}) =>
      open({
        model: playing(ask("search", { q: "x" }), report()),
        tools: [tool],
        terminal: reportTool,
        hooks: [{ beforeDispatch: [guard] }],
        guards: cohort,
        orchestrate: parallel(Array.from({ length: agents }, (_, index) => `task ${index}`)),
        ...more,
      });

    it("G1: one executes, the other waits and costs nothing meanwhile", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 2);
        expect(search.running.map(({ agent }) => agent)).toEqual(["agent/0"]);
        expect(rig.handle.inspect()).toMatchObject({
          agents: { calling: 1, parked: 1 },
          parked: 1,
          permits: { tools: 1, generations: 0 },
        });
        search.held("x").succeed();
        yield* finish(rig);
      }));

    it("G1: the other is refused if the first succeeded", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 2);
        search.held("x").succeed();
        const { agents } = yield* finish(rig);
        expect(search.calls).toHaveLength(1);
        expect(agents[1]).toMatchObject({ exit: "returned", toolCallCount: 0, attendedCount: 0, parks: 1 });
        expect(agents[1]!.refusals).toEqual([{ tool: "search", guard: "query_dedup", message }]);
      }));

    it("G1: the other runs if the first failed", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 2);
        search.held("x").fail(new Error("down"));
        yield* quiet;
        expect(search.running.map(({ agent }) => agent)).toEqual(["agent/1"]);
        search.held("x").succeed();
        const { agents } = yield* finish(rig);
        expect(agents.map(({ attendedCount }) => attendedCount)).toEqual([0, 1]);
        expect(agents[1]!.refusals).toEqual([]);
      }));

    it("G1: the other runs if the first agent was cancelled, once its tool has stopped", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 2);
        const first = search.held("x");
        yield* rig.handle.cancel("agent/0");
        yield* quiet;
        expect(first).toMatchObject({ state: "halted", signal: { aborted: true } });
        expect(search.peak).toBe(1);
        search.held("x").succeed();
        const { agents } = yield* finish(rig);
        expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "returned"]);
        expect(agents[1]!.attendedCount).toBe(1);
      }));

    it("G1: of three the second runs when the first failed, and the third is refused when it succeeded", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 3);
        search.held("x").fail(new Error("down"));
        yield* quiet;
        expect(search.held("x").agent).toBe("agent/1");
        search.held("x").succeed();
        const { agents } = yield* finish(rig);
        expect(search.calls).toHaveLength(2);
        expect(agents.map(({ refusals }) => refusals.length)).toEqual([0, 0, 1]);
      }));

    it("G1: the waiting one goes on although the first parks for a retry", () =>
      run(function* () {
        const search = held("search", {
          hooks: { afterExecute: ({ error }) => (error ? { type: "retry", afterMs: 1_000 } : undefined) },
        });
        const rig = yield* together(search, 2);
        search.held("x").fail(new Error("429"));
        yield* quiet;
        expect(search.running).toHaveLength(0);
        rig.clock.advance(1_000);
        yield* quiet;
        expect(search.held("x")).toMatchObject({ agent: "agent/0", attempt: 1 });
        search.held("x").fail(new Error("429"));
        yield* quiet;
        expect(search.held("x")).toMatchObject({ agent: "agent/1", attempt: 0 });
        search.held("x").succeed();
        yield* finish(rig);
      }));

    it("G1: within one step the later of two equal calls waits as well", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 1, {
          model: playing(
            asks(["search", { q: "x" }], ["search", { q: "x" }], ["search", { q: "y" }]),
            report(),
          ),
          guards: undefined,
        });
        expect(search.running.map(({ q }) => q)).toEqual(["x", "y"]);
        search.held("x").succeed();
        search.held("y").succeed();
        const { agents } = yield* finish(rig);
        expect(agents[0]).toMatchObject({ toolCallCount: 2, attendedCount: 2 });
        expect(agents[0]!.refusals).toHaveLength(1);
      }));

    it("G1: a success counts as read from when it is one, and for nobody once its agent ended without reading it", () =>
      run(function* () {
        const [search, slow] = [held("search"), held("slow")];
        const rig = yield* open({
          model: casting({
            a: [asks(["slow", { q: "s" }], ["search", { q: "x" }]), report()],
            b: [ask("search", { q: "x" }), report()],
            c: [ask("search", { q: "x" }), report()],
          }),
          tools: [search, slow],
          terminal: reportTool,
          hooks: [{ beforeDispatch: [guard] }],
          guards: cohort,
          *orchestrate(pool) {
            const a = yield* pool.spawn({ task: "a", key: "a" });
            while (search.running.length === 0) yield* quiet;
            search.held("x").succeed(); // a can't read it before its earlier call is over
            yield* quiet;
            const b = yield* pool.spawn({ task: "b", key: "b" });
            yield* pool.waitFor(b);
            yield* pool.waitFor(a);
            yield* pool.waitFor(yield* pool.spawn({ task: "c", key: "c" }));
          },
        });
        for (let turn = 0; turn < 5; turn++) yield* quiet;
        expect(search.calls).toHaveLength(1);
        expect(ofType(rig.events, "call:refused")).toMatchObject([{ agent: "agent/b" }]);
        yield* rig.handle.cancel("agent/a");
        yield* quiet;
        expect(search.held("x").agent).toBe("agent/c");
        search.held("x").succeed();
        yield* finish(rig);
      }));

    it("G1: in lineage scope both run", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 2, { guards: undefined });
        expect(search.running).toHaveLength(2);
        for (const call of search.running) call.succeed();
        const { agents } = yield* finish(rig);
        expect(agents.map(({ attendedCount }) => attendedCount)).toEqual([1, 1]);
      }));

    it("G1: a waiting call that is cancelled leaves the line to those behind it", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 3);
        yield* rig.handle.cancel("agent/1");
        search.held("x").fail(new Error("down"));
        yield* quiet;
        expect(search.held("x").agent).toBe("agent/2");
        search.held("x").succeed();
        yield* finish(rig);
      }));

    it("G1: two agents asking for two things crosswise do not wait for each other for ever", () =>
      run(function* () {
        const search = held("search");
        const rig = yield* together(search, 2, {
          model: casting({
            0: [asks(["search", { q: "x" }], ["search", { q: "y" }]), report()],
            1: [asks(["search", { q: "y" }], ["search", { q: "x" }]), report()],
          }),
        });
        expect(search.running.map(({ q, agent }) => [q, agent])).toEqual([
          ["x", "agent/0"],
          ["y", "agent/0"],
        ]);
        search.held("x").fail(new Error("down"));
        search.held("y").succeed();
        yield* quiet;
        search.held("x").succeed();
        const { agents } = yield* finish(rig);
        expect(agents.map(({ attendedCount }) => attendedCount)).toEqual([1, 1]);
      }));
  });
