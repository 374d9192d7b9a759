import { type Clock, manualClock } from "@agentpool/core";
import { run, spawn, until, withResolvers } from "effection";
import { expect, test } from "vitest";
import { Bell } from "./bell.ts";
import { hearDecisions } from "./hear-decisions.ts";

test("a decision nobody told us of is found by looking again, on the run's clock, while a call waits", () =>
  run(function* () {
    const time = manualClock();
    let armed = withResolvers<void>();
    const clock: Clock = {
      now: time.now,
      at(when, fire) {
        armed.resolve();
        return time.at(when, fire);
      },
    };
    let decided = false;
    const engine = {
      all: async () => (decided ? [{ id: "a1", decision: "approved", reason: null }] : []),
      watch: () => () => {},
    };
    const bell = new Bell();
    const heard = withResolvers<string>();
    let asks = true;
    const hearing = yield* spawn(() =>
      hearDecisions({ engine, run: "r1", clock, bell, asks: () => asks }, (id, { type }) => {
        asks = false;
        heard.resolve(`${id} ${type}`);
      }),
    );
    yield* armed.operation;
    decided = true;
    armed = withResolvers<void>();
    time.advance(5_000);
    expect(yield* heard.operation).toBe("a1 approved");
    yield* until(Promise.resolve());
    expect(time.pending).toBe(0);
    yield* hearing.halt();
  }));

test("while nobody is asked it looks at nothing", () =>
  run(function* () {
    let looks = 0;
    const looked = withResolvers<void>();
    const engine = {
      all: async () => {
        looks++;
        looked.resolve();
        return [];
      },
      watch: () => () => {},
    };
    const bell = new Bell();
    const clock = manualClock();
    yield* spawn(() => hearDecisions({ engine, run: "r1", clock, bell, asks: () => false }, () => {}));
    yield* looked.operation;
    for (let at = 0; at < 3; at++) {
      bell.ring();
      yield* until(new Promise((resolve) => setImmediate(resolve)));
    }
    expect([looks, clock.pending]).toEqual([1, 0]);
  }));

test("each of several pools that are open at once hears of a decision, and so does one that is opened after they are gone", () =>
  run(function* () {
    let asks = false;
    const engine = {
      all: async () => (asks ? [{ id: "a1", decision: "approved", reason: null }] : []),
      watch: () => () => {},
    };
    const bell = new Bell();
    const heard: string[] = [];
    const hear = (who: string) =>
      hearDecisions({ engine, run: "r1", clock: manualClock(), bell, asks: () => asks }, (id) => {
        heard.push(`${who} ${id}`);
      });
    const tick = () => until(new Promise<void>((resolve) => setImmediate(resolve)));
    const first = yield* spawn(() => hear("first"));
    const second = yield* spawn(() => hear("second"));
    yield* tick();
    asks = true;
    bell.ring();
    yield* tick();
    expect(heard).toEqual(["first a1", "second a1"]);
    bell.ring();
    for (const task of [first, second]) yield* task.halt();
    asks = false;
    yield* spawn(() => hear("third"));
    yield* tick();
    asks = true;
    bell.ring();
    yield* tick();
    expect(heard.slice(2)).toEqual(["third a1"]);
  }));

test("a bell that was rung as somebody ceased to listen still rings", () =>
  run(function* () {
    const bell = new Bell();
    const task = yield* spawn(() => bell.listen());
    yield* until(Promise.resolve());
    yield* spawn(function* () {
      bell.ring(); // within a step of this task, so that the other is halted before it goes on
      yield* task.halt();
    });
    yield* until(Promise.resolve());
    const rung = yield* spawn(() => bell.listen());
    yield* until(Promise.resolve());
    bell.ring();
    yield* rung;
  }));
