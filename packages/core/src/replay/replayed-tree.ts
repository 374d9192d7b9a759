import { addSpent, nothingSpent, type Spent } from "../decisions/spend.ts";
import type { Budget } from "../values/budget.ts";
import { type RecordedGeneration, spentIn } from "./recorded-generations.ts";

/** A top pool with those inside it, which share the run's budgets: what they have used of them here. */
export class ReplayedTree {
  readonly #ends: number;
  readonly #hard: number;
  spent: Spent = nothingSpent;
  /** Tokens of its longest turn. */
  longestTurn = 0;
  /** Generations that were begun and are not over. */
  readonly underWay = new Set<RecordedGeneration>();
  /** Milliseconds of processes that are gone, and when the one at work was heard of first. */
  #elapsed = 0;
  #part = -1;
  #since = 0;
  #last = 0;
  #phase: "going" | "winding" | "over" = "going";

  constructor({ soft, hard = Number.POSITIVE_INFINITY }: NonNullable<Budget["wallClock"]> = {}) {
    this.#ends = Math.min(soft ?? hard, hard);
    this.#hard = hard;
  }

  /** Milliseconds it was worked on; time between two processes is nobody's. */
  get elapsed(): number {
    return this.#elapsed + this.#last - this.#since;
  }

  /** Its time is up: it winds down. */
  get isWinding(): boolean {
    return this.#part >= 0 && this.elapsed >= this.#ends;
  }

  /** Whether it has come to wind down, or to be over, since this was asked last. */
  turns(): boolean {
    const phase = this.isOver ? "over" : this.isWinding ? "winding" : "going";
    const turns = phase !== this.#phase;
    this.#phase = phase;
    return turns;
  }

  /** Nobody reports any more. */
  get isOver(): boolean {
    return this.#part >= 0 && this.elapsed >= this.#hard;
  }

  /** It is heard of at this moment, in so manieth process. */
  heardAt(at: number, part: number): void {
    if (part !== this.#part) {
      this.#elapsed = this.elapsed;
      this.#part = part;
      this.#since = at;
    }
    this.#last = at;
  }

  begin(generation: RecordedGeneration): void {
    this.underWay.add(generation);
  }

  end(generation: RecordedGeneration): void {
    if (!this.underWay.delete(generation)) return;
    this.spend(spentIn(generation));
    this.longestTurn = Math.max(this.longestTurn, generation.output);
  }

  spend(spent: Spent): void {
    this.spent = addSpent(this.spent, spent);
  }
}
