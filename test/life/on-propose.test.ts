import {
  agentPool,
  type ProposeInput,
  parallel,
  refuse,
  sleepOn,
  substitute,
  type ToolLifecycleHooks,
  useClock,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run, withResolvers } from "effection";
import { describe, expect, it } from "vitest";
import {
  ask,
  asks,
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
