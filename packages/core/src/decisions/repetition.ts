import type { RepetitionLimits } from "../values/repetition.ts";
import { canonicalJson, canonicalText } from "./canonical.ts";

/** A call as it was proposed, for telling whether it was before. */
export interface Asked {
  readonly tool: string;
  readonly input: string;
  /** Whether asking the same again is no sign of anything. */
  readonly repeatable: boolean;
}

/**
 * Whether an agent goes round in circles: turns in a row in which every call was made before, with equal arguments in
 * whatever order.
 */
export class Repetition {
  readonly #limits: RepetitionLimits;
  readonly #seen = new Set<string>();
  #inARow = 0;

  constructor(limits: RepetitionLimits) {
    this.#limits = limits;
  }

  /** Takes note of a turn's calls. */
  note(calls: readonly Asked[]): "fine" | "warn" | "stop" {
    let repeats = calls.length > 0;
    for (const { tool, input, repeatable } of calls) {
      const words = `${tool} ${canonical(input)}`;
      if (repeatable || this.#limits.exempt.includes(tool) || !this.#seen.has(words)) repeats = false;
      this.#seen.add(words);
    }
    this.#inARow = repeats ? this.#inARow + 1 : 0;
    if (this.#inARow === 0) return "fine";
    // the first time is no repetition: of three equal turns in a row two repeat
    const equal = this.#inARow + 1;
    return equal >= this.#limits.stop ? "stop" : equal >= this.#limits.warn ? "warn" : "fine";
  }
}

/** Arguments as they are compared; what cannot be read, as text. */
function canonical(input: string): string {
  try {
    return canonicalJson(JSON.parse(input));
  } catch {
    return canonicalText(input);
  }
}
