import type { ApprovalDecision } from "../values/approval.ts";
import type { Outcome } from "../values/call.ts";
import type { PoolEvent } from "../values/event.ts";
import { isEvent, type JournalEntry, type Noted } from "../values/journal.ts";
import type { Args, Json } from "../values/json.ts";
import type {
  RecordedAgent,
  RecordedCall,
  RecordedPool,
  RecordedTree,
  RecordedTurn,
} from "../values/recorded.ts";
import type { RecordedReview } from "../values/review.ts";
import { addUsage, noUsage, type Usage } from "../values/usage.ts";

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
  readonly #calls = new Map<string, RecordedCall>();
  /** In the order they were dispatched. */
  readonly #dispatched = new Set<RecordedCall>();
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
      const call = pool.call === undefined ? undefined : this.#calls.get(pool.call);
      if (call) return call.outcome === undefined && this.#goesOn(call.agent);
    }
    return true;
  }

  #add(entry: JournalEntry): void {
    if (entry.type === "record:begun") this.#part++;
    const pool = poolOf(entry) ?? this.agents.get((entry as { agent?: string }).agent ?? "")?.pool;
    if (isEvent(entry)) this.#addEvent(entry);
    else this.#addNote(entry);
    // what names no pool is of the one that was last heard of
    const tree = pool === undefined ? this.#last : this.#treeOf.get(pool);
    if (!tree) return;
    this.#last = tree;
    this.#spend(tree, entry.at);
    if (isEvent(entry)) tree.events.push(entry);
  }

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
        this.#call(event.agent, event.call)?.approvals.add(event.approval);
        return;
      case "approval:requested":
        this.#call(event.agent, event.call)?.approvals.add(event.approval.id);
        return;
      case "approval:void":
        this.#call(event.agent, event.call)?.approvals.delete(event.approval);
        return;
    }
    const agent = "agent" in event && event.agent !== undefined ? this.agents.get(event.agent) : undefined;
    if (agent) this.#addOfAgent(agent, event);
  }

  #addOfAgent(agent: RecordedAgent, event: PoolEvent): void {
    const tree = this.#treeOf.get(agent.pool);
    switch (event.type) {
      case "turn:started":
        agent.forced = event.forced;
        return;
      case "turn:completed":
        this.#completeTurn(agent, event);
        return;
      case "turn:restarted":
        turnOf(agent, event.turn, event.attempt).restarted = event;
        agent.attempt = event.attempt + 1;
        if (tree) tree.totals.turns--;
        return;
      case "model:limited":
        agent.limited = { until: event.at + event.afterMs, attempt: event.attempt };
        this.#park(agent);
        return;
      case "agent:steered":
        agent.steers.push(event.message);
        return;
      case "agent:ended":
        agent.result = event.result;
        return;
    }
    if (isReview(event)) {
      this.#use(agent, event.usage, event.cost);
      turnOf(agent, event.turn, event.type === "review:matched" ? 0 : event.attempt).reviews.push(event);
      return;
    }
    if ("call" in event && "tool" in event) this.#addOfCall(agent, event as CallEvent);
  }

  #completeTurn(agent: RecordedAgent, event: Extract<PoolEvent, { type: "turn:completed" }>): void {
    const tree = this.#treeOf.get(agent.pool);
    this.#use(agent, event.result.usage, event.cost);
    if (tree) tree.longestTurn = Math.max(tree.longestTurn, event.result.usage.output);
    agent.limited = undefined;
    if (agent.forced) {
      agent.report = event.result;
      return;
    }
    if (event.turn !== agent.lastTurn) agent.attempt = 0;
    turnOf(agent, event.turn, agent.attempt).result = event.result;
    agent.lastTurn = event.turn;
    if (tree) tree.totals.turns++;
  }

  #use(agent: RecordedAgent, usage: Usage, cost = 0): void {
    agent.usage = addUsage(agent.usage, usage);
    const tree = this.#treeOf.get(agent.pool);
    if (!tree) return;
    tree.totals.usage = addUsage(tree.totals.usage, usage);
    tree.spent.tokens += usage.input + usage.output;
    tree.spent.cost += cost;
  }

  #park(agent: RecordedAgent): void {
    agent.parks++;
    const tree = this.#treeOf.get(agent.pool);
    if (tree) tree.totals.parks++;
  }

  #addOfCall(agent: RecordedAgent, event: CallEvent): void {
    const call = this.#callOf(agent, event.call);
    const tree = this.#treeOf.get(agent.pool);
    switch (event.type) {
      case "call:proposed":
        call.proposed = true;
        return;
      case "call:discarded":
        call.discarded = true;
        return;
      case "call:rewritten":
        call.rewrite = event.to;
        return;
      case "call:dispatched":
        if (!call.dispatched && tree) tree.totals.toolCalls++;
        call.dispatched = { attempt: event.attempt, identity: event.identity, args: event.args };
        call.since = event.at;
        call.retry = undefined;
        call.nests = false;
        this.#dispatched.add(call);
        return;
      case "call:parked":
        // one that goes on in another process is the same
        if (call.parked !== event.reason) this.#park(agent);
        if (event.reason === "retry" && call.parked !== "retry") {
          if (tree) tree.retries++;
          if (!call.nests && call.since !== undefined) call.usedMs += Math.max(0, event.at - call.since);
          if (event.until !== undefined)
            call.retry = { attempt: (call.dispatched?.attempt ?? 0) + 1, until: event.until };
        }
        call.parked = event.reason;
        return;
      case "call:resumed":
        call.parked = undefined;
        return;
      case "call:settled":
        call.outcome = event.outcome;
        return;
      case "call:refused":
      case "call:cancelled":
        if (tree && !call.outcome) tree.totals.refusals++;
        call.outcome = outcomeOf(event);
        return;
      case "call:substituted":
      case "call:withdrawn":
        call.outcome = outcomeOf(event);
        return;
      case "call:admitted":
        call.admitted = true;
        if (!event.attended || !tree || !call.dispatched) return;
        tree.totals.attended++;
        tree.reads.push({ identity: call.dispatched.identity, args: call.dispatched.args });
        return;
    }
  }

  #addNote(entry: Noted): void {
    switch (entry.type) {
      case "record:begun":
        return;
      case "record:effect":
        this.effects.set(entry.key, entry.value);
        return;
      case "record:pool":
        this.#pool(entry.pool).tools = entry.tools;
        return;
      case "record:redacted":
        this.#pool(entry.pool).redacted.push(entry);
        return;
    }
    const agent = this.agents.get(entry.agent);
    if (!agent) return;
    switch (entry.type) {
      case "record:forked":
        agent.spine = entry.spine;
        agent.parent = entry.parent;
        if (entry.parent) this.agents.get(agent.from ?? "")?.forkedAt.add(entry.parent.place);
        return;
      case "record:routed":
        turnOf(agent, entry.turn, entry.attempt).names = entry.names;
        return;
      case "record:heard":
        turnOf(agent, entry.turn, entry.attempt).heard.push({
          messages: entry.messages,
          context: entry.context,
        });
        agent.steers.splice(0, entry.steers);
        return;
      case "record:step":
        turnOf(agent, entry.turn, entry.attempt).step = entry;
        for (const passed of entry.calls) this.#callOf(agent, passed.call).passed = passed;
        return;
      case "record:fitted":
        this.#callOf(agent, entry.call).fitted = { outcome: entry.outcome, dropped: entry.dropped };
        return;
      case "record:followed":
        this.#callOf(agent, entry.call).followed = { message: entry.message };
        return;
      case "record:return":
        turnOf(agent, entry.turn, entry.attempt).returned = entry.verdict;
        return;
      case "record:stopped":
        agent.stop = { why: entry.stop, heard: entry.heard };
        agent.steers.splice(0, entry.heard.length);
        return;
      case "record:halted":
        agent.halted = true;
        return;
    }
  }

  #openPool({ pool: key, within, call }: Extract<PoolEvent, { type: "pool:opened" }>): void {
    const pool: RecordedPool = { ...this.#pool(key), within, call, closed: false };
    this.pools.set(key, pool);
    const caller = call === undefined ? undefined : this.#calls.get(call);
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

  #spawn({ agent: key, pool, task, parent }: Extract<PoolEvent, { type: "agent:spawned" }>): void {
    const tree = this.#treeOf.get(pool);
    const known = this.agents.get(key);
    if (known) {
      known.halted = false;
      return;
    }
    this.agents.set(key, {
      key,
      pool,
      task,
      claimed: false,
      spine: undefined,
      parent: undefined,
      from: parent,
      forkedAt: new Set(),
      turns: new Map(),
      lastTurn: 0,
      attempt: 0,
      forced: false,
      stop: undefined,
      report: undefined,
      limited: undefined,
      calls: new Map(),
      steers: [],
      parks: 0,
      usage: noUsage,
      halted: false,
      result: undefined,
    });
    if (!tree) return;
    tree.agents.add(key);
    tree.totals.agents++;
  }

  #call(agent: string, id: string): RecordedCall | undefined {
    const known = this.agents.get(agent);
    return known && this.#callOf(known, id);
  }

  #callOf(agent: RecordedAgent, id: string): RecordedCall {
    const known = agent.calls.get(id);
    if (known) return known;
    const call: RecordedCall = {
      id,
      agent: agent.key,
      proposed: false,
      discarded: false,
      rewrite: undefined,
      passed: undefined,
      approvals: new Set(),
      dispatched: undefined,
      since: undefined,
      retry: undefined,
      nests: false,
      usedMs: 0,
      parked: undefined,
      outcome: undefined,
      fitted: undefined,
      admitted: false,
      followed: undefined,
    };
    agent.calls.set(id, call);
    this.#calls.set(id, call);
    return call;
  }
}

