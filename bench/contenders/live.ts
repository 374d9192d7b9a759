import { call, type Operation, spawn, suspend, withResolvers } from "effection";
import { type Contender, contender } from "./contender.ts";
import { type Holdings, holdings, left } from "./residue.ts";
import { stopwatch } from "./stopwatch.ts";

/** Agents that are all alive at once, waiting in a tool or in the model, until they are all ended at once. */
export interface LiveSettings {
  readonly agents: number;
}

export interface Live {
  /** Agents that wait. */
  waiting: number;
  /** Waits that were ended. */
  ended: number;
  /** Where an agent waits for ever; what it was waiting for is counted as ended when it is halted. */
  wait(): Operation<void>;
  /** The same for whoever speaks promises: it ends with the signal. */
  waitFor(signal: AbortSignal): Promise<void>;
}

/** Starts the agents, weighs them once all of them wait, and ends them. `start` runs until it is halted. */
export const liveAgents = (
  { agents }: LiveSettings,
  start: (live: Live) => Operation<unknown>,
): Operation<Contender> =>
  contender(function* () {
    const all = withResolvers<void>();
    const live = liveness(() => {
      if (live.waiting === agents) all.resolve();
    });
    const before = yield* call(holdings);
    const lap = stopwatch();
    const running = yield* spawn(() => start(live));
    yield* all.operation;
    const passed = lap();
    const alive = yield* call(holdings);
    const halting = stopwatch();
    yield* running.halt();
    const halted = halting();
    const after = yield* call(holdings);
    if (live.ended !== agents) throw new Error(`${live.ended} of ${agents} waits were ended by the halt`);
    return { units: agents, ...passed, figures: figures(agents, halted.wallMs, { before, alive, after }) };
  });

function figures(
  agents: number,
  haltMs: number,
  at: { readonly before: Holdings; readonly alive: Holdings; readonly after: Holdings },
): Record<string, number> {
  const { before, alive, after } = at;
  return {
    kilobytes: (alive.bytes - before.bytes) / agents / 1_024,
    haltMs,
    left: left(before, after),
    kilobytesLeft: (after.bytes - before.bytes) / agents / 1_024,
  };
}

function liveness(arrived: () => void): Live {
  const live: Live = {
    waiting: 0,
    ended: 0,
    *wait() {
      live.waiting++;
      arrived();
      try {
        yield* suspend();
      } finally {
        live.ended++;
      }
    },
    waitFor: (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          live.ended++;
          reject(signal.reason);
        });
        live.waiting++;
        arrived();
      }),
  };
  return live;
}
