import {
  type Args,
  agentPool,
  dedup,
  type GuardInput,
  type ProposeInput,
  parallel,
  type RewriteInput,
  type RouteInput,
  refuse,
  reportTool,
  sleepOn,
  substitute,
  type Tool,
  type ToolLifecycleHooks,
  ToolRetryError,
  useClock,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { type Operation, run, suspend, withResolvers } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ask,
  asks,
  casting,
  finish,
  held,
  instant,
  leftovers,
  noted,
  ofType,
  playing,
  quiet,
  report,
  shown,
  textOf,
  unanswered,
} from "../scenarios/support.ts";
import { approve, byQuery, lifeOf, once, openLife, playLife, shownIn, waiting } from "./support.ts";

const routing = (...names: string[]): ToolLifecycleHooks => ({ onRoute: () => ({ type: "tools", names }) });

describe("onRoute", () => {
  it("chooses which tools a turn sees; nobody answers: all the agent has", () =>
    run(function* () {
      const model = playing(ask("a"), ask("b"), report());
      const { result } = yield* playLife({
        model,
        tools: [instant("a"), instant("b")],
        hooks: [{ onRoute: ({ turn }) => (turn === 2 ? { type: "tools", names: ["b"] } : undefined) }],
      });
      expect(model.requests.map(({ request }) => request.tools)).toEqual([
        ["a", "b", "report"],
        ["b", "report"],
        ["a", "b", "report"],
      ]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 2 });
    }));

  it("is asked before each turn, with the turn and the tools there are; the first answer wins", () =>
    run(function* () {
      const asked: Pick<RouteInput, "turn" | "tools">[] = [];
      const model = playing(ask("a"), report());
      yield* playLife({
        model,
        tools: [instant("a"), instant("b")],
        hooks: [
          { onRoute: ({ turn, tools }) => noted(asked, { turn, tools }, undefined) },
          routing("a"),
          routing("b"),
        ],
      });
      const tools = ["a", "b", "report"];
      expect(asked).toEqual([
        { turn: 1, tools },
        { turn: 2, tools },
      ]);
      expect(model.requests[0]!.request.tools).toEqual(["a", "report"]);
    }));

  it("always leaves the terminal tool: an agent can always report", () =>
    run(function* () {
      const model = playing(report());
      const { result } = yield* playLife({ model, tools: [instant("a")], hooks: [routing()] });
      expect(model.requests[0]!.request.tools).toEqual(["report"]);
      expect(result.agents[0]).toMatchObject({ exit: "returned" });
    }));

  it("hides: a call to a hidden tool does not run, no hook and no person is asked, and the model reads an honest error", () =>
    run(function* () {
      const asked: string[] = [];
      const [a, b] = [instant("a"), instant("b")];
      const model = playing(asks(["b", { q: "1" }], ["a", { q: "2" }]), report());
      const { result, events } = yield* playLife({
        model,
        tools: [a, b],
        requireApproval: ["b"],
        hooks: [
          routing("a"),
          {
            rewrite: ({ call }) => noted(asked, `rewrite ${call.tool}`, undefined),
            beforeDispatch: [{ name: "g", decide: ({ tool }) => noted(asked, `guard ${tool}`, undefined) }],
          },
        ],
      });
      expect([a.asked, b.asked]).toEqual([["2"], []]);
      expect(asked.filter((what) => what.endsWith(" b"))).toEqual([]);
      expect(ofType(events, "approval:requested")).toEqual([]);
      expect(shownIn(model, 2)[0]).toMatchObject({
        type: "error-text",
        value: expect.stringMatching(/b is not available in this turn.*a, report/),
      });
      expect(result.agents[0]!.refusals).toMatchObject([{ tool: "b", guard: "invalid" }]);
    }));

  it("that leaves nothing is said so, and no list of nothing is offered", () =>
    run(function* () {
      const model = playing(ask("a"), { text: "done" });
      yield* playLife({ model, terminal: undefined, tools: [instant("a")], hooks: [routing()] });
      expect(shownIn(model, 2)[0]!.value).toMatch(/a is not available in this turn/);
      expect(shownIn(model, 2)[0]!.value).not.toMatch(/one of: *\.|Known: *\./);
    }));

  it("hides from a rewrite too: what becomes a call of a hidden tool does not run", () =>
    run(function* () {
      const [a, b] = [instant("a"), instant("b")];
      const { result } = yield* playLife({
        model: once("a"),
        tools: [a, b],
        hooks: [
          routing("a"),
          {
            rewrite: ({ call }) =>
              call.tool === "a" ? { type: "rewrite", tool: "b", args: {}, mode: "merge" } : undefined,
          },
        ],
      });
      expect([a.asked, b.asked]).toEqual([[], []]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "invalid" }]);
    }));

  it("may name tools of the pool that an agent does not have: it gets those it has, and no others", () =>
    run(function* () {
      const model = playing(ask("a"), report());
      const { events } = yield* playLife({
        model,
        tools: [instant("a"), instant("b"), instant("shell")],
        hooks: [routing("a", "b")],
        orchestrate: parallel([{ task: "look", tools: ["a", "shell"] }]),
      });
      expect(model.requests[0]!.request.tools).toEqual(["a", "report"]);
      expect(ofType(events, "hook:error")).toEqual([]);
    }));

  for (const [how, onRoute] of [
    [
      "throws",
      () => {
        throw new RangeError("a secret");
      },
    ],
    ["names a tool there is not", () => ({ type: "tools", names: ["c"] })],
    ["answers without names", () => ({ type: "tools" })],
    ["answers names that are no texts", () => ({ type: "tools", names: [1] })],
    ["answers another moment's answer", () => ({ type: "refuse", message: "no" })],
  ] as const)
    it(`one that ${how} abstains, and an event says so`, () =>
      run(function* () {
        const model = playing(report());
        const { events } = yield* playLife({
          model,
          tools: [instant("a"), instant("b")],
          hooks: [{ name: "router", onRoute: onRoute as never }, routing("a")],
        });
        expect(model.requests[0]!.request.tools).toEqual(["a", "report"]);
        expect(ofType(events, "hook:error")).toMatchObject([
          { hook: "router", moment: "onRoute", verdict: "skipped", agent: "agent/0" },
        ]);
      }));

  it("of a pool around holds in a nested pool with other tools: it gets those of them that were named", () =>
    run(function* () {
      const wipe = instant("wipe");
      const model = casting({
        "agent/0": [ask("nest"), report()],
        "agent/0:1#0~0/0": [ask("wipe"), { text: "done" }],
      });
      const nest = instant("nest", {
        *execute() {
          yield* agentPool({ tools: [instant("search"), wipe], orchestrate: parallel(["nested"]) });
          return "done";
        },
      });
      const { events } = yield* playLife({
        model,
        tools: [nest, instant("search"), instant("read")],
        hooks: [{ onRoute: () => ({ type: "tools", names: ["nest", "search", "read"] }) }],
      });
      expect(ofType(events, "hook:error")).toEqual([]);
      expect(model.requestsOf("agent/0:1#0~0/0")[0]!.request.tools).toEqual(["search"]);
      expect(wipe.asked).toEqual([]);
    }));

  it("of a pool around holds in a nested pool", () =>
    run(function* () {
      const model = casting({
        "agent/0": [ask("delegate"), report()],
        nested: [report("nested")],
      });
      yield* playLife({
        model,
        tools: [
          instant("a"),
          instant("delegate", {
            *execute() {
              return (yield* agentPool({ orchestrate: parallel(["nested"]) })).agents.length;
            },
          }),
        ],
        hooks: [routing("delegate")],
      });
      expect(model.requestsOf("agent/0:1#0~0/0")[0]!.request.tools).toEqual(["delegate", "report"]);
    }));
});

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

