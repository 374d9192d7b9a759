import type { Happening } from "../values/event.ts";
import type { Fate } from "./fate.ts";
import type { RecordedFate } from "./recorded-calls.ts";

/** What became of calls in a replay, who would have been asked about them, and what broke. */
export class ReplayedFates {
  readonly #calls: ReadonlyMap<string, RecordedFate>;
  readonly #fates = new Map<string, Fate>();
  /** Why a person is asked, by call. */
  readonly #asks = new Map<string, string>();
  /** Guards that broke, by call. */
  readonly #broken = new Map<string, Set<string>>();

  constructor(calls: ReadonlyMap<string, RecordedFate>) {
    this.#calls = calls;
  }

  set(call: string, fate: Fate): void {
    this.#fates.set(call, fate);
  }

  ask(call: string, reason: string): void {
    this.#asks.set(call, reason);
  }

  /** Takes note of what a guard that broke leaves behind. */
  note(happening: Happening): void {
    if (happening.type !== "hook:error" || happening.call === undefined) return;
    const broken = this.#broken.get(happening.call) ?? new Set();
    this.#broken.set(happening.call, broken.add(happening.hook));
  }

  /** Undefined: what is on record. */
  of(call: string): Fate | undefined {
    const fate = this.#fates.get(call);
    const reason = this.#asks.get(call);
    // who was asked then has said yes, where it ran
    return fate?.type === "ran" && reason !== undefined && this.#calls.get(call)?.asked === undefined
      ? { type: "asked", reason }
      : fate;
  }

  /** Whether a call is kept from running, or would not have been made. */
  isKept(call: string): boolean {
    const fate = this.#fates.get(call);
    return fate !== undefined && fate.type !== "ran";
  }

  /** Whether a person has to let a call run, as far as it gets that far. */
  isAsked(call: string): boolean {
    const fate = this.#fates.get(call) ?? this.#calls.get(call)?.fate;
    const decided = fate?.type === "refused" && fate.guard === "approval";
    return this.#asks.has(call) && (fate?.type === "ran" || decided);
  }

  /** Whether a person is asked about it, whatever else becomes of it. */
  needsPerson(call: string): boolean {
    return this.#asks.has(call);
  }

  brokenOn(call: string): readonly string[] {
    return [...(this.#broken.get(call) ?? [])];
  }
}
