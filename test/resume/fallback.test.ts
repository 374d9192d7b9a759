import { isEvent, type JournalEntry, reportTool, type Session } from "@agentpool/core";
import { fallback, ModelError, type ScriptedTurn, scripted } from "@agentpool/models";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, held, instant, ofType, play, type RigOptions, report } from "../scenarios/support.ts";
import { memoryJournal } from "./memory-journal.ts";
import { crash, on, pool, resume, since } from "./support.ts";

type Scripts = { readonly [key: string]: readonly ScriptedTurn[] };

/** A list of models that say the same; `down` says which of them does not answer whom, from which turn on. */
function listOf(scripts: Scripts, down: { readonly [id: string]: Readonly<Record<string, number>> } = {}) {
  const models = ["a", "b", "c"].map((id) =>
    scripted(
      ({ key }) =>
        ({ turn }) =>
          turn >= (down[id]?.[key] ?? Number.POSITIVE_INFINITY)
            ? { error: new ModelError("missing", `${id} is gone`) }
            : (scripts[key]?.[turn - 1] ?? report(key)),
      { id },
    ),
  );
  const asked = (key = "agent/0") => models.flatMap((model) => model.requestsOf(key).map(() => model.id));
  return { model: fallback(models), asked };
}

const script = [ask("find", { q: "1" }), ask("find", { q: "2" }), ask("find", { q: "3" }), report("done")];
const scripts: Scripts = { "agent/0": script };
/** The first model is gone from the second turn on. */
const leaving = { a: { "agent/0": 2 } };

const job = (model: RigOptions["model"], more: Partial<RigOptions> = {}): RigOptions =>
  pool({ model, tools: [instant("find", { idempotent: true })], ...more });

/** What generated each turn on record. */
const servedBy = (entries: readonly JournalEntry[], agent = "agent/0") =>
  ofType(entries.filter(isEvent), "turn:completed")
    .filter((event) => event.agent === agent)
    .map(({ result }) => result.model);

