import {
  agentPool,
  parallel,
  refuse,
  reportTool,
  substitute,
  type ToolLifecycleHooks,
  ToolRetryError,
} from "@agentpool/core";
import { type Operation, run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, asks, finish, instant, noted, ofType, playing, report } from "../scenarios/support.ts";
import { byQuery, once, openLife, playLife, shownIn } from "./support.ts";

describe("onResult", () => {
  const watching = (seen: unknown[]): ToolLifecycleHooks => ({
    name: "watcher",
    onResult: ({ call, result }) => {
      seen.push([call.tool, call.args.q, result]);
    },
  });

  it("is shown what a tool returned: all who observe are, the tool's own first, and before it is judged", () =>
    run(function* () {
      const log: string[] = [];
      const naming = (name: string): ToolLifecycleHooks => ({
        onResult: () => {
          log.push(name);
        },
        afterExecute: ({ call }) =>
          call.tool === "search" ? noted(log, `${name} judges`, undefined) : undefined,
      });
      yield* playLife({
        model: once("search"),
        tools: [instant("search", { hooks: naming("tool") })],
        hooks: [naming("first"), naming("second")],
      });
      expect(log).toEqual(["tool", "first", "second", "tool judges", "first judges", "second judges"]);
    }));

  it("is not shown what no tool returned: refusals, substitutes, failures", () =>
    run(function* () {
      const seen: unknown[] = [];
      yield* playLife({
        model: playing(
          asks(["search", { q: "no" }], ["search", { q: "canned" }], ["fails"], ["search", { q: "a" }]),
          report(),
        ),
        tools: [
          instant("search"),
          instant("fails", {
            execute: () => {
              throw new Error("failed");
            },
          }),
        ],
        hooks: [{ beforeDispatch: [byQuery({ no: refuse("no"), canned: substitute(1) })] }, watching(seen)],
      });
      expect(seen).toEqual([["search", "a", { answer: "a" }]]);
    }));

  it("is shown every attempt that returned", () =>
    run(function* () {
      let attempts = 0;
      const seen: unknown[] = [];
      yield* playLife({
        model: once("search"),
        tools: [instant("search", { execute: () => ({ status: attempts++ === 0 ? 429 : 200 }) })],
        hooks: [
          watching(seen),
          {
            afterExecute: ({ result }) =>
              (result as { status: number }).status === 429 ? { type: "retry", afterMs: 10 } : undefined,
          },
        ],
      });
      expect(seen).toEqual([
        ["search", "x", { status: 429 }],
        ["search", "x", { status: 200 }],
      ]);
    }));

  it("one that throws or hangs leaves an event, and changes nothing", () =>
    run(function* () {
      const seen: unknown[] = [];
      const model = once("search");
      const { events } = yield* playLife({
        model,
        tools: [instant("search")],
        hooks: [
          {
            name: "throws",
            onResult: () => {
              throw new RangeError("a secret");
            },
          },
          { name: "hangs", timeoutMs: 10, onResult: () => new Promise<void>(() => {}) },
          watching(seen),
        ],
      });
      expect(shownIn(model, 2)).toMatchObject([{ value: { answer: "x" } }]);
      expect(seen).toHaveLength(1);
      expect(ofType(events, "hook:error")).toMatchObject([
        { hook: "throws", moment: "onResult", error: "RangeError", verdict: "skipped" },
        { hook: "hangs", moment: "onResult", error: "DeadlineError", verdict: "skipped" },
      ]);
      expect(JSON.stringify(events)).not.toContain("a secret");
    }));

  it("is shown what a client submitted", () =>
    run(function* () {
      const seen: unknown[] = [];
      const rig = yield* openLife({
        model: once("pick"),
        tools: [{ ...instant("pick"), target: "client" }],
        hooks: [watching(seen)],
      });
      rig.handle.submit({ "agent/0:1#0": { picked: 2 } });
      yield* finish(rig);
      expect(seen).toEqual([["pick", "x", { picked: 2 }]]);
    }));
});

describe("every moment of a nested pool's calls", () => {
  it("is the outermost pool's before its own, and the tool's before both", () =>
    run(function* () {
      const log: string[] = [];
      const naming = (name: string): ToolLifecycleHooks => ({
        name,
        rewrite: ({ call }) =>
          call.tool === "search" ? noted(log, `${name} rewrite`, undefined) : undefined,
        beforeDispatch: [
          { name: `${name}_guard`, tools: ["search"], decide: () => noted(log, `${name} guard`, undefined) },
        ],
        onPropose: () => noted(log, `${name} propose`, undefined),
        onResult: () => {
          log.push(`${name} result`);
        },
      });
      yield* playLife({
        model: playing(ask("search"), report()),
        tools: [instant("search", { hooks: naming("tool") })],
        hooks: [naming("outer")],
        *orchestrate(): Operation<void> {
          yield* agentPool({ key: "inner", hooks: [naming("inner")], orchestrate: parallel(["look"]) });
        },
      });
      expect(log).toEqual([
        ...["tool", "outer", "inner"].map((name) => `${name} rewrite`),
        ...["tool", "outer", "inner"].map((name) => `${name} guard`),
        ...["outer", "inner", "tool"].map((name) => `${name} propose`),
        ...["tool", "outer", "inner"].map((name) => `${name} result`),
      ]);
    }));

  it("a retry keeps its verdict: nobody is asked twice about a call that runs again", () =>
    run(function* () {
      const asked: string[] = [];
      let attempts = 0;
      yield* playLife({
        model: once("search"),
        tools: [
          instant("search", {
            execute: () => {
              if (attempts++ === 0) throw new ToolRetryError("busy", 10);
              return "found";
            },
          }),
        ],
        terminal: reportTool,
        hooks: [
          {
            rewrite: ({ call }) => noted(asked, `rewrite ${call.id}`, undefined),
            beforeDispatch: [
              { name: "g", decide: ({ call }) => noted(asked, `guard ${call.id}`, undefined) },
            ],
            onPropose: ({ calls }) => noted(asked, `propose ${calls.map(({ id }) => id)}`, undefined),
          },
        ],
      });
      expect(attempts).toBe(2);
      expect(asked.filter((what) => what.includes(":1#0"))).toEqual([
        "rewrite agent/0:1#0",
        "guard agent/0:1#0",
        "propose agent/0:1#0",
      ]);
    }));
});
