import { agentPool, dedup, defineTool, type PoolContext } from "@agentpool/core";
import { type Script, scripted } from "@agentpool/models";
import { createQueue, type Operation, resource, spawn, withResolvers } from "effection";
import { z } from "zod";
import type { Contender, Open } from "./contender.ts";
import { indexOf } from "./library.ts";
import { stopwatch } from "./stopwatch.ts";

export interface GuardSettings {
  /** Calls that the cohort has read before anything is measured. */
  readonly attended: number;
  /** Agents of a round, and how many calls each proposes in its one turn. */
  readonly agents: number;
  readonly calls: number;
}

/**
 * Calls that a keyed guard refuses, each because of another of the attended calls: nothing but the guard stands
 * between the proposal and the refusal. The pool stays open between rounds, so that all that is read is read once.
 */
const open: Open<GuardSettings> = (settings) =>
  resource<Contender>(function* (provide) {
    const { agents, calls } = settings;
    const rounds = createQueue<(refused: number) => void, never>();
    const filled = withResolvers<void>();
    yield* spawn(() =>
      agentPool({
        model: scripted(scriptsOf(settings), { keep: false }),
        tools: [read],
        guards: { page_dedup: { scope: "cohort" } },
        budget: {
          maxTurns: settings.attended + 1,
          maxToolCalls: settings.attended,
          maxAgents: Number.MAX_SAFE_INTEGER,
        },
        *orchestrate(pool) {
          yield* fill(pool, settings);
          filled.resolve();
          for (let round = 0; ; round++) {
            const { value: done } = yield* rounds.next();
            done!(yield* readAgain(pool, round, agents));
          }
        },
      }),
    );
    yield* filled.operation;
    yield* provide({
      *round() {
        const refused = withResolvers<number>();
        const lap = stopwatch();
        rounds.add(refused.resolve);
        const count = yield* refused.operation;
        const passed = lap();
        if (count !== agents * calls)
          throw new Error(`${count} of ${agents * calls} calls were refused as read`);
        return { units: count, ...passed };
      },
    });
  });
export default open;

const read = defineTool({
  name: "read",
  description: "Reads a page.",
  parameters: z.object({ page: z.string(), line: z.number() }),
  hooks: { beforeDispatch: [dedup("page_dedup", ({ page }) => page)] },
  execute: ({ page }) => `This is ${page}.`,
});

/** No two calls of an agent are the same, however few pages there are: only the guard takes them for equal. */
const call = (page: number, line: number) => ({ tool: read.name, args: { page: `page ${page}`, line } });

/** Agents that read what is to be attended. */
const readersOf = ({ attended }: GuardSettings): number => Math.min(attended, 100);

function* fill(pool: PoolContext, settings: GuardSettings): Operation<void> {
  const readers = [];
  for (let reader = 0; reader < readersOf(settings); reader++)
    readers.push(yield* pool.spawn({ task: "Read.", key: `reader/${reader}` }));
  let attended = 0;
  for (const reader of readers) attended += (yield* pool.waitFor(reader)).attendedCount;
  if (attended !== settings.attended) throw new Error(`${attended} of ${settings.attended} calls were read`);
}

function* readAgain(pool: PoolContext, round: number, agents: number): Operation<number> {
  const spawned = [];
  for (let agent = 0; agent < agents; agent++)
    spawned.push(yield* pool.spawn({ task: "Read it again.", key: `again.${round}/${agent}` }));
  let refused = 0;
  for (const agent of spawned) refused += (yield* pool.waitFor(agent)).refusals.length;
  return refused;
}

/** Readers read their part page by page; the others propose pages from all over, many in one turn. */
function scriptsOf(settings: GuardSettings): (agent: { readonly key: string }) => Script {
  const { attended, calls } = settings;
  const each = attended / readersOf(settings);
  let proposed = 0;
  const pages = () =>
    Array.from({ length: calls }, (_, line) => call((proposed++ * STRIDE) % attended, line));
  return ({ key }) => {
    const first = indexOf(key) * each - 1;
    return key.includes("/reader/")
      ? ({ turn }) => (turn <= each ? { calls: [call(first + turn, 0)] } : { text: "read" })
      : ({ turn }) => (turn === 1 ? { calls: pages() } : { text: "read before" });
  };
}

/** A prime: the next page proposed is far from the one before, and all have their turn. */
const STRIDE = 7_919;
