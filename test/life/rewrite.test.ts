import {
  type Args,
  dedup,
  type GuardInput,
  type RewriteInput,
  refuse,
  type Tool,
  type ToolLifecycleHooks,
} from "@agentpool/core";
import { run, suspend } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, asks, finish, instant, noted, ofType, playing, report } from "../scenarios/support.ts";
import { approve, lifeOf, once, openLife, playLife, shownIn, waiting } from "./support.ts";

/** Rewrites calls of one tool. */
const rewriting = (answer: unknown, tool = "search"): ToolLifecycleHooks => ({
  name: "rewriter",
  rewrite: ({ call }) => (call.tool === tool ? (answer as never) : undefined),
});

describe("rewrite", () => {
  const two = (): Tool & { readonly ran: Args[] } => {
    const ran: Args[] = [];
    return {
      name: "search",
      description: "Searches.",
      parameters: z.object({ q: z.string().optional(), top: z.number().max(10).default(5) }),
      execute: (args) => noted(ran, args, "found"),
      ran,
    };
  };

  for (const [mode, ran] of [
    ["replace", { top: 3 }],
    ["merge", { q: "x", top: 3 }],
  ] as const)
    it(`${mode} says what becomes of the arguments that are not named`, () =>
      run(function* () {
        const search = two();
        yield* playLife({
          model: once("search", { q: "x", top: 7 }),
          tools: [search],
          hooks: [rewriting({ type: "rewrite", args: { top: 3 }, mode })],
        });
        expect(search.ran).toEqual([ran]);
      }));

  it("puts both forms on record: what the model emitted, and what is judged and run", () =>
    run(function* () {
      const { events } = yield* playLife({
        model: once("search", { q: "x" }),
        tools: [two(), instant("find")],
        hooks: [rewriting({ type: "rewrite", tool: "find", args: { q: "y" }, mode: "replace" })],
      });
      expect(lifeOf(events, "agent/0:1#0").slice(0, 3)).toEqual([
        "call:proposed",
        "call:rewritten",
        "call:dispatched",
      ]);
      expect(ofType(events, "call:proposed")[0]).toMatchObject({ tool: "search", input: '{"q":"x"}' });
      expect(ofType(events, "call:rewritten")).toMatchObject([
        {
          tool: "search",
          mode: "replace",
          from: { tool: "search", args: { q: "x", top: 5 } },
          to: { tool: "find", args: { q: "y" } },
        },
      ]);
      expect(ofType(events, "call:dispatched")[0]).toMatchObject({
        identity: "local:find",
        args: { q: "y" },
      });
    }));

  it("is validated again, defaults included: a form that does not fit is refused, and the model reads why", () =>
    run(function* () {
      const search = two();
      const model = playing(asks(["search", { q: "bad" }], ["search", { q: "good" }]), report());
      const { result } = yield* playLife({
        model,
        tools: [search],
        hooks: [
          {
            rewrite: ({ call }) =>
              call.tool === "search"
                ? {
                    type: "rewrite",
                    args: call.args.q === "bad" ? { top: 99 } : { q: "better" },
                    mode: "replace",
                  }
                : undefined,
          },
        ],
      });
      expect(search.ran).toEqual([{ q: "better", top: 5 }]);
      expect(shownIn(model, 2)[0]).toMatchObject({
        type: "error-text",
        value: expect.stringContaining("schema"),
      });
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "invalid" }]);
    }));

  it("to a tool there is not is refused", () =>
    run(function* () {
      const search = two();
      const model = once("search");
      yield* playLife({
        model,
        tools: [search],
        hooks: [rewriting({ type: "rewrite", tool: "serch", args: {}, mode: "merge" })],
      });
      expect(search.ran).toEqual([]);
      expect(shownIn(model, 2)[0]).toMatchObject({
        type: "error-text",
        value: expect.stringContaining("serch"),
      });
    }));

  it("to a denied tool is refused, and no guard is asked", () =>
    run(function* () {
      const shell = instant("shell");
      const asked: string[] = [];
      const { result } = yield* playLife({
        model: once("search"),
        tools: [two(), shell],
        deny: ["shell"],
        hooks: [
          rewriting({ type: "rewrite", tool: "shell", args: {}, mode: "replace" }),
          { beforeDispatch: [{ name: "g", decide: ({ identity }) => noted(asked, identity, undefined) }] },
        ],
      });
      expect(shell.asked).toEqual([]);
      expect(asked).toEqual(["local:report"]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "deny" }]);
    }));

  for (const grants of [[], ["pay"]])
    it(`to a protected tool is ${grants.length ? "run with" : "refused without"} its grant`, () =>
      run(function* () {
        const pay = instant("pay", { protected: true });
        const { result } = yield* playLife({
          model: once("search"),
          tools: [two(), pay],
          grants,
          hooks: [rewriting({ type: "rewrite", tool: "pay", args: {}, mode: "replace" })],
        });
        expect(pay.asked).toHaveLength(grants.length);
        expect(result.agents[0]!.refusals.map(({ guard }) => guard)).toEqual(
          grants.length ? [] : ["auth_reject"],
        );
      }));

  it("of a denied call does not save it: it is dead before anybody is asked", () =>
    run(function* () {
      const [shell, safe] = [instant("shell"), instant("safe")];
      const asked: string[] = [];
      yield* playLife({
        model: once("shell"),
        tools: [shell, safe],
        deny: ["shell"],
        hooks: [
          {
            rewrite: ({ call }) => {
              asked.push(call.tool);
              return call.tool === "shell"
                ? { type: "rewrite", tool: "safe", args: {}, mode: "replace" }
                : undefined;
            },
          },
        ],
      });
      expect([shell.asked, safe.asked]).toEqual([[], []]);
      expect(asked).toEqual(["report"]);
    }));

  it("of arguments that do not fit does not happen: the model reads the error", () =>
    run(function* () {
      const asked: unknown[] = [];
      yield* playLife({
        model: once("search", { top: 99 }),
        tools: [two()],
        hooks: [{ rewrite: ({ call }) => noted(asked, call.tool, undefined) }],
      });
      expect(asked).toEqual(["report"]);
    }));

  it("is the first answer's: the tool's own hooks come first, and nobody after it is asked", () =>
    run(function* () {
      const search = two();
      const asked: string[] = [];
      yield* playLife({
        model: once("search"),
        tools: [{ ...search, hooks: rewriting({ type: "rewrite", args: { q: "tool's" }, mode: "merge" }) }],
        hooks: [
          {
            rewrite: ({ call }) =>
              call.tool === "search"
                ? noted(asked, "harness", { type: "rewrite", args: { q: "harness's" }, mode: "merge" })
                : undefined,
          },
        ],
      });
      expect(search.ran).toMatchObject([{ q: "tool's" }]);
      expect(asked).toEqual([]);
    }));

  const broken: readonly [string, () => unknown, string][] = [
    [
      "throws",
      () => {
        throw new RangeError("a secret");
      },
      "RangeError",
    ],
    ["rejects", () => Promise.reject(new RangeError("a secret")), "RangeError"],
    ["does not say its mode", () => ({ type: "rewrite", args: {} }), "MalformedAnswer"],
    ["gives no arguments", () => ({ type: "rewrite", mode: "merge" }), "MalformedAnswer"],
    ["gives a list for arguments", () => ({ type: "rewrite", args: [], mode: "merge" }), "MalformedAnswer"],
    [
      "gives a tool that is no name",
      () => ({ type: "rewrite", tool: 1, args: {}, mode: "merge" }),
      "MalformedAnswer",
    ],
    ["answers a refusal", () => refuse("a secret"), "MalformedAnswer"],
    [
      "gives arguments without end",
      () => {
        const args: Args = {};
        args.args = args;
        return { type: "rewrite", args, mode: "replace" };
      },
      "RangeError",
    ],
    [
      "gives arguments that throw when they are looked at",
      () => ({
        type: "rewrite",
        mode: "merge",
        args: {
          get q() {
            throw new RangeError("a secret");
          },
        },
      }),
      "RangeError",
    ],
  ];
  for (const [how, answer, error] of broken) {
    const hook = (more: Partial<ToolLifecycleHooks> = {}): ToolLifecycleHooks => ({
      name: "rewriter",
      rewrite: ({ call }) => (call.tool === "search" ? (answer() as never) : undefined),
      ...more,
    });
    it(`one that ${how} refuses the call, and an event tells the kind of error alone`, () =>
      run(function* () {
        const search = two();
        const model = once("search");
        const { result, events } = yield* playLife({ model, tools: [search], hooks: [hook()] });
        expect(search.ran).toEqual([]);
        expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 0 });
        expect(result.agents[0]!.refusals).toMatchObject([{ guard: "hook_error" }]);
        expect(ofType(events, "hook:error")).toMatchObject([
          { hook: "rewriter", moment: "rewrite", error, verdict: "refused", call: "agent/0:1#0" },
        ]);
        expect(ofType(events, "call:rewritten")).toEqual([]);
        expect(JSON.stringify(events)).not.toContain("a secret");
      }));

    it(`with onError "proceed" one that ${how} is skipped: the next is asked`, () =>
      run(function* () {
        const search = two();
        const { events } = yield* playLife({
          model: once("search"),
          tools: [search],
          hooks: [
            hook({ onError: "proceed" }),
            rewriting({ type: "rewrite", args: { q: "next" }, mode: "merge" }),
          ],
        });
        expect(search.ran).toMatchObject([{ q: "next" }]);
        expect(ofType(events, "hook:error")).toMatchObject([{ verdict: "skipped" }]);
      }));
  }

  it("one that hangs misses its deadline and refuses the call", () =>
    run(function* () {
      const search = two();
      const { result, clock } = yield* playLife({
        model: once("search"),
        tools: [search],
        hooks: [
          {
            timeoutMs: 100,
            *rewrite({ call }) {
              if (call.tool === "search") yield* suspend();
              return undefined;
            },
          },
        ],
      });
      expect(clock.now()).toBe(100);
      expect(search.ran).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "hook_error" }]);
    }));

  it("is judged, counted and attended in its new form", () =>
    run(function* () {
      const find = instant("find", { hooks: { beforeDispatch: [dedup("find_dedup", ({ q }) => q)] } });
      const attended: unknown[] = [];
      const model = playing(
        ask("search", { q: "1" }),
        ask("search", { q: "2" }),
        ask("find", { q: "y" }),
        report(),
      );
      const { result } = yield* playLife({
        model,
        tools: [two(), find],
        budget: { maxCallsPerTool: { find: 1 } },
        hooks: [
          rewriting({ type: "rewrite", tool: "find", args: { q: "y" }, mode: "replace" }),
          {
            beforeDispatch: [
              {
                name: "seen",
                tools: ["find"],
                decide: (input: GuardInput) => noted(attended, input.attended(), undefined),
              },
            ],
          },
        ],
      });
      expect(find.asked).toEqual(["y"]);
      expect(attended[0]).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "find_dedup" }, { guard: "find_dedup" }]);
      expect(result.agents[0]).toMatchObject({ toolCallCount: 1, attendedCount: 1 });
    }));

  it("is what a person is asked about", () =>
    run(function* () {
      const rig = yield* openLife({
        model: once("search", { q: "x" }),
        tools: [two(), instant("find")],
        requireApproval: ["find"],
        hooks: [rewriting({ type: "rewrite", tool: "find", args: { q: "y" }, mode: "replace" })],
      });
      expect(waiting(rig)).toMatchObject({ tool: "find", identity: "local:find", args: { q: "y" } });
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
    }));

  it("to the terminal tool ends the agent", () =>
    run(function* () {
      const { result } = yield* playLife({
        model: once("search"),
        tools: [two()],
        hooks: [
          rewriting({ type: "rewrite", tool: "report", args: { result: "rewritten" }, mode: "replace" }),
        ],
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "rewritten", turns: 1 });
    }));

  it("shows copies, and keeps one: nothing a hook does to its input or, later, to its answer changes the call", () =>
    run(function* () {
      const search = two();
      const args: Args = { q: "y" };
      const { events } = yield* playLife({
        model: once("search", { q: "x" }),
        tools: [search],
        hooks: [
          {
            rewrite: ({ call, meta }: RewriteInput) => {
              call.args.q = "mutated";
              (meta as { annotations: unknown }).annotations = {};
              return undefined;
            },
          },
          rewriting({ type: "rewrite", args, mode: "merge" }),
          {
            beforeDispatch: [
              {
                name: "late",
                decide: () => {
                  args.q = "mutated";
                },
              },
            ],
          },
        ],
      });
      expect(search.ran).toEqual([{ q: "y", top: 5 }]);
      expect(ofType(events, "call:rewritten")).toMatchObject([
        { from: { args: { q: "x" } }, to: { args: { q: "y" } } },
      ]);
    }));
});
