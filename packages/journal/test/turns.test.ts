import {
  agentPool,
  MisformedError,
  ModelLimitError,
  type PoolResult,
  parallel,
  reportTool,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { type Operation, run, scoped } from "effection";
import { expect, test } from "vitest";
import { openStore, type RunView, type Store } from "../src/index.ts";
import { onEveryEngine } from "./places.ts";
import { flushed, started } from "./support.ts";

/** An agent whose first and last turns are sent back once, and one that is made to report. */
function* recorded(store: Store, ends: boolean): Operation<PoolResult> {
  const journal = yield* store.journal("r1");
  const sent = new Set<string>();
  const again = {
    name: "again",
    onReturn({ agent }: { agent: { key: string; turns: number } }) {
      const turn = `${agent.key}:${agent.turns}`;
      if (agent.key !== "agent/0" || sent.size > 1 || sent.has(turn)) return undefined;
      sent.add(turn);
      return { type: "restart", reasoning: "Not yet." } as const;
    },
  };
  const look = {
    name: "look",
    description: "Looks.",
    parameters: { type: "object" },
    execute: () => "seen",
  } as const;
  const report = { calls: [{ tool: "report", args: { result: "done" } }] };
  const looks = { calls: [{ tool: "look" }] };
  journal.add(started("r1"));
  const result = yield* agentPool({
    run: "r1",
    journal,
    model: scripted(({ key }) =>
      key === "agent/0" ? [report, looks, report] : [looks, looks, looks, looks],
    ),
    tools: [look],
    terminal: reportTool,
    hooks: [again],
    orchestrate: parallel(["one", "two"]),
    budget: { maxTurns: 3 },
  });
  if (ends) journal.add({ type: "run:ended", run: "r1", at: 2_000, status: "completed", answer: "done" });
  yield* flushed(journal);
  return result;
}

const countedIn = ({ agentViews }: RunView): number[] =>
  agentViews.map(
    ({ turns }) =>
      turns.filter(({ forced, finish }) => !forced && finish !== "restarted" && finish !== "failed").length,
  );

onEveryEngine((usePlace) => {
  test.each([["has ended", true] as const, ["goes on", false] as const])(
    "turns of a run that %s are those its pool counts: without reports, and without what was sent back",
    (_, ends) =>
      run(function* () {
        const store = yield* openStore(yield* usePlace());
        const { agents, totals } = yield* scoped(() => recorded(store, ends));
        const view = yield* store.show("r1");
        expect(view.turns).toBe(totals.turns);
        expect((yield* store.runs())[0]?.turns).toBe(totals.turns);
        expect(countedIn(view)).toEqual(agents.map(({ turns }) => turns));
        const all = view.agentViews.map(({ turns }) =>
          turns.map(
            ({ turn, attempt, forced, finish }) => `${turn}.${attempt} ${forced ? "forced" : finish}`,
          ),
        );
        expect(all[0]).toContain("1.0 restarted");
        expect(all[1]!.at(-1)).toMatch(/^4\.0 forced$/);
      }),
  );

  test("what generations used that came to nothing is the run's, and they count as no turns", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      const usage = { input: 1_000, output: 100, cached: 0 };
      const broken = (more: object) => Object.assign(new ModelLimitError("m: 500", 1), more);
      const model = Object.assign(
        scripted(({ key }) =>
          key === "agent/0"
            ? [
                { error: broken({ usage }) },
                { error: broken({}) },
                { calls: [{ tool: "report", args: { result: "done" } }], usage },
              ]
            : [{ error: new MisformedError("no JSON", usage) }],
        ),
        { price: { input: 1, output: 1 } },
      );
      const { totals } = yield* scoped(function* () {
        const journal = yield* store.journal("r1");
        journal.add(started("r1"));
        const result = yield* agentPool({
          run: "r1",
          journal,
          model,
          terminal: reportTool,
          orchestrate: parallel(["one", "two"]),
        });
        yield* flushed(journal);
        return result;
      });
      expect(totals).toMatchObject({ turns: 1, usage: { input: 3_000, output: 300 } });
      const view = yield* store.show("r1");
      expect(view).toMatchObject({ turns: 1, usage: { input: 3_000, output: 300 } });
      const [listed] = yield* store.runs();
      expect(listed).toMatchObject({ turns: 1, tokens: 3_300 });
      expect(listed!.cost).toBeCloseTo(0.0033);
      const shown = view.agentViews.map(({ turns }) =>
        turns.map(({ turn, attempt, finish, usage }) => `${turn}.${attempt} ${finish} ${usage.input}`),
      );
      expect(shown).toEqual([["1.0 failed 1000", "1.0 calls 1000"], ["1.0 failed 1000"]]);
    }));
});