/** Judges steps as told: one answer for each time it is asked, then abstains. */
function judge(...answers: readonly unknown[]): ToolLifecycleHooks & { readonly asked: ProposeInput[] } {
  const asked: ProposeInput[] = [];
  return {
    name: "judge",
    onPropose: (input) => noted(asked, input, answers[asked.length]) as never,
    asked,
  };
}
const restart = (reasoning = "On reflection, look in the archive.") => ({ type: "restart", reasoning });
const todo = (text: string) => ({ type: "proceed", todo: text });

describe("onPropose", () => {
  it("is shown the reasoning and the calls that would run, as a set: not those the gates blocked, nor the report", () =>
    run(function* () {
      const judging = judge();
      yield* playLife({
        model: playing({
          reasoning: "because",
          text: "let me see",
          ...asks(
            ["search", { q: "a" }],
            ["search", { q: "no" }],
            ["search", "{"],
            ["search", { q: "canned" }],
            ["search", { q: "b" }],
            ["report", { result: "x" }],
          ),
        }),
        tools: [instant("search")],
        hooks: [{ beforeDispatch: [byQuery({ no: refuse("no"), canned: substitute(1) })] }, judging],
      });
      expect(judging.asked).toHaveLength(1);
      const { reasoning, text, turn, attempt, run, agent, calls } = judging.asked[0]!;
      expect({ reasoning, text, turn, attempt, agent: agent.key }).toEqual({
        reasoning: "because",
        text: "let me see",
        turn: 1,
        attempt: 0,
        agent: "agent/0",
      });
      expect(run).toEqual(expect.any(String));
      expect(calls.map(({ id, args }) => [id, args.q])).toEqual([
        ["agent/0:1#0", "a"],
        ["agent/0:1#4", "b"],
      ]);
    }));

  it("is not asked where no call would run", () =>
    run(function* () {
      const judging = judge();
      yield* playLife({
        model: playing(asks(["search", { q: "no" }]), report()),
        tools: [instant("search")],
        hooks: [{ beforeDispatch: [byQuery({ no: refuse("no") })] }, judging],
      });
      expect(judging.asked).toEqual([]);
    }));

  describe("restart", () => {
    it("rewinds the conversation: the next attempt is shown the corrected reasoning and never the rejected calls", () =>
      run(function* () {
        const search = instant("search");
        const model = playing(
          ask("search", { q: "ok" }),
          { reasoning: "faulty reasoning", ...ask("search", { q: "rejected" }) },
          ask("search", { q: "archive" }),
          report(),
        );
        const { result, events } = yield* playLife({
          model,
          tools: [search],
          hooks: [judge(undefined, restart())],
        });
        expect(search.asked).toEqual(["ok", "archive"]);
        const [, second, third] = model.requests;
        expect(third!.messages.slice(0, second!.messages.length)).toEqual(second!.messages);
        expect(third!.messages.slice(second!.messages.length)).toMatchObject([
          { role: "assistant", content: [{ type: "text", text: "On reflection, look in the archive." }] },
          { role: "user" },
        ]);
        for (const { messages } of model.requests.slice(2)) {
          expect(textOf(messages)).not.toMatch(/rejected|faulty reasoning/);
          expect(unanswered(messages)).toEqual([]);
        }
        expect(result.agents[0]).toMatchObject({ exit: "returned", turns: 3, toolCallCount: 2 });
        expect(ofType(events, "turn:restarted")).toMatchObject([
          { turn: 2, attempt: 0, reasoning: "On reflection, look in the archive." },
        ]);
      }));

    it("discards the whole step: its calls are on record as that and count nowhere, those the gates had blocked included", () =>
      run(function* () {
        const search = instant("search");
        const { result, events, handle } = yield* playLife({
          model: playing(
            asks(
              ["search", { q: "a" }],
              ["search", { q: "no" }],
              ["search", { q: "b" }],
              ["report", { result: "x" }],
            ),
            ask("search", { q: "c" }),
            report(),
          ),
          tools: [search],
          budget: { maxToolCalls: 1, maxTurns: 2 },
          hooks: [{ beforeDispatch: [byQuery({ no: refuse("no") })] }, judge(restart())],
        });
        expect(search.asked).toEqual(["c"]);
        expect(ofType(events, "call:discarded").map(({ call, tool }) => [call, tool])).toEqual([
          ["agent/0:1#0", "search"],
          ["agent/0:1#1", "search"],
          ["agent/0:1#2", "search"],
          ["agent/0:1#3", "report"],
        ]);
        for (const index of [0, 1, 2, 3])
          expect(lifeOf(events, `agent/0:1#${index}`)).toEqual(["call:proposed", "call:discarded"]);
        expect(lifeOf(events, "agent/0:1.1#0")).toContain("call:settled");
        expect(result.agents[0]).toMatchObject({
          exit: "returned",
          turns: 2,
          toolCallCount: 1,
          refusals: [],
        });
        expect(result.totals).toMatchObject({ turns: 2, toolCalls: 1, refusals: 0 });
        expect(handle.inspect().inLine).toBe(0);
      }));

    it("may follow a restart: each is asked with its attempt, and each next turn begins at none", () =>
      run(function* () {
        const judging = judge(restart("one"), restart("two"), undefined, restart("three"));
        const model = playing(...["a", "b", "c", "d", "e"].map((q) => ask("search", { q })), report());
        const { result } = yield* playLife({ model, tools: [instant("search")], hooks: [judging] });
        expect(judging.asked.map(({ turn, attempt }) => [turn, attempt])).toEqual([
          [1, 0],
          [1, 1],
          [1, 2],
          [2, 0],
          [2, 1],
        ]);
        expect(textOf(model.requests[2]!.messages)).toContain("two");
        expect(result.agents[0]).toMatchObject({ turns: 3, toolCallCount: 2 });
      }));

    it("keeps what a person said meanwhile", () =>
      run(function* () {
        const gate = withResolvers<void>();
        const model = playing(ask("search", { q: "a" }), ask("search", { q: "b" }), report());
        let asked = 0;
        const rig = yield* openLife({
          model,
          tools: [instant("search")],
          hooks: [
            {
              *onPropose() {
                if (asked++ > 0) return undefined;
                yield* gate.operation;
                return restart() as never;
              },
            },
          ],
        });
        rig.handle.steer("agent/0", "look in the cellar");
        gate.resolve();
        yield* finish(rig);
        for (const { messages } of model.requests.slice(1)) expect(textOf(messages)).toContain("the cellar");
      }));

    it("ends after ten over an agent's task: the calls are refused, the model reads why, and nothing of them ran", () =>
      run(function* () {
        const search = instant("search");
        const judging: ToolLifecycleHooks = { onPropose: () => restart() as never };
        const model = scripted(
          ({ key }) =>
            ({ messages }) =>
              shown(messages).some(({ type }) => type === "error-text")
                ? report()
                : ask("search", { q: key }),
        );
        const { result, events } = yield* playLife({ model, tools: [search], hooks: [judging] });
        expect(search.asked).toEqual([]);
        expect(ofType(events, "turn:restarted")).toHaveLength(10);
        expect(result.agents[0]).toMatchObject({ exit: "returned", turns: 2 });
        expect(result.agents[0]!.refusals).toMatchObject([
          { guard: "limit", message: expect.stringMatching(/10 times/) },
        ]);
      }));

    it("costs what it costs: tokens of discarded generations are counted", () =>
      run(function* () {
        const usage = { input: 100, output: 10 };
        const { result } = yield* playLife({
          model: playing({ ...ask("search"), usage }, { ...ask("search"), usage }, { ...report(), usage }),
          tools: [instant("search")],
          hooks: [judge(restart())],
        });
        expect(result.agents[0]!.usage).toMatchObject({ input: 300, output: 30 });
      }));
  });

  it("asks everybody: the harness's hooks in order, then those of the step's tools, each once", () =>
    run(function* () {
      const log: string[] = [];
      const naming = (name: string): ToolLifecycleHooks => ({
        name,
        onPropose: () => noted(log, name, undefined),
      });
      const shared = naming("shared by both tools");
      yield* playLife({
        model: playing(asks(["b"], ["a"], ["b"]), report()),
        tools: [
          instant("a", { hooks: [naming("a's"), shared] }),
          instant("b", { hooks: [naming("b's"), shared] }),
          instant("c", { hooks: naming("c's") }),
        ],
        hooks: [naming("first"), naming("second")],
      });
      expect(log).toEqual(["first", "second", "b's", "shared by both tools", "a's"]);
    }));

  it("of several restarts takes the first, and everybody was asked all the same", () =>
    run(function* () {
      const [first, second] = [judge(restart("first")), judge(restart("second"))];
      const model = playing(ask("search"), ask("search"), report());
      yield* playLife({ model, tools: [instant("search")], hooks: [judge(todo("not this")), first, second] });
      expect([first.asked.length, second.asked.length]).toEqual([2, 2]);
      expect(textOf(model.requests[1]!.messages)).toContain("first");
      expect(textOf(model.requests[1]!.messages)).not.toContain("second");
    }));

  it("puts the todos of all who passed the step into the next turn's instructions, after the results, and once", () =>
    run(function* () {
      const model = playing(ask("search", { q: "a" }), ask("search", { q: "b" }), report());
      yield* playLife({
        model,
        tools: [instant("search")],
        hooks: [judge(todo("check the date")), judge(undefined), judge(todo("tell the owner"))],
      });
      const [, second, third] = model.requests;
      const last = second!.messages.at(-1)!;
      expect(second!.messages.at(-2)!.role).toBe("tool");
      expect(last.role).toBe("user");
      expect(textOf([last])).toMatch(/check the date.*tell the owner/s);
      expect(textOf(third!.messages).match(/check the date/g)).toHaveLength(1);
    }));

  for (const [how, answer, error] of [
    [
      "throws",
      () => {
        throw new RangeError("a secret");
      },
      "RangeError",
    ],
    ["restarts without a reasoning", () => ({ type: "restart" }), "MalformedAnswer"],
    ["restarts with an empty reasoning", () => ({ type: "restart", reasoning: " " }), "MalformedAnswer"],
    ["answers a cancellation", () => ({ type: "cancel", message: "a secret" }), "MalformedAnswer"],
    ["answers true", () => true, "MalformedAnswer"],
  ] as const) {
    it(`one that ${how} refuses the calls of the step, also where another would restart it`, () =>
      run(function* () {
        const search = instant("search");
        const model = playing(asks(["search", { q: "a" }], ["search", { q: "b" }]), report());
        const { result, events } = yield* playLife({
          model,
          tools: [search],
          hooks: [judge(restart()), { name: "broken", onPropose: answer as never }],
        });
        expect(search.asked).toEqual([]);
        expect(
          shownIn(model, 2).map(({ type, value }) => [type, /policy hook error/.test(String(value))]),
        ).toEqual([
          ["error-text", true],
          ["error-text", true],
        ]);
        expect(result.agents[0]!.refusals.map(({ guard }) => guard)).toEqual(["hook_error", "hook_error"]);
        expect(ofType(events, "hook:error")).toMatchObject([
          { hook: "broken", moment: "onPropose", error, verdict: "refused" },
        ]);
        expect(ofType(events, "turn:restarted")).toEqual([]);
        expect(JSON.stringify(events)).not.toContain("a secret");
      }));

    it(`with onError "proceed" one that ${how} is skipped, with an event`, () =>
      run(function* () {
        const search = instant("search");
        const { events } = yield* playLife({
          model: once("search"),
          tools: [search],
          hooks: [{ name: "broken", onError: "proceed", onPropose: answer as never }],
        });
        expect(search.asked).toEqual(["x"]);
        expect(ofType(events, "hook:error")).toMatchObject([{ hook: "broken", verdict: "skipped" }]);
      }));
  }

  it("one that hangs misses its deadline, and the calls are refused", () =>
    run(function* () {
      const search = instant("search");
      const { result, clock } = yield* playLife({
        model: once("search"),
        tools: [search],
        hooks: [{ onPropose: () => new Promise<undefined>(() => {}) }],
      });
      expect(clock.now()).toBe(30_000);
      expect(search.asked).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "hook_error" }]);
    }));

  it("until it answered the step is only a value: no ticket, no permit, no person asked, nothing run or counted", () =>
    run(function* () {
      const gate = withResolvers<void>();
      const [search, gated] = [instant("search"), instant("gated")];
      const rig = yield* openLife({
        model: playing(asks(["search", { q: "a" }], ["gated", { q: "b" }]), report()),
        tools: [search, gated],
        requireApproval: ["gated"],
        hooks: [
          {
            *onPropose() {
              yield* gate.operation;
              return undefined;
            },
          },
        ],
      });
      expect(rig.handle.inspect()).toMatchObject({
        inLine: 0,
        parked: 0,
        permits: { tools: 0, generations: 0 },
      });
      expect(rig.handle.approvals.list()).toEqual([]);
      expect(search.asked).toEqual([]);
      gate.resolve();
      yield* quiet;
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
      expect([search.asked, gated.asked]).toEqual([["a"], ["b"]]);
    }));

  it("while it thinks, a cancelled agent leaves nothing, and no call of the step ever runs", () =>
    run(function* () {
      const search = instant("search");
      const rig = yield* openLife({
        model: once("search"),
        tools: [search],
        hooks: [
          {
            *onPropose() {
              yield* sleepOn(yield* useClock(), 1_000);
              return undefined;
            },
          },
        ],
      });
      yield* rig.handle.cancel("agent/0");
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ exit: "cancelled" });
      expect(search.asked).toEqual([]);
      expect(ofType(rig.events, "hook:error")).toEqual([]);
      expect(leftovers(rig)).toEqual([]);
    }));

  for (const [reviewed, hooks] of [
    ["a step that was judged runs its calls one after another, in order", [judge()]],
    ["a step that nobody judges runs them side by side", []],
  ] as const)
    it(reviewed, () =>
      run(function* () {
        const search = held("search");
        const rig = yield* openLife({
          model: playing(
            asks(["search", { q: "a" }], ["search", { q: "b" }], ["search", { q: "c" }]),
            report(),
          ),
          tools: [search],
          hooks,
        });
        const peak = hooks.length > 0 ? 1 : 3;
        const order: string[] = [];
        while (search.running.length > 0) {
          expect(search.running.length).toBeLessThanOrEqual(peak);
          order.push(search.running[0]!.q);
          search.running[0]!.succeed();
          yield* quiet;
        }
        yield* finish(rig);
        expect(order).toEqual(["a", "b", "c"]);
        expect(search.peak).toBe(peak);
      }),
    );

  it("of a pool around judges the steps of agents in a nested pool", () =>
    run(function* () {
      const search = instant("search");
      const judging: ToolLifecycleHooks = {
        onPropose: ({ calls }) =>
          calls.some(({ args }) => args.q === "bad") ? (restart() as never) : undefined,
      };
      yield* playLife({
        model: playing(ask("search", { q: "bad" }), ask("search", { q: "good" }), report()),
        tools: [search],
        hooks: [judging],
        *orchestrate() {
          yield* agentPool({ key: "inner", orchestrate: parallel(["look"]) });
        },
      });
      expect(search.asked).toEqual(["good"]);
    }));

  it("shows copies: nothing a judge does to them changes what runs", () =>
    run(function* () {
      const search = instant("search");
      yield* playLife({
        model: once("search"),
        tools: [search],
        hooks: [
          {
            onPropose: ({ calls }) => {
              for (const { args } of calls) args.q = "mutated";
              (calls as unknown[]).length = 0;
            },
          },
        ],
      });
      expect(search.asked).toEqual(["x"]);
    }));
});

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