type CallEvent = Extract<PoolEvent, { call: string; tool: string }>;

/** What is on record about an attempt at a turn; made where there is nothing. */
function turnOf(agent: RecordedAgent, turn: number, attempt: number): RecordedTurn {
  const key = `${turn}.${attempt}`;
  const known = agent.turns.get(key);
  if (known) return known;
  const made: RecordedTurn = {
    names: undefined,
    heard: [],
    result: undefined,
    step: undefined,
    reviews: [],
    restarted: undefined,
    returned: undefined,
  };
  agent.turns.set(key, made);
  return made;
}

function outcomeOf(
  event: Extract<
    CallEvent,
    { type: "call:refused" | "call:cancelled" | "call:substituted" | "call:withdrawn" }
  >,
): Outcome {
  switch (event.type) {
    case "call:refused":
      return { type: "refused", guard: event.guard, message: event.message };
    case "call:cancelled":
      return { type: "cancelled", guard: event.guard, message: event.message };
    case "call:substituted":
      return { type: "substituted", guard: event.guard, value: event.value };
    case "call:withdrawn":
      return { type: "withdrawn", message: event.message };
  }
}

const poolOf = (entry: JournalEntry): string | undefined =>
  "pool" in entry && typeof entry.pool === "string" ? entry.pool : undefined;

const newTree = (): RecordedTree => ({
  totals: { agents: 0, turns: 0, toolCalls: 0, attended: 0, refusals: 0, parks: 0, usage: noUsage },
  spent: { tokens: 0, cost: 0 },
  longestTurn: 0,
  retries: 0,
  elapsed: 0,
  reads: [],
  agents: new Set(),
  events: [],
});

type ReviewEvent = Extract<PoolEvent, { type: RecordedReview["type"] }>;

const isReview = (event: PoolEvent): event is ReviewEvent =>
  event.type === "review:passed" ||
  event.type === "review:restarted" ||
  event.type === "review:failed" ||
  event.type === "review:matched";
