import type { Standing } from "./standing.ts";

/** Calls that passed their gates and are not over, in the order they were proposed. */
export class StandingCalls {
  readonly #calls = new Map<string, Standing>();
  /** By agent and turn. */
  readonly #steps = new Map<string, Standing[]>();
  readonly #parked = new Set<Standing>();

  get(call: string): Standing | undefined {
    return this.#calls.get(call);
  }

  add(standing: Standing): void {
    const { call, agent, turn } = standing.recorded;
    this.#calls.set(call, standing);
    const step = this.#steps.get(`${agent}:${turn}`);
    if (step) step.push(standing);
    else this.#steps.set(`${agent}:${turn}`, [standing]);
  }

  delete({ recorded: { call } }: Standing): void {
    const standing = this.#calls.get(call);
    this.#calls.delete(call);
    if (standing) this.#parked.delete(standing);
  }

  all(): readonly Standing[] {
    return [...this.#calls.values()];
  }

  ofStep(agent: string, turn: number): readonly Standing[] {
    const step = this.#steps.get(`${agent}:${turn}`) ?? [];
    return step.filter((standing) => this.#calls.get(standing.recorded.call) === standing);
  }

  /** It waits for earlier calls in line, or does not any more. */
  park(standing: Standing, isParked: boolean): void {
    standing.parked = isParked;
    if (isParked) this.#parked.add(standing);
    else this.#parked.delete(standing);
  }

  /** Those that wait for earlier calls in line. */
  parked(): readonly Standing[] {
    return [...this.#parked].sort((left, right) => left.recorded.index - right.recorded.index);
  }
}
