import { ConfigurationError, parallel, type RepetitionLimits, refuse, type Tool } from "@agentpool/core";
import type { ScriptedModel, ScriptedTurn } from "@agentpool/models";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, asks, instant, ofType, playing, report, textOf } from "../scenarios/support.ts";
import { playLife } from "./support.ts";

const WARNING = "You keep repeating calls";

/** How often, and from which turn on, a model was told that it repeats itself. */
const warned = (model: ScriptedModel): readonly number[] =>
  model.requestsOf("agent/0").map(({ messages }) => textOf(messages).split(WARNING).length - 1);

function* turning(
  turns: readonly ScriptedTurn[],
  options: { tools?: readonly Tool[]; repetition?: false | Partial<RepetitionLimits> } = {},
) {
  const model = playing(...turns);
  const { tools = [instant("look"), instant("read")], ...rest } = options;
  const played = yield* playLife({ model, tools, budget: { maxTurns: 20 }, ...rest });
  return { ...played, model, agent: played.result.agents[0]! };
}

const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

describe("an agent that repeats its calls", () => {
  it("is spoken to after three equal turns, and stopped with a report after five", () =>
    run(function* () {
      const { agent, model } = yield* turning([...times(5, ask("look")), report("what I have")]);
      expect(agent).toMatchObject({ exit: "repetition", result: "what I have", turns: 5 });
      expect(warned(model)).toEqual([0, 0, 0, 1, 2, 3]);
    }));

  it("is not stopped where it heeds the word", () =>
    run(function* () {
      const { agent } = yield* turning([...times(4, ask("look")), ask("look", { q: "new" }), report()]);
      expect(agent.exit).toBe("returned");
    }));

  it("repeats itself also in another order of arguments, with other white space, and of its calls", () =>
    run(function* () {
      const both = [
        asks(["look", '{"q":"x","p":1}'], ["read", "{}"]),
        asks(["read", " { } "], ["look", '{ "p": 1, "q": " x " }']),
      ];
      const { agent } = yield* turning([both[0]!, both[1]!, both[0]!, both[1]!, both[0]!, report()]);
      expect(agent).toMatchObject({ exit: "repetition", turns: 5 });
    }));

  it("repeats itself also with arguments that cannot be read", () =>
    run(function* () {
      const { agent } = yield* turning([...times(5, ask("look", "{nonsense")), report()]);
      expect(agent).toMatchObject({ exit: "repetition", toolCallCount: 0 });
    }));

  it("going to and fro between two calls repeats itself", () =>
    run(function* () {
      const [a, b] = [ask("look"), ask("read")];
      const { agent } = yield* turning([a, b, a, b, a, b, report()]);
      expect(agent).toMatchObject({ exit: "repetition", turns: 6 });
    }));

  it("does not where one call of the turn is new", () =>
    run(function* () {
      const turns = Array.from({ length: 8 }, (_, n) =>
        asks(["look", { q: "same" }], ["read", { q: `${n}` }]),
      );
      const { agent } = yield* turning([...turns, report()]);
      expect(agent.exit).toBe("returned");
    }));

  for (const [how, tools, repetition] of [
    ["marked repeatable", [instant("look", { repeatable: true })], undefined],
    ["exempt by name", [instant("look")], { exempt: ["look"] }],
  ] as const)
    it(`may repeat a tool that is ${how}`, () =>
      run(function* () {
        const { agent } = yield* turning([...times(9, ask("look")), report()], {
          tools,
          repetition: repetition ?? {},
        });
        expect(agent).toMatchObject({ exit: "returned", toolCallCount: 9 });
      }));

  it("is minded by the limits that were set, and not at all where that is switched off", () =>
    run(function* () {
      const sooner = yield* turning([...times(3, ask("look")), report()], {
        repetition: { warn: 2, stop: 3 },
      });
      expect(sooner.agent).toMatchObject({ exit: "repetition", turns: 3 });
      expect(warned(sooner.model)).toEqual([0, 0, 1, 2]);
      const never = yield* turning([...times(12, ask("look")), report()], { repetition: false });
      expect(never.agent).toMatchObject({ exit: "returned", turns: 13 });
    }));

  it("is each agent's own matter: two that ask the same once repeat nothing", () =>
    run(function* () {
      const model = playing(ask("look"), report());
      const { result } = yield* playLife({
        model,
        tools: [instant("look")],
        orchestrate: parallel(times(6, "look")),
      });
      expect(result.agents.map(({ exit }) => exit)).toEqual(times(6, "returned"));
    }));
});

describe("G5: an agent that keeps repeating a refused call", () => {
  const GUARDED = instant("look", {
    hooks: {
      beforeDispatch: [{ name: "where", decide: () => refuse("Add a WHERE clause, then ask again.") }],
    },
  });

  it("G5: is stopped with a report, not looped until a timeout", () =>
    run(function* () {
      const { agent, events } = yield* turning([...times(5, ask("look")), report("refused each time")], {
        tools: [GUARDED],
      });
      expect(agent).toMatchObject({
        exit: "repetition",
        result: "refused each time",
        toolCallCount: 0,
        turns: 5,
      });
      expect(ofType(events, "call:refused")).toHaveLength(5);
    }));

  it("G5: reads each time what to do instead: the guard's words, then that it goes round in circles", () =>
    run(function* () {
      const { model } = yield* turning([...times(5, ask("look")), report()], { tools: [GUARDED] });
      const seen = textOf(model.requestsOf("agent/0").at(-1)!.messages);
      expect(seen.split("Add a WHERE clause")).toHaveLength(6);
      expect(warned(model).at(-1)).toBe(3);
      expect(seen).toContain("try something new, or report");
    }));

  it("G5: every refusal of the framework says what to do instead", () =>
    run(function* () {
      const say = /Choose another|Go on without|Use another|Use one of|Report|Correct|Send them again|Known:/;
      const model = playing(
        asks(["shell"], ["pay"], ["look", "{"], ["look", { q: 1 }], ["none"], ["look"], ["look", { q: "b" }]),
        report(),
      );
      const { result } = yield* playLife({
        model,
        tools: [instant("look"), instant("shell"), instant("pay", { protected: true })],
        deny: ["shell"],
        budget: { maxCallsPerTool: { look: 1 } },
      });
      const { refusals } = result.agents[0]!;
      expect(refusals.map(({ guard }) => guard)).toEqual([
        "deny",
        "auth_reject",
        "invalid",
        "invalid",
        "invalid",
        "limit",
      ]);
      for (const { message } of refusals) expect(message).toMatch(say);
    }));
});

describe("limits of repetition that cannot be", () => {
  for (const repetition of [{ warn: 0 }, { stop: Number.NaN }, { exempt: ["lok"] }, { wran: 3 }] as never[])
    it(`are an error: ${JSON.stringify(repetition)}`, async () => {
      await expect(
        run(() => playLife({ model: playing(report()), tools: [instant("look")], repetition })),
      ).rejects.toThrow(ConfigurationError);
    });
});
