import { type JournalEntry, JournalError, parallel, reportTool } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, finish, held, instant, open, quiet, type Rig, report } from "../scenarios/support.ts";
import { memoryJournal } from "./memory-journal.ts";
import { pool, resume, takeUp } from "./support.ts";

const five = ["a", "b", "c", "d", "e"];

/** Five agents that look something up each, with two permits. */
const job = (tools: NonNullable<Parameters<typeof pool>[0]["tools"]>) =>
  pool({
    model: scripted(({ task }) => [ask("find", { q: task }), report(task)]),
    tools,
    orchestrate: parallel(five),
    budget: { concurrentTools: 2 },
  });

const calls = (entries: readonly JournalEntry[], type: JournalEntry["type"]): string[] =>
  entries.flatMap((entry) => (entry.type === type && "call" in entry ? [String(entry.call)] : []));

const waiting = (rig: Rig): number => rig.handle.inspect().parked;

describe("the intents of calls that wait for a permit", () => {
  it("are on record where the tool does no harm twice: they run again, and count once they do", () =>
    run(function* () {
      const find = held("find", { idempotent: true });
      const rig = yield* takeUp(job([find]), []);
      const { entries } = rig.journal;
      expect(calls(entries, "record:intent")).toHaveLength(5);
      expect([find.running.length, calls(entries, "call:dispatched").length]).toEqual([2, 2]);
      const left = [...entries];
      yield* rig.handle.cancel("agent/0");

      const again = instant("find", { idempotent: true });
      const { result } = yield* resume(job([again]), left);
      expect(again.asked.toSorted()).toEqual(five);
      expect(result.totals).toMatchObject({ toolCalls: 5, attended: 5, agents: 5 });
      expect(result.agents.map(({ result, toolCallCount }) => [result, toolCallCount])).toEqual(
        five.map((task) => [task, 1]),
      );
    }));

  it("are not on record of any other tool: nobody has to wonder whether they ran", () =>
    run(function* () {
      const find = held("find");
      const rig = yield* takeUp(job([find]), []);
      expect(calls(rig.journal.entries, "record:intent")).toEqual([]);
      expect(calls(rig.journal.entries, "call:dispatched")).toHaveLength(2);

      const again = instant("find");
      const { result } = yield* resume(job([again]), [...rig.journal.entries]);
      expect(again.asked.toSorted()).toEqual(["c", "d", "e"]);
      expect(result.totals.toolCalls).toBe(5);
    }));

  it("come to nothing where the run winds down first, and use up no limit", () =>
    run(function* () {
      const find = held("find", { idempotent: true });
      const options = { ...job([find]), budget: { concurrentTools: 2, maxToolCalls: 1 } };
      const rig = yield* takeUp(options, []);
      expect(waiting(rig)).toBe(3);
      rig.handle.windDown();
      yield* quiet;
      expect(calls(rig.journal.entries, "call:withdrawn")).toHaveLength(3);
      const left = [...rig.journal.entries];
      for (const execution of find.running) execution.succeed();
      const { totals, agents } = yield* finish(rig);
      expect(totals.toolCalls).toBe(2);
      expect(agents.map(({ toolCallCount }) => toolCallCount).toSorted()).toEqual([0, 0, 0, 1, 1]);

      const again = instant("find", { idempotent: true });
      const taken = yield* resume({ ...options, tools: [again] }, left);
      expect(again.asked.toSorted()).toEqual(["a", "b"]);
      expect(taken.result.totals.toolCalls).toBe(2);
    }));

  it("of a call that ends its agent is one, and counts nowhere", () =>
    run(function* () {
      const options = pool({
        model: scripted(() => [report("done")]),
        tools: [],
        terminal: { ...reportTool, idempotent: true },
      });
      const { journal, result } = yield* resume(options, []);
      expect(calls(journal.entries, "record:intent")).toEqual([]);
      expect(calls(journal.entries, "record:executing")).toHaveLength(1);
      expect(result.totals.toolCalls).toBe(0);
    }));

  it.each([
    ["cannot be added", "append"],
    ["cannot be written", "flush"],
  ] as const)("let nothing run whose start %s: the record is fail-closed", (_, where) =>
    run(function* () {
      const find = held("find", { idempotent: true });
      const journal = memoryJournal();
      const isDispatched = (entry: JournalEntry | undefined) => entry?.type === "call:dispatched";
      const fail = (): never => {
        throw new Error("disk full");
      };
      const rig = yield* open({
        ...job([find]),
        journal: {
          ...journal,
          append: (entry) => (where === "append" && isDispatched(entry) ? fail() : journal.append(entry)),
          flush: () => (where === "flush" && isDispatched(journal.entries.at(-1)) ? fail() : journal.flush()),
        },
      });
      yield* quiet;
      expect(rig.outcome.error).toBeInstanceOf(JournalError);
      expect(find.calls).toEqual([]);
    }),
  );

  it("let nothing run that had waited for its permit when the record failed", () =>
    run(function* () {
      const find = held("find", { idempotent: true });
      const journal = memoryJournal();
      let isFull = false;
      const rig = yield* open({
        ...job([find]),
        journal: {
          ...journal,
          append(entry) {
            if (isFull) throw new Error("disk full");
            journal.append(entry);
          },
        },
      });
      yield* quiet;
      expect(find.calls).toHaveLength(2);
      isFull = true;
      find.running[0]!.succeed();
      yield* quiet;
      expect(rig.outcome.error).toBeInstanceOf(JournalError);
      expect(find.calls).toHaveLength(2);
    }));
});
