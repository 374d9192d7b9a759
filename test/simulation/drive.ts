import {
  type AgentPoolOptions,
  JournalError,
  type ManualClock,
  type Occupancy,
  type PoolHandle,
  type PoolResult,
  useAgentPool,
} from "@agentpool/core";
import { run } from "effection";
import { createWorld } from "./create-world.ts";
import type { Witness, World } from "./world.ts";

/** Something done to the pool from outside, before a step of its clock. */
export type Intervention =
  | { readonly type: "none" }
  | { readonly type: "halt" | "wind" | "pause"; readonly step: number }
  | { readonly type: "cancel"; readonly step: number; readonly agent: number };

/** How a world ended. */
export interface Played {
  readonly witness: Witness;
  readonly end: "done" | "halted" | "stuck" | "failed";
  readonly result: PoolResult | undefined;
  readonly error: unknown;
  readonly left: Occupancy | undefined;
  readonly cancelled: readonly string[];
}

/** What a world is played with that is not part of it. */
export interface Setting {
  readonly clock?: ManualClock;
  readonly adapt?: (options: AgentPoolOptions) => AgentPoolOptions;
}

const MOST_STEPS = 20_000;

/** Plays a world to its end: fires what is due next, lets everything that follows from it happen, and so on. */
export async function play(
  world: World,
  intervention: Intervention = { type: "none" },
  { clock, adapt = (given) => given }: Setting = {},
): Promise<Played> {
  const created = createWorld(world, clock);
  const { witness } = created;
  const options = adapt(created.options);
  let handle: PoolHandle | undefined;
  let result: PoolResult | undefined;
  let error: unknown;
  let end: Played["end"] | undefined;
  const cancelled: string[] = [];
  const task = run(function* () {
    handle = yield* useAgentPool(options);
    witness.handle = handle;
    result = yield* handle.result;
  });
  task.then(
    () => {
      end ??= "done";
    },
    (thrown: unknown) => {
      error = thrown;
      end ??= "failed";
    },
  );
  let wound = false;
  await quiet();
  for (let step = 0; end === undefined; step++) {
    if (intervention.type !== "none" && intervention.step === step) {
      if (intervention.type === "halt") {
        witness.stopping = true;
        end = "halted";
        await task.halt().catch(() => {});
        break;
      }
      if (intervention.type === "wind") handle?.windDown();
      if (intervention.type === "pause") {
        handle?.pause();
        await quiet();
        handle?.resume();
      }
      if (intervention.type === "cancel") {
        const key = `agent/${intervention.agent % world.agents}`;
        // where memory is scarce it may not be there yet
        if (witness.events.some((event) => event.type === "agent:spawned" && event.agent === key)) {
          cancelled.push(key);
          // over once it is on record, which may take time
          run(() => handle!.cancel(key)).catch(unlessUnrecorded);
        }
      }
      await quiet();
      if (end !== undefined) break;
    }
    if (step > MOST_STEPS) {
      end = "stuck";
      break;
    }
    if (!witness.clock.step()) {
      // who waits for somebody who never answers is wound down; nothing else may be waited for
      if (wound || !isAsking(handle)) {
        end = "stuck";
        break;
      }
      wound = true;
      handle?.windDown();
    }
    await quiet();
  }
  const left = handle?.inspect();
  if (end === "stuck") await task.halt().catch(() => {});
  await quiet();
  return { witness, end: end ?? "failed", result, error, left, cancelled };
}

/** Where the record fails, who asks for an end is told so as well. */
function unlessUnrecorded(error: unknown): void {
  if (!(error instanceof JournalError)) throw error;
}

/** Whether people or clients are asked something. */
const isAsking = (handle: PoolHandle | undefined): boolean =>
  handle !== undefined && handle.approvals.list().length + handle.clientCalls().length > 0;

/** Until every promise that can settle has. */
const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
