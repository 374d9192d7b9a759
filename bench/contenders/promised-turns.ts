import { call, type Operation } from "effection";
import { type Contender, contender } from "./contender.ts";
import { stopwatch } from "./stopwatch.ts";
import { checkWork, type TurnsSettings, unitsOf } from "./turns.ts";

/** The same work by a peer that speaks promises: all agents side by side, each with its own conversation. */
export const promisedTurns = (
  settings: TurnsSettings,
  converse: (agent: number) => Promise<unknown>,
  /** Calls of the tool so far. */
  calls: () => number,
): Operation<Contender> =>
  contender(function* () {
    const before = calls();
    const lap = stopwatch();
    const answers = yield* call(() =>
      Promise.all(Array.from({ length: settings.agents }, (_, agent) => converse(agent))),
    );
    const passed = lap();
    checkWork(settings, { answers, calls: calls() - before });
    return { units: unitsOf(settings), ...passed };
  });