describe("an agent of a list of models that is taken up", () => {
  it("has on record which model generated each turn, and when it moved on", () =>
    run(function* () {
      const journal = memoryJournal();
      yield* play({ ...job(listOf(scripts, leaving).model), journal });
      expect(servedBy(journal.entries)).toEqual(["a", "b", "b", "b"]);
      expect(ofType(journal.entries.filter(isEvent), "model:fallback")).toMatchObject([
        { agent: "agent/0", from: "a", to: "b", reason: "a is gone" },
      ]);
    }));

  it("goes on with the model that served it, from whatever prefix: those before it are not asked again", () =>
    run(function* () {
      const journal = memoryJournal();
      const { result } = yield* play({ ...job(listOf(scripts, leaving).model), journal });
      const moved = journal.entries.findIndex(({ type }) => type === "model:fallback");
      for (let length = 0; length <= journal.entries.length; length++) {
        // the first one is back
        const list = listOf(scripts);
        const again = yield* resume(job(list.model), journal.entries.slice(0, length));
        expect([length, again.result.agents[0]!.result]).toEqual([length, result.agents[0]!.result]);
        if (length > moved) expect([length, ...new Set(list.asked())]).not.toContain("a");
        else expect([length, ...new Set(list.asked())]).toEqual([length, "a"]);
        expect(ofType(since(again.events), "model:fallback")).toEqual([]);
      }
    }));

  it.each<[string, Partial<RigOptions>]>([
    ["hidden values", { redact: {} }],
    [
      "a reviewer of reports",
      {
        review: { agent: "messages" },
        reviewer: { hooksFor: () => ({ onReturn: () => ({ type: "accept", result: undefined }) }) },
      },
    ],
  ])("does so with %s in its pool too", (_, more) =>
    run(function* () {
      const entries = yield* crash(
        job(listOf(scripts, leaving).model, more),
        on("call:dispatched", "agent/0:2#0"),
      );
      const list = listOf(scripts);
      yield* resume(job(list.model, more), entries);
      expect(list.asked()).toEqual(["b", "b"]);
    }),
  );

  it("goes on with the next where that model is down now, and the run hears of it", () =>
    run(function* () {
      const entries = yield* crash(job(listOf(scripts, leaving).model), on("call:dispatched", "agent/0:2#0"));
      const list = listOf(scripts, { b: { "agent/0": 1 } });
      const { events, journal } = yield* resume(job(list.model), entries);
      expect(list.asked()).toEqual(["b", "c", "c"]);
      expect(servedBy(journal.entries)).toEqual(["a", "b", "c", "c"]);
      expect(ofType(since(events), "model:fallback")).toMatchObject([
        { agent: "agent/0", from: "b", to: "c", reason: "b is gone" },
      ]);
    }));

  it("goes on with the next where that model cannot be opened now", () =>
    run(function* () {
      const entries = yield* crash(job(listOf(scripts, leaving).model), on("call:dispatched", "agent/0:2#0"));
      const [a, b, c] = ["a", "b", "c"].map((id) =>
        scripted(
          () =>
            ({ turn }) =>
              script[turn - 1]!,
          { id },
        ),
      ) as [ReturnType<typeof scripted>, ReturnType<typeof scripted>, ReturnType<typeof scripted>];
      const shut = {
        ...b,
        *open(): Generator<never, Session> {
          throw new Error("b is shut");
        },
      };
      const { result, journal } = yield* resume(job(fallback([a, shut, c])), entries);
      expect(a.requests).toEqual([]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "done" });
      expect(servedBy(journal.entries)).toEqual(["a", "b", "c", "c"]);
    }));

  it("leaves its forks the model that it had come to, and others theirs", () =>
    run(function* () {
      const parts: Scripts = {
        "agent/first": script.slice(0, 2).concat(report("first")),
        "agent/side": [ask("find", { q: "side" }), ask("find", { q: "wait" }), report("side")],
        "agent/child": [ask("find", { q: "child" }), report("child")],
      };
      const orchestrate: RigOptions["orchestrate"] = function* (pool) {
        const side = yield* pool.spawn({ task: "aside", key: "side" });
        const first = yield* pool.spawn({ task: "begin", key: "first" });
        yield* pool.waitFor(first);
        const child = yield* pool.spawn({ task: "go on", key: "child", parent: first });
        yield* pool.waitFor(child);
        yield* pool.waitFor(side);
      };
      const down = { a: { "agent/first": 2 } };
      const journal = memoryJournal();
      yield* play({ ...job(listOf(parts, down).model, { orchestrate }), journal });
      const whole = ["first", "side", "child"].map((key) => servedBy(journal.entries, `agent/${key}`));
      const ofChild = journal.entries.findIndex(
        (entry) => entry.type === "agent:spawned" && entry.agent === "agent/child",
      );
      for (let length = ofChild; length <= journal.entries.length; length++) {
        const list = listOf(parts);
        const again = yield* resume(job(list.model, { orchestrate }), journal.entries.slice(0, length));
        const now = ["first", "side", "child"].map((key) => servedBy(again.journal.entries, `agent/${key}`));
        expect([length, now[0], now[2]]).toEqual([length, whole[0], whole[2]]);
        expect([length, list.asked("agent/child").includes("a")]).toEqual([length, false]);
      }
    }));

  it("is asked for its report by the model that it had come to", () =>
    run(function* () {
      const budget = { maxTurns: 2 };
      const entries = yield* crash(
        job(listOf(scripts, leaving).model, { budget, terminal: reportTool }),
        on("call:admitted", "agent/0:2#0"),
      );
      const list = listOf(scripts);
      const { result } = yield* resume(job(list.model, { budget }), entries);
      expect(result.agents[0]).toMatchObject({ exit: "max_turns" });
      expect(list.asked()).toEqual(["b"]);
    }));

  it("does not follow a reviewer's list that moved", () =>
    run(function* () {
      const journal = memoryJournal();
      const entries = yield* crash(
        { ...job(listOf(scripts).model, { tools: [held("find", { idempotent: true })] }), journal },
        on("call:dispatched", "agent/0:1#0"),
      );
      const moved = {
        type: "model:fallback",
        agent: "agent/0",
        from: "x",
        to: "b",
        reason: "x is gone",
      } as const;
      const list = listOf(scripts);
      yield* resume(job(list.model), [...entries, { run: "r", at: entries.at(-1)!.at, ...moved }]);
      expect(new Set(list.asked())).toEqual(new Set(["a"]));
    }));
});
