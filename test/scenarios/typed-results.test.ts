import { ConfigurationError, parallel, useAgent } from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, basics, lastShown, play, playing, report, textOf, thrownBy } from "./support.ts";

describe("a typed result", () => {
  const output = z.object({ n: z.number(), tags: z.array(z.string()).default([]) });

  it("is the parsed value, from a report or from text, fenced or not", () =>
    run(function* () {
      for (const turn of [report('{"n":1}'), { text: '{"n":1}' }, { text: '```json\n{"n":1}\n```' }]) {
        const { result } = yield* play({
          ...basics(),
          model: playing(turn),
          orchestrate: parallel([{ task: "x", output }]),
        });
        expect(result.agents[0]!.result).toEqual({ n: 1, tags: [] });
      }
    }));

  it("may be corrected once, and the model reads what was wrong", () =>
    run(function* () {
      const model = playing(report('{"n":"one"}'), report('{"n":2}'));
      const { result } = yield* play({ ...basics(), model, orchestrate: parallel([{ task: "x", output }]) });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: { n: 2 } });
      expect(lastShown(model, "agent/0")[0]).toMatchObject({
        type: "error-text",
        value: expect.stringContaining("expected number"),
      });
    }));

  it("is asked for in the task", () =>
    run(function* () {
      const model = playing(report('{"n":1}'));
      yield* play({ ...basics(), model, orchestrate: parallel([{ task: "count them", output }]) });
      expect(textOf(model.requests[0]!.messages)).toMatch(/count them.*JSON that fits this schema/);
    }));

  it("is asked of the model itself where there are no tools", () =>
    run(function* () {
      const model = playing({ text: '{"n":1}' });
      yield* play({ tools: [], model, orchestrate: parallel([{ task: "x", output }]) });
      expect(model.requests[0]!.request.output).toMatchObject({ type: "object" });
    }));

  it("is given by a forced report that fits, and not by one that does not", () =>
    run(function* () {
      for (const [text, expected] of [
        ['{"n":3}', { n: 3, tags: [] }],
        ["three", undefined],
      ] as const) {
        const { result } = yield* play({
          ...basics(),
          model: playing(ask("search"), report(text)),
          budget: { maxTurns: 1 },
          orchestrate: parallel([{ task: "x", output }]),
        });
        expect(result.agents[0]).toMatchObject({ exit: "max_turns", result: expected });
      }
    }));

  it("is what useAgent returns", () =>
    run(function* () {
      const agent = yield* useAgent({ model: playing({ text: '{"n":1}' }), tools: [], task: "x", output });
      expect(agent).toMatchObject({ key: "agent/0", exit: "text", result: { n: 1, tags: [] } });
    }));

  it("of a schema that cannot be shown to a model is a configuration error", () =>
    run(function* () {
      const error = yield* thrownBy(
        play({
          ...basics(),
          model: playing(report("1")),
          orchestrate: parallel([{ task: "x", output: z.date() }]),
        }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
    }));
});
