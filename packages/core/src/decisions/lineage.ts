import type { Args } from "../values/json.ts";
import type { CallArgs, Key } from "./call-args.ts";

/**
 * What an agent has read, on top of what its ancestors had read when it forked.
 *
 * A fork is a snapshot in constant time: it remembers its parent and how much the parent had read. Indices by key
 * are built when a guard first asks and caught up afterwards, so a lookup costs the depth of the lineage and nothing
 * else.
 */
export class Lineage {
  readonly #parent: Lineage | undefined;
  readonly #inherited: number;
  readonly #depth: number;
  readonly #reads = new Map<string, Read[]>();
  readonly #indices = new Map<Key, Index>();
  #length = 0;

  private constructor(parent: Lineage | undefined, inherited: number) {
    this.#parent = parent;
    this.#inherited = inherited;
    this.#depth = parent ? parent.#depth + 1 : 0;
  }

  static empty(): Lineage {
    return new Lineage(undefined, 0);
  }

  /** How much was read here: a point to fork from. */
  get length(): number {
    return this.#length;
  }

  /** A child that has read what was read here up to `at`. Default: up to now. */
  fork(at: number = this.#length): Lineage {
    return this.#depth < DEEPEST ? new Lineage(this, at) : this.#flat(at);
  }

  attend(identity: string, args: CallArgs): void {
    const read: Read = { at: this.#length++, args };
    const reads = this.#reads.get(identity);
    if (reads) reads.push(read);
    else this.#reads.set(identity, [read]);
  }

  /** Whether a call with this key was read. */
  has(key: Key, value: string): boolean {
    let until = Number.POSITIVE_INFINITY;
    for (let frame: Lineage | undefined = this; frame; until = frame.#inherited, frame = frame.#parent) {
      const at = frame.#index(key)?.get(value);
      if (at !== undefined && at < until) return true;
    }
    return false;
  }

  /** Arguments of every read of a tool, the latest frame first. */
  attended(identity: string): Args[] {
    const found: Args[] = [];
    for (const read of this.#all(identity, Number.POSITIVE_INFINITY)) found.push(read.args.args);
    return found;
  }

  *#all(identity: string, until: number): Generator<Read> {
    let limit = until;
    for (let frame: Lineage | undefined = this; frame; limit = frame.#inherited, frame = frame.#parent)
      for (const read of frame.#reads.get(identity) ?? []) if (read.at < limit) yield read;
  }

  #index(key: Key): Map<string, number> | undefined {
    const reads = this.#reads.get(key.identity);
    if (!reads) return undefined;
    let index = this.#indices.get(key);
    if (!index) {
      index = { seen: 0, first: new Map() };
      this.#indices.set(key, index);
    }
    for (; index.seen < reads.length; index.seen++) {
      const { at, args } = reads[index.seen]!;
      const value = args.recordedUnder(key);
      if (value !== undefined && !index.first.has(value)) index.first.set(value, at);
    }
    return index.first;
  }

  /** The same reads in one frame: a long chain of forks must not make every lookup walk it. */
  #flat(at: number): Lineage {
    const flat = Lineage.empty();
    const names = new Set<string>();
    for (let frame: Lineage | undefined = this; frame; frame = frame.#parent)
      for (const name of frame.#reads.keys()) names.add(name);
    for (const name of names) for (const read of this.#all(name, at)) flat.attend(name, read.args);
    return flat.fork();
  }
}

interface Read {
  readonly at: number;
  readonly args: CallArgs;
}

interface Index {
  /** Reads indexed so far. */
  seen: number;
  readonly first: Map<string, number>;
}

const DEEPEST = 32;
