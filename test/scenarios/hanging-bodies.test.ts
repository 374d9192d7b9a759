import { parallel, reportTool, type Tool, type ToolContext } from "@agentpool/core";
import { call, run, suspend } from "effection";
import { describe, expect, it } from "vitest";
import { ask, asks, finish, instant, lastShown, open, play, playing, quiet, report } from "./support.ts";

describe("R5: a body that hangs", () => {
  const bodies: [string, (seen: { signal?: AbortSignal }) => Partial<Tool>][] = [
    [
      "in a promise that heeds no signal",
      (seen) => ({
        execute: (_args, ctx) => {
          seen.signal = ctx.signal;
          return new Promise(() => {});
        },
      }),
    ],
    [
      "in a promise that rejects when it is told to stop",
      (seen) => ({
        execute: (_args, { signal }) =>
          new Promise((_, reject) => {
            seen.signal = signal;
            signal.addEventListener("abort", () => reject(signal.reason));
          }),
      }),
    ],
    [
      "in an operation",
      (seen) => ({
        *execute(_args, ctx) {
          seen.signal = ctx.signal;
          yield* suspend();
        },
      }),
    ],
    [
      "in a promise that an operation waits for",
      (seen) => ({
        *execute(_args, ctx) {
          seen.signal = ctx.signal;
          yield* call(() => new Promise(() => {}));
        },
      }),
    ],
    [
      "after its first part was there",
      (seen) => ({
        async execute(_args, ctx) {
          seen.signal = ctx.signal;
          await Promise.resolve("headers");
          ctx.progress("headers are there");
          return await new Promise(() => {});
        },
      }),
    ],
  ];
  for (const [where, body] of bodies)
    it(`R5: ${where} is aborted at the deadline, and only that call fails`, () =>
      run(function* () {
        const seen: { signal?: AbortSignal } = {};
        const model = playing(asks(["hang"], ["search", { q: "x" }]), report());
        const rig = yield* open({
          model,
          tools: [instant("hang", { timeoutMs: 3_000, ...body(seen) }), instant("search")],
          terminal: reportTool,
          orchestrate: parallel(["a"]),
        });
        rig.clock.advance(2_999);
        yield* quiet;
        expect(seen.signal!.aborted).toBe(false);
        rig.clock.advance(1);
        yield* quiet;
        expect(seen.signal!.aborted).toBe(true);
        const { agents } = yield* finish(rig);
        expect(agents[0]).toMatchObject({ exit: "returned", toolCallCount: 2, attendedCount: 1 });
        expect(lastShown(model, "agent/0")).toMatchObject([
          { tool: "hang", type: "error-text" },
          { tool: "search", type: "json" },
        ]);
      }));

  it("R5: says nothing any more once it was given up", () =>
    run(function* () {
      let late: ToolContext | undefined;
      let answer: (value: unknown) => void = () => {};
      const model = playing(ask("hang"), report());
      const { events } = yield* play({
        model,
        tools: [
          instant("hang", {
            timeoutMs: 10,
            execute: (_args, ctx) => {
              late = ctx;
              return new Promise((resolve) => {
                answer = resolve;
              });
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      const count = events.length;
      late!.progress("still here");
      answer("too late");
      yield* quiet;
      expect(events).toHaveLength(count);
      expect(late!.signal.aborted).toBe(true);
    }));
});
