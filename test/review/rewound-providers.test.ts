import { type JournalEntry, type Model, parallel, reportTool } from "@agentpool/core";
import { fromAiSdk, Limiter } from "@agentpool/models";
import { reviewer } from "@agentpool/review";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import {
  type Answer,
  called,
  finished,
  playing as mock,
  started,
  thought,
} from "../../packages/models/src/ai-sdk/mock.testing.ts";
import { crash, takeUp } from "../resume/support.ts";
import { finish, ofType, open, play, quiet, type RigOptions } from "../scenarios/support.ts";
import { breach, judging, pass, shop } from "./support.ts";

// What a provider's client is sent after a step was sent back: everything of it, and nothing of the step.

type Call = readonly [tool: string, args: object, id: string];

/** A turn that thinks with a signature of its provider's, says what it does, and calls. */
const calling = (why: string, ...calls: readonly Call[]): Answer => [
  ...thought(why).map((part) =>
    part.type === "reasoning-end"
      ? { ...part, providerMetadata: { mock: { signature: `signed ${why}` } } }
      : part,
  ),
  ...calls.flatMap(([tool, args, id]) => [started(tool, id), called(tool, JSON.stringify(args), id)]),
  finished("tool-calls"),
];
const reporting = (result: string): Answer => calling("I end.", ["report", { result }, "end"]);

/** A provider's model, and the prompts that its client was given. */
function provided(...answers: readonly Answer[]) {
  const client = mock(...answers);
  const model: Model = fromAiSdk(client, { limiter: new Limiter() });
  const prompts = () => client.doStreamCalls.map(({ prompt }) => JSON.stringify(prompt));
  return { model, prompts };
}

const base = (model: Model, more: Partial<RigOptions> = {}): RigOptions => ({
  run: "r",
  terminal: reportTool,
  orchestrate: parallel(["Cancel them."]),
  tools: shop().tools,
  model,
  ...more,
});

/** A call that is kept, a set of two that is sent back with one that the gates had refused, and a report. */
const story = () =>
  provided(
    calling("I look.", ["get_order", { order: 1 }, "kept"]),
    calling(
      "Secretly.",
      ["get_order", { order: 4_711 }, "secret-1"],
      ["cancel_order", { order: 4_712 }, "secret-2"],
      ["cancel_order", { order: "none" }, "secret-3"],
    ),
    reporting("They have shipped."),
  );
const TRACES = /4711|4712|secret|Secretly/;
const judge = () => reviewer({ models: judging(breach("They have shipped. I say so."), pass()) });

