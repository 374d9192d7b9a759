import { type Model, ModelLimitError } from "@agentpool/core";
import { run, spawn, suspend, withResolvers } from "effection";
import { describe, expect, it } from "vitest";
import { useManualClock } from "../clock.testing.ts";
import { extractive } from "../extractive/index.ts";
import { formats } from "../providers/formats.testing.ts";
import { refused, streamed, useWire } from "../providers/wire.testing.ts";
import { scripted } from "../scripted/scripted.ts";
import { probe } from "./probe.ts";

describe("a probe", () => {
  for (const [name, { model, events, words }] of Object.entries(formats)) {
    it(`asks ${name} for a few words, and says that it answers`, () =>
      run(function* () {
        const wire = yield* useWire(streamed(events({ text: "Yes", finish: words.length })));
        expect(yield* probe(model(wire.url))).toMatchObject({ type: "answers" });
        expect(wire.received[0]!.body).toMatch(/"max_(completion_|output_)?tokens":16\b/);
      }));

    it(`says why ${name} does not answer`, () =>
      run(function* () {
        const wire = yield* useWire(refused(401, { error: { message: "bad key" } }));
        expect(yield* probe(model(wire.url))).toMatchObject({
          type: "fails",
          kind: "unauthorised",
          reason: expect.stringContaining("401"),
        });
      }));
  }

  it("says that the embedded engine answers", () =>
    run(function* () {
      expect(yield* probe(extractive())).toMatchObject({ type: "answers" });
    }));

  it("gives up after a while, and leaves nothing", () =>
    run(function* () {
      const clock = yield* useManualClock();
      const opened = withResolvers<void>();
      let ended = false;
      const silent: Model = {
        id: "silent",
        *open() {
          try {
            opened.resolve();
            yield* suspend();
            throw new Error("never");
          } finally {
            ended = true;
          }
        },
      };
      const probing = yield* spawn(() => probe(silent, { timeoutMs: 500 }));
      yield* opened.operation;
      clock.advance(500);
      expect(yield* probing).toEqual({
        type: "fails",
        ms: 500,
        kind: "interrupted",
        reason: "silent: no answer within 500 ms",
      });
      expect([ended, clock.pending]).toEqual([true, 0]);
    }));

  it("says that a model is limited, and does not wait", () =>
    run(function* () {
      const limited = scripted(() => [{ error: new ModelLimitError("slow down", 9_000) }]);
      expect(yield* probe(limited)).toMatchObject({ type: "fails", kind: "limited", reason: "slow down" });
    }));
});
