import type { ApprovalDecision } from "../values/approval.ts";
import type { PoolEvent } from "../values/event.ts";
import { isEvent, type JournalEntry, type RecordEntry } from "../values/journal.ts";
import type { Args, Json } from "../values/json.ts";
import type { RecordedAgent, RecordedCall, RecordedPool, RecordedTree } from "../values/recorded.ts";
import { addNote, addToAgent, newAgent } from "./record-agent.ts";
import { callOf } from "./record-call.ts";
import { newTree } from "./record-tree.ts";

/** A call that the record leaves on its way: it has its place in line before any agent starts. */
export interface OpenCall {
  readonly id: string;
  readonly agent: string;
  readonly identity: string;
  readonly args: Args;
  /** It succeeded and was not read yet: it counts as read. */
  readonly succeeded: boolean;
}

/**
 * What is on record about a run, folded once, by what will be asked for. Every prefix of a record will do: what is
 * missing was not decided, and is decided anew.
 */
export class Recorded {
  readonly agents = new Map<string, RecordedAgent>();
  readonly pools = new Map<string, RecordedPool>();
  /** By the key of the top pool. */
  readonly trees = new Map<string, RecordedTree>();
  readonly decisions = new Map<string, ApprovalDecision>();
  /** Results of a harness's own steps. */
  readonly effects = new Map<string, Json>();
  /** In the order they were dispatched. */
  readonly #dispatched = new Set<RecordedCall>();
  /** By any pool's key; and the one that was last heard of. */
  readonly #treeOf = new Map<string, RecordedTree>();
  #last: RecordedTree | undefined;
  /** Which process's part an entry is in, and when each tree was first and last heard of in it. */
  #part = 0;
  readonly #spans = new Map<RecordedTree, { readonly part: number; readonly since: number; last: number }>();

  constructor(entries: readonly JournalEntry[]) {
    for (const entry of entries) this.#add(entry);
    for (const [tree, { since, last }] of this.#spans) tree.elapsed += last - since;
  }

  /** Calls of a tree that were on their way, in the order they were dispatched. */
  open(tree: RecordedTree): readonly OpenCall[] {
    const open: OpenCall[] = [];
    for (const { id, agent, dispatched, outcome, admitted } of this.#dispatched) {
      if (admitted || (outcome && outcome.type !== "ok")) continue;
      if (this.#treeOf.get(this.agents.get(agent)?.pool ?? "") !== tree || !this.#goesOn(agent)) continue;
      const { identity, args } = dispatched!;
      open.push({ id, agent, identity, args, succeeded: outcome !== undefined });
    }
    return open;
  }

  /** Whether an agent will be back: it is not over, and neither is anything that it works for. */
  #goesOn(key: string): boolean {
    const agent = this.agents.get(key);
    if (!agent || agent.result || agent.halted) return false;
    for (let pool = this.pools.get(agent.pool); pool; pool = this.pools.get(pool.within ?? "")) {
      if (pool.closed) return false;
      const call = this.#callerOf(pool);
      if (call) return call.outcome === undefined && this.#goesOn(call.agent);
    }
    return true;
  }

  #add(entry: JournalEntry): void {
    if (isEvent(entry)) this.#addEvent(entry);
    else this.#addNote(entry);
    // what names no pool is of the one that was last heard of
    const pool = this.#poolIn(entry);
    const tree = pool === undefined ? this.#last : this.#treeOf.get(pool);
    if (!tree) return;
    this.#last = tree;
    this.#spend(tree, entry.at);
    if (isEvent(entry)) tree.events.push(entry);
  }

  #poolIn(entry: JournalEntry): string | undefined {
    if ("pool" in entry) return entry.pool;
    return "agent" in entry && entry.agent !== undefined ? this.agents.get(entry.agent)?.pool : undefined;
  }

  /** Time between two processes is nobody's. */
  #spend(tree: RecordedTree, at: number): void {
    const span = this.#spans.get(tree);
    if (span?.part === this.#part) span.last = at;
    else {
      if (span) tree.elapsed += span.last - span.since;
      this.#spans.set(tree, { part: this.#part, since: at, last: at });
    }
  }

  #addEvent(event: PoolEvent): void {
    switch (event.type) {
      case "pool:opened":
        this.#openPool(event);
        return;
      case "pool:closed":
        // one that failed can be taken up
        this.#pool(event.pool).closed = (event.result ?? undefined) !== undefined;
        return;
      case "spine:extended":
        this.#pool(event.pool).extensions.push({ user: event.user, assistant: event.assistant });
        return;
      case "agent:spawned":
        this.#spawn(event);
        return;
      case "approval:decided":
        if (!this.decisions.has(event.approval)) this.decisions.set(event.approval, event.decision);
        break;
    }
    const agent = "agent" in event && event.agent !== undefined ? this.agents.get(event.agent) : undefined;
    const tree = agent && this.#treeOf.get(agent.pool);
    if (!agent || !tree) return;
    addToAgent(agent, tree, event);
    if (event.type === "call:dispatched") this.#dispatched.add(callOf(agent, event.call));
  }

  #addNote(note: RecordEntry): void {
    switch (note.type) {
      case "record:begun":
        this.#part++;
        // what was being generated when the process before went away is not any more
        for (const agent of this.agents.values()) agent.generating = false;
        return;
      case "record:effect":
        this.effects.set(note.key, note.value);
        return;
      case "record:pool":
        this.#pool(note.pool).tools = note.tools;
        return;
      case "record:redacted":
        this.#pool(note.pool).redacted.push(note);
        return;
    }
    const agent = this.agents.get(note.agent);
    if (!agent) return;
    addNote(agent, this.agents.get(agent.from ?? ""), note);
    if (note.type === "record:intent") this.#dispatched.add(callOf(agent, note.call));
  }

  #openPool({ pool: key, within, call }: Extract<PoolEvent, { type: "pool:opened" }>): void {
    const pool: RecordedPool = { ...this.#pool(key), within, call, closed: false };
    this.pools.set(key, pool);
    const caller = this.#callerOf(pool);
    if (caller) caller.nests = true;
    const around = this.#treeOf.get(within ?? "");
    const tree = around ?? this.trees.get(key) ?? newTree();
    if (!around) this.trees.set(key, tree);
    this.#treeOf.set(key, tree);
  }

  #pool(key: string): RecordedPool {
    const known = this.pools.get(key);
    if (known) return known;
    const pool: RecordedPool = {
      key,
      within: undefined,
      call: undefined,
      tools: [],
      redacted: [],
      extensions: [],
      closed: false,
    };
    this.pools.set(key, pool);
    return pool;
  }

  /** The call that opened a pool: its id begins with its agent's key. */
  #callerOf({ call }: RecordedPool): RecordedCall | undefined {
    if (call === undefined) return undefined;
    return this.agents.get(call.slice(0, call.lastIndexOf(":")))?.calls.get(call);
  }

  #spawn(event: Extract<PoolEvent, { type: "agent:spawned" }>): void {
    const known = this.agents.get(event.agent);
    if (known) {
      known.halted = false;
      return;
    }
    this.agents.set(event.agent, newAgent(event));
    const tree = this.#treeOf.get(event.pool);
    if (!tree) return;
    tree.agents.add(event.agent);
    tree.totals.agents++;
  }
}