describe("after a set of calls was sent back", () => {
  it("a provider's client is sent nothing of any of them: calls, ids, thoughts with their signatures, refusals", () =>
    run(function* () {
      const { model, prompts } = story();
      const { result, events } = yield* play(base(model, { reviewer: judge() }));
      const [, second, third] = prompts();
      expect(prompts()).toHaveLength(3);
      expect(third).not.toMatch(TRACES);
      expect(third).toContain("signed I look.");
      expect(third).toContain("They have shipped. I say so.");
      // what the provider has in its cache is the beginning of it
      expect(third!.startsWith(second!.slice(0, -1))).toBe(true);
      expect(ofType(events, "call:discarded").map(({ call }) => call.split(":")[1])).toEqual([
        "2#0",
        "2#1",
        "2#2",
      ]);
      expect(ofType(events, "call:refused")).toEqual([]);
      expect(result.agents[0]).toMatchObject({ refusals: [], toolCallCount: 1, turns: 2 });
      expect(result.totals).toMatchObject({ refusals: 0, toolCalls: 1, turns: 2 });
    }));

  it("what was streamed of it is on no record, and its watchers are told that it is void", () =>
    run(function* () {
      const { model } = story();
      const { events } = yield* play(base(model, { reviewer: judge() }));
      const about = events.flatMap((event) =>
        event.type === "turn:delta" && "text" in event.delta
          ? [event.delta.text]
          : event.type === "turn:restarted" || event.type === "turn:started"
            ? [event.type]
            : [],
      );
      expect(about).toEqual([
        "turn:started",
        "I look.",
        "turn:started",
        "Secretly.",
        "turn:restarted",
        "turn:started",
        "I end.",
      ]);
    }));

  it("an agent that forks from it later is sent nothing of it either, and its fork's own review leaves it alone", () =>
    run(function* () {
      const { model, prompts } = provided(
        calling("I look.", ["get_order", { order: 1 }, "kept"]),
        calling("Secretly.", ["cancel_order", { order: 4_711 }, "secret-1"]),
        reporting("parent"),
        calling("Just so.", ["cancel_order", { order: 4_712 }, "secret-2"]),
        reporting("child"),
      );
      yield* play(
        base(model, {
          reviewer: reviewer({ models: judging(breach("Parent says no."), breach("Child says no.")) }),
          *orchestrate({ spawn, waitFor }) {
            const parent = yield* spawn({ task: "Cancel it.", key: "parent" });
            yield* waitFor(parent);
            yield* waitFor(yield* spawn({ task: "And now?", key: "child", parent }));
          },
        }),
      );
      const [, , third, fourth, fifth] = prompts();
      expect(fifth).toContain("Child says no.");
      for (const shown of [third, fourth, fifth])
        expect(shown).not.toMatch(/471[12]|secret|Secretly|Just so/);
      for (const shown of [fourth, fifth]) expect(shown).toContain("Parent says no.");
    }));

  for (const at of ["turn:completed", "review:started", "review:restarted", "turn:restarted"] as const)
    it(`a process after this one, which ended at ${at}, sends the very same`, () =>
      run(function* () {
        const whole = story();
        yield* play(base(whole.model, { reviewer: judge() }));

        const { model } = story();
        let seen = 0;
        const entries = yield* crash(base(model, { reviewer: judge() }), ({ type }) =>
          type === at ? ++seen === (at === "turn:completed" ? 2 : 1) : false,
        );
        const isJudged = at === "review:restarted" || at === "turn:restarted";
        const after = provided(reporting("They have shipped."));
        const asked = judging(breach("They have shipped. I say so."));
        const rig = yield* takeUp(
          base(after.model, { reviewer: reviewer({ models: asked }) }),
          entries as readonly JournalEntry[],
        );
        const { agents, totals } = yield* finish(rig);
        expect(asked.requests).toHaveLength(isJudged ? 0 : 1);
        expect(after.prompts()).toEqual([whole.prompts()[2]]);
        expect(agents[0]).toMatchObject({ result: "They have shipped.", turns: 2, refusals: [] });
        expect(totals.turns).toBe(2);
      }));
});

describe("a report that was sent back", () => {
  it("leaves nothing in what a provider's client is sent, plain text and terminal calls alike", () =>
    run(function* () {
      for (const first of [
        reporting("4711"),
        [
          ...thought("Secretly."),
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: "4711" },
          { type: "text-end", id: "t" },
          finished(),
        ] as Answer,
      ]) {
        const { model, prompts } = provided(first, reporting("fine"));
        const { result } = yield* play(
          base(model, {
            review: "messages",
            reviewer: reviewer({ models: judging(breach("I have none."), pass()) }),
          }),
        );
        expect(result.agents[0]).toMatchObject({ result: "fine", turns: 1 });
        const [before, after] = prompts();
        expect(after).not.toMatch(TRACES);
        expect(after!.startsWith(before!.slice(0, -1))).toBe(true);
      }
    }));
});

it("a turn that was cut by a reader who is gone leaves nothing either", () =>
  run(function* () {
    const { model, prompts } = story();
    const rig = yield* open(
      base(model, { reviewer: reviewer({ models: judging({ wait: 1_000, ...breach() }) }) }),
    );
    for (let turn = 0; turn < 50; turn++) yield* quiet;
    yield* rig.handle.cancel("agent/0");
    yield* finish(rig);
    expect(prompts()).toHaveLength(2);
  }));
