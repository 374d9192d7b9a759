import { type Operation, scoped } from "effection";
import type { Sample } from "../contenders/contender.ts";
import { type Probe, useProbe } from "./use-probe.ts";

/** Something to measure: a contender, by its file's name, and what it is to do. */
export interface Entry {
  /** How results are found again, and how it is called in progress lines. */
  readonly name: string;
  readonly contender: string;
  readonly settings: object;
}

export type Measured =
  | { readonly type: "sampled"; readonly samples: readonly Sample[] }
  | { readonly type: "failed"; readonly reason: string };

export interface MeasureOptions {
  readonly rounds: number;
  /** Is told what goes on. */
  readonly onProgress: (line: string) => void;
}

/**
 * Measures contenders beside each other: each in its process, each warmed up, then round by round in turns, so that
 * what slows the machine down for a while slows all of them down.
 */
export function measure(
  entries: readonly Entry[],
  { rounds, onProgress }: MeasureOptions,
): Operation<Map<string, Measured>> {
  return scoped(function* () {
    const running: Running[] = [];
    for (const entry of entries) {
      onProgress(`${entry.name}: warming up`);
      const at = new Running(entry.name, yield* useProbe());
      yield* at.open(entry);
      running.push(at);
    }
    for (let round = 1; round <= rounds; round++) {
      onProgress(`round ${round} of ${rounds}`);
      for (const at of running) yield* at.round();
    }
    return new Map(running.map((at) => [at.name, at.measured]));
  });
}

/** The compiler has seen what ran this often and this long; what is slow has been seen after one round. */
const isWarm = (rounds: number, ms: number): boolean => (rounds >= 2 && ms >= 2_000) || ms >= 5_000;

class Running {
  readonly name: string;
  readonly #probe: Probe;
  #measured: Measured = { type: "sampled", samples: [] };

  constructor(name: string, probe: Probe) {
    this.name = name;
    this.#probe = probe;
  }

  get measured(): Measured {
    return this.#measured;
  }

  *open({ contender, settings }: Entry): Operation<void> {
    const reply = yield* this.#probe.ask({ type: "open", contender, settings });
    if (reply.type === "failed") this.#measured = reply;
    const start = performance.now();
    for (let rounds = 0; !isWarm(rounds, performance.now() - start); rounds++)
      if (!(yield* this.#run())) return;
  }

  *round(): Operation<void> {
    const sample = yield* this.#run();
    if (sample && this.#measured.type === "sampled")
      this.#measured = { type: "sampled", samples: [...this.#measured.samples, sample] };
  }

  /** One round; nothing where it failed, now or before. */
  *#run(): Operation<Sample | undefined> {
    if (this.#measured.type === "failed") return undefined;
    const reply = yield* this.#probe.ask({ type: "round" });
    if (reply.type === "sampled") return reply.sample;
    this.#measured =
      reply.type === "failed" ? reply : { type: "failed", reason: "it answered a round with something else" };
    return undefined;
  }
}
