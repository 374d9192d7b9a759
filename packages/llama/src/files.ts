import { type Loaded, loadShared, type Open, type Shared, speaking } from "./loaded.ts";
import { openModel } from "./native/open-model.ts";
import type { CheckedSettings } from "./settings.ts";

/** A claim to a file in memory. */
export interface Claim {
  readonly loaded: Loaded;
  /** The last claim frees the file, once nothing of it is under way. */
  release(): Promise<void>;
}

interface Held {
  readonly loading: Promise<Shared>;
  claims: number;
}

/**
 * The model files in memory. Models of one file that differ only in how they speak (their temperature, seed, longest
 * turn) share one copy, its sequences and its batches.
 */
export class Files {
  readonly #held = new Map<string, Held>();
  readonly #open: Open;

  constructor(open: Open = openModel) {
    this.#open = open;
  }

  get count(): number {
    return this.#held.size;
  }

  async claim(file: string, name: string, settings: CheckedSettings): Promise<Claim> {
    const key = keyOf(file, settings);
    let held = this.#held.get(key);
    if (held === undefined) {
      held = { loading: loadShared(file, name, settings, this.#open), claims: 0 };
      this.#held.set(key, held);
    }
    held.claims++;
    let shared: Shared;
    try {
      shared = await held.loading;
    } catch (error) {
      this.#leave(key, held);
      throw error;
    }
    let released = false;
    return {
      loaded: speaking(shared, name, settings),
      release: async () => {
        if (released) return;
        released = true;
        if (this.#leave(key, held)) await shared.engine.close();
      },
    };
  }

  /** Whether that was the last. Whoever comes after it loads the file again. */
  #leave(key: string, held: Held): boolean {
    if (--held.claims > 0) return false;
    if (this.#held.get(key) === held) this.#held.delete(key);
    return true;
  }
}

/** What has to be the same for two models to share a file. */
const keyOf = (
  file: string,
  { contextWindow, sequences, batchSize, threads, gpu, flashAttention, patience }: CheckedSettings,
): string =>
  JSON.stringify([file, contextWindow, sequences, batchSize, threads, gpu, flashAttention, patience]);
