import { parallel, refuse, reportTool, type ToolGuard, ToolRetryError } from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, asks, finish, held, instant, lastShown, open, play, playing, report } from "./support.ts";

describe("T1: limits are reserved before calls run side by side", () => {
  it("T1: parallel calls never overshoot maxToolCalls, and what was skipped is not counted", () =>
    run(function* () {
      const search = held("search");
      const model = playing(
        asks(...["a", "b", "c", "d", "e"].map((q) => ["search", { q }] as const)),
        report("all I could"),
      );
      const rig = yield* open({
        model,
        tools: [search],
        terminal: reportTool,
        budget: { maxToolCalls: 3 },
        orchestrate: parallel(["x"]),
      });
      expect(search.calls.map(({ q }) => q)).toEqual(["a", "b", "c"]);
      for (const one of search.running) one.succeed();
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ exit: "max_calls", toolCallCount: 3, result: "all I could" });
      expect(agents[0]!.refusals).toMatchObject([{ guard: "limit" }, { guard: "limit" }]);
      expect(lastShown(model, "agent/0")).toHaveLength(5);
    }));

  it("T1: a call that a guard refused takes no part of the limit", () =>
    run(function* () {
      const no: ToolGuard = {
        name: "no_b",
        decide: ({ args }) => (args.q === "b" ? refuse("not b") : undefined),
      };
      const search = instant("search", { hooks: { beforeDispatch: [no] } });
      const { result } = yield* play({
        model: playing(
          asks(
            ["search", { q: "b" }],
            ["search", { q: "a" }],
            ["search", { q: "b" }],
            ["search", { q: "c" }],
          ),
          report(),
        ),
        tools: [search],
        terminal: reportTool,
        budget: { maxToolCalls: 2 },
        orchestrate: parallel(["x"]),
      });
      expect(search.asked).toEqual(["a", "c"]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 2 });
    }));

  it("T1: a call refused in line gives back what it had reserved", () =>
    run(function* () {
      const search = instant("search", {
        hooks: {
          beforeDispatch: [
            {
              name: "once",
              message: "again?",
              reject: ({ args, attended }) => attended().some(({ q }) => q === args.q),
            },
          ],
        },
      });
      const { result } = yield* play({
        model: playing(
          asks(["search", { q: "a" }], ["search", { q: "a" }]),
          ask("search", { q: "b" }),
          report(),
        ),
        tools: [search],
        terminal: reportTool,
        budget: { maxToolCalls: 2 },
        orchestrate: parallel(["x"]),
      });
      expect(search.asked).toEqual(["a", "b"]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 2 });
    }));

  it("T1: an agent is not stopped for its calls while some of them were given back", () =>
    run(function* () {
      const search = instant("search", {
        hooks: {
          beforeDispatch: [
            {
              name: "once",
              message: "again?",
              reject: ({ args, attended }) => attended().some(({ q }) => q === args.q),
            },
          ],
        },
      });
      const { result } = yield* play({
        model: playing(
          asks(["search", { q: "a" }], ["search", { q: "a" }], ["search", { q: "b" }]),
          ask("search", { q: "b" }),
          report(),
        ),
        tools: [search],
        terminal: reportTool,
        budget: { maxToolCalls: 2 },
        orchestrate: parallel(["x"]),
      });
      expect(search.asked).toEqual(["a", "b"]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 2 });
    }));

  it("T1: retries of a call are one call", () =>
    run(function* () {
      const { result } = yield* play({
        model: playing(ask("search"), report()),
        tools: [
          instant("search", {
            execute: (_args, { attempt }) => {
              if (attempt < 3) throw new ToolRetryError("429", 1);
              return "found";
            },
          }),
        ],
        terminal: reportTool,
        budget: { maxToolCalls: 1, maxToolRetries: 3 },
        orchestrate: parallel(["x"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 1, parks: 3 });
      expect(result.totals.toolCalls).toBe(1);
    }));

  it("T1: runRetries holds over agents whose calls fail at once", () =>
    run(function* () {
      let runs = 0;
      const { result } = yield* play({
        model: playing(asks(["search", { q: "a" }], ["search", { q: "b" }]), report("kept")),
        tools: [
          instant("search", {
            execute: () => {
              runs++;
              throw new ToolRetryError("429", 10);
            },
          }),
        ],
        terminal: reportTool,
        budget: { maxToolRetries: 9, runRetries: 3 },
        orchestrate: parallel(["x", "y"]),
      });
      expect(runs).toBe(4 + 3);
      expect(result.totals.parks).toBe(3);
      expect(result.agents.map((agent) => agent.result)).toEqual(["kept", "kept"]);
    }));
});
