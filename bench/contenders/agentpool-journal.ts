import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentPool, type Journal, parallel } from "@agentpool/core";
import { openStore } from "@agentpool/journal";
import { scripted } from "@agentpool/models";
import { type Operation, scoped } from "effection";
import { contender, type Open, type Sample } from "./contender.ts";
import { cohortGuards, indexOf, librarySearch, scriptOf } from "./library.ts";
import { stopwatch } from "./stopwatch.ts";
import { checkWork, system, type TurnsSettings, task, unitsOf } from "./turns.ts";

export interface JournalSettings extends TurnsSettings {
  /**
   * `off`: nothing is recorded. `strict`: of a tool that would do harm twice, so that it has its permit before its
   * intent is on record. `resume`: a run whose record is whole but for its end is taken up.
   */
  readonly journal: "off" | "on" | "strict" | "resume";
}

/** A pool as in the first row, with its run on record in SQLite or not. */
const open: Open<JournalSettings> = (settings) =>
  contender(() =>
    scoped(function* () {
      if (settings.journal === "off") return yield* round(settings, undefined);
      const folder = mkdtempSync(join(tmpdir(), "agentpool-bench-"));
      try {
        const store = yield* openStore(`sqlite:${folder}/runs.db`);
        const first = yield* scoped(function* () {
          return yield* round(settings, yield* store.journal("bench"));
        });
        const bytes = statSync(`${folder}/runs.db`).size + statSync(`${folder}/runs.db-wal`).size;
        const figures = { bytesPerCall: bytes / (settings.agents * settings.turns) };
        if (settings.journal !== "resume") return { ...first, figures };
        return yield* scoped(function* () {
          return yield* resumed(settings, yield* store.journal("bench"));
        });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }),
  );
export default open;

function* round(settings: JournalSettings, journal: Journal | undefined): Operation<Sample> {
  let calls = 0;
  const lap = stopwatch();
  const answers = yield* work(settings, journal, () => calls++);
  const passed = lap();
  checkWork(settings, { answers, calls });
  return { units: unitsOf(settings), ...passed };
}

/** Takes the run up from all of its record but the ends of its agents: they all come back, and answer. */
function* resumed(settings: JournalSettings, journal: Journal): Operation<Sample> {
  const recorded = journal.recorded.filter(
    ({ type }) => type !== "agent:ended" && type !== "agent:returned" && type !== "pool:closed",
  );
  let calls = 0;
  const lap = stopwatch();
  const nowhere: Journal = { recorded, append: () => {}, flush: () => undefined };
  const answers = yield* work(settings, nowhere, () => calls++);
  const passed = lap();
  checkWork(settings, { answers, calls: calls + settings.agents * settings.turns });
  return { units: settings.agents, ...passed, figures: { resumeMs: passed.wallMs } };
}

function* work(
  { agents, turns, journal: how }: JournalSettings,
  journal: Journal | undefined,
  called: () => void,
): Operation<readonly unknown[]> {
  const result = yield* agentPool({
    run: "bench",
    model: scripted(({ key }) => scriptOf(indexOf(key), turns), { keep: false }),
    system,
    tools: [librarySearch("async", called, how !== "strict")],
    orchestrate: parallel(Array.from({ length: agents }, (_, agent) => task(agent))),
    guards: cohortGuards,
    budget: { maxTurns: turns + 1, maxToolCalls: turns, maxAgents: agents },
    ...(journal ? { journal } : {}),
  });
  return result.agents.map((agent) => agent.result);
}
