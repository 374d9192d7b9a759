import { chain, dedup, type PoolContext, reportTool, taskAndResult } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run, scoped, spawn } from "effection";
import { describe, expect, it } from "vitest";
import { leisurely } from "./leisurely.ts";
import {
  ask,
  casting,
  finish,
  held,
  instant,
  open,
  play,
  playing,
  quiet,
  report,
  textOf,
  thrownBy,
} from "./support.ts";

describe("the spine", () => {
  it("gives what it was extended with as text, to those who fork later, and no reads", () =>
    run(function* () {
      const search = instant("search", { hooks: { beforeDispatch: [dedup("once", ({ q }) => q)] } });
      const model = scripted(() => [ask("search", { q: "x" }), report("the answer is x")]);
      const { result } = yield* play({
        tools: [search],
        terminal: reportTool,
        model,
        orchestrate: chain(["a", "b"], taskAndResult),
      });
      expect(search.asked).toEqual(["x", "x"]);
      expect(result.agents[1]!.refusals).toEqual([]);
      expect(textOf(model.requestsOf("agent/1")[0]!.messages)).toContain("the answer is x");
    }));

  it("may be extended while somebody forks, who starts from it as it stood", () =>
    run(function* () {
      const model = casting({ first: [report("one")], second: [report("two")], third: [report("three")] });
      const { result } = yield* play({
        tools: [],
        terminal: reportTool,
        model: leisurely(model),
        *orchestrate(pool) {
          yield* pool.waitFor(yield* pool.spawn("first"));
          const extending = yield* spawn(function* () {
            for (const what of ["A", "B", "C"]) yield* pool.extendSpine(`What of ${what}?`, `It is ${what}.`);
          });
          yield* pool.waitFor(yield* pool.spawn("second"));
          yield* extending;
          yield* pool.waitFor(yield* pool.spawn("third"));
        },
      });
      expect(result.agents.map(({ result, reason }) => reason ?? result)).toEqual(["one", "two", "three"]);
      const [second, third] = [1, 2].map((agent) =>
        textOf(model.requestsOf(`agent/${agent}`)[0]!.messages).match(/It is ./g),
      );
      expect(third).toEqual(["It is A", "It is B", "It is C"]);
      expect(third!.slice(0, second?.length ?? 0)).toEqual(second ?? []);
    }));

  it("does not change agents that have forked already", () =>
    run(function* () {
      const search = held("search");
      const model = casting({ early: [ask("search", { q: "x" }), report("early")], late: [report("late")] });
      const rig = yield* open({
        tools: [search],
        terminal: reportTool,
        model,
        *orchestrate(pool) {
          const early = yield* pool.spawn("early");
          while (search.running.length === 0) yield* quiet;
          const before = pool.spine.tokens;
          yield* pool.extendSpine("What is new?", "Something new.");
          expect(pool.spine.tokens).toBeGreaterThan(before);
          yield* pool.waitFor(yield* pool.spawn("late"));
          search.held("x").succeed();
          yield* pool.waitFor(early);
        },
      });
      yield* finish(rig);
      expect(textOf(model.requestsOf("agent/0")[1]!.messages)).not.toContain("Something new.");
      expect(textOf(model.requestsOf("agent/1")[0]!.messages)).toContain("Something new.");
    }));

  it("says whether so many tokens more still fit", () =>
    run(function* () {
      const answers: boolean[] = [];
      yield* play({
        tools: [],
        model: scripted(() => [], { contextWindow: 1_000 }),
        budget: { context: { hard: 0.5 } },
        *orchestrate(pool) {
          answers.push(pool.canFit(500 - pool.spine.tokens), pool.canFit(501 - pool.spine.tokens));
          yield* pool.extendSpine("x".repeat(400), "y".repeat(400));
          answers.push(pool.canFit(300), pool.canFit(200));
        },
      });
      expect(answers).toEqual([true, false, false, true]);
    }));

  it("fits anything where the model has no window", () =>
    run(function* () {
      yield* play({
        tools: [],
        model: playing(),
        *orchestrate(pool) {
          expect(pool.canFit(1e9)).toBe(true);
        },
      });
    }));

  it("lets nobody spawn once the pool is over", () =>
    run(function* () {
      const search = instant("search");
      let late: PoolContext | undefined;
      yield* play({
        tools: [search],
        terminal: reportTool,
        model: playing(ask("search"), report()),
        *orchestrate(pool) {
          late = pool;
        },
      });
      yield* thrownBy(
        scoped(function* () {
          yield* late!.waitFor(yield* late!.spawn({ task: "late", key: "late" }));
        }),
      );
      expect(search.asked).toEqual([]);
    }));
});
