import type { Args } from "../values/json.ts";

/** A dedup key of one guard for one tool: what indices are kept by. */
export interface Key {
  readonly identity: string;
  /** Its place among the keys of its tool. */
  readonly slot: number;
  /** The key of a call's arguments, canonical; undefined: not keyable. May throw. */
  compute(args: Args): string | undefined;
}

/** The arguments of one call with its keys, each computed once. */
export class CallArgs {
  /** As validated; frozen. */
  readonly args: Args;
  /** By slot; null: not keyable. */
  readonly #values: (string | null | undefined)[] = [];

  constructor(args: Args) {
    this.args = args;
  }

  /** Its value under a key; undefined: not keyable. Throws what the key function throws. */
  under(key: Key): string | undefined {
    let value = this.#values[key.slot];
    if (value === undefined) {
      value = key.compute(this.args) ?? null;
      this.#values[key.slot] = value;
    }
    return value ?? undefined;
  }

  /** The same for a call that is on record already: a key function that throws cannot say what it was. */
  recordedUnder(key: Key): string | undefined {
    try {
      return this.under(key);
    } catch {
      return undefined;
    }
  }
}
