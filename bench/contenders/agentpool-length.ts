import { agentPool, parallel } from "@agentpool/core";
import { type ScriptedMoment, scripted } from "@agentpool/models";
import { contender, type Open, type Sample } from "./contender.ts";
import { cohortGuards, indexOf, librarySearch } from "./library.ts";
import { stopwatch } from "./stopwatch.ts";
import { answer, checkWork, queryOf, type TurnsSettings, task, tool } from "./turns.ts";

/**
 * Conversations of some length, measured from when every agent has begun until the first has nothing left to do but
 * answer: forking and ending agents, of which there are fewer the longer they talk, is no part of it.
 */
const open: Open<TurnsSettings> = (settings) =>
  contender(function* () {
    const { agents, turns } = settings;
    let calls = 0;
    const search = librarySearch("async", () => calls++);
    const span = new Span(settings);
    const model = scripted(
      ({ key }) => {
        const agent = indexOf(key);
        return (moment) => {
          span.turn(moment);
          return moment.turn <= turns
            ? { calls: [{ tool: tool.name, args: { q: queryOf(agent, moment.turn) } }] }
            : { text: answer };
        };
      },
      { keep: false },
    );
    const result = yield* agentPool({
      model,
      tools: [search],
      orchestrate: parallel(Array.from({ length: agents }, (_, agent) => task(agent))),
      guards: cohortGuards,
      budget: { maxTurns: turns + 1, maxToolCalls: turns, maxAgents: agents },
    });
    checkWork(settings, { answers: result.agents.map((agent) => agent.result), calls });
    return span.sample();
  });
export default open;

/** The turns between the last agent's first and the first agent's last. */
class Span {
  readonly #settings: TurnsSettings;
  #begun = 0;
  #taken = 0;
  #lap: ReturnType<typeof stopwatch> | undefined;
  #sample: Sample | undefined;

  constructor(settings: TurnsSettings) {
    this.#settings = settings;
  }

  turn({ turn }: ScriptedMoment): void {
    const { agents, turns } = this.#settings;
    if (turn > turns && this.#lap) this.#sample ??= { units: this.#taken, ...this.#lap() };
    if (turn === 1 && ++this.#begun === agents) {
      this.#taken = 0;
      this.#lap = stopwatch();
    }
    this.#taken++;
  }

  sample(): Sample {
    const { agents, turns } = this.#settings;
    const least = (agents * turns) / 2;
    if (!this.#sample || this.#sample.units < least)
      throw new Error(
        `${this.#sample?.units ?? 0} turns fell between the agents' first and last; needed are ${least}`,
      );
    return this.#sample;
  }
}
