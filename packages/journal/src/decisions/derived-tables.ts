import type { AgentResult, Approval, Args, Outcome, Usage } from "@agentpool/core";
import type { RecordedSource, RunEntry, StoredEntry } from "../values/entry.ts";
import type { Change, RowOf } from "../values/tables.ts";

/**
 * The tables of a run, derived from its entries and from nothing else: feed it every entry in order, take what changed.
 * The same entries always give the same rows, in however many portions they are taken.
 */
export class DerivedTables {
  readonly #run: RowOf<"runs">;
  readonly #agents = new Map<string, RowOf<"agents">>();
  readonly #turns = new Map<string, OpenTurn>();
  readonly #proposed = new Map<string, Proposed>();
  readonly #calls = new Map<string, RowOf<"calls">>();
  readonly #approvals = new Map<string, RowOf<"approvals">>();
  /** The place of the entry that is looked at. */
  #idx = -1;
  readonly #models = new Map<string, string>();
  #reviews = 0;
  #changed = new Map<object, Change>();

  constructor(run: string) {
    this.#run = {
      id: run,
      question: "",
      status: "running",
      started_at: null,
      ended_at: null,
      agents: 0,
      turns: 0,
      calls: 0,
      refusals: 0,
      input_tokens: 0,
      output_tokens: 0,
      cached_tokens: 0,
      cost: 0,
      origin: null,
      settings: null,
      answer: null,
      error: null,
    };
  }

  /** Rows that changed since they were last taken, each once and whole. */
  take(): Change[] {
    const changes = [...this.#changed.values()];
    this.#changed = new Map();
    return changes;
  }

  /** The next entry of the run. */
  add(entry: StoredEntry): void {
    this.#idx++;
    this.#run.started_at ??= entry.at;
    switch (entry.type) {
      case "run:started":
      case "run:resumed":
      case "run:waiting":
      case "run:stopped":
      case "run:sources":
      case "run:ended":
        this.#addOfRun(entry);
        return;
      case "pool:opened":
        this.#models.set(entry.pool, entry.model);
        this.#sumUp();
        return;
      case "pool:closed":
        this.#sumUp();
        return;
      case "agent:spawned":
        this.#spawned(entry);
        return;
      case "agent:ended":
        this.#ended(entry.agent, entry.at, entry.result);
        return;
      case "turn:started":
        this.#turns.set(entry.agent, {
          turn: entry.turn,
          attempt: this.#attempt(entry.agent, entry.turn),
          forced: entry.forced,
          at: entry.at,
        });
        return;
      case "turn:completed":
        this.#turnCompleted(entry);
        return;
      case "call:proposed":
        this.#proposed.set(entry.call, entry);
        return;
      case "call:rewritten": {
        const proposed = this.#proposed.get(entry.call);
        if (proposed)
          this.#proposed.set(entry.call, {
            ...proposed,
            tool: entry.to.tool,
            input: JSON.stringify(entry.to.args),
          });
        return;
      }
      case "call:discarded":
        this.#proposed.delete(entry.call);
        return;
      case "call:dispatched":
        this.#dispatched(entry);
        return;
      case "call:settled":
        this.#settled(entry, entry.outcome, entry.ms);
        return;
      case "call:substituted":
        this.#settled(entry, { type: "substituted", guard: entry.guard, value: entry.value }, undefined);
        return;
      case "call:withdrawn":
        if (this.#calls.has(entry.call))
          this.#settled(entry, { type: "withdrawn", message: entry.message }, undefined);
        return;
      case "call:refused":
      case "call:cancelled":
        this.#refused(entry);
        return;
      case "call:admitted":
        this.#admitted(entry.call, entry.attended);
        return;
      case "approval:requested":
        this.#asked(entry.approval, entry.at);
        return;
      case "approval:decided":
        this.#decided(entry.approval, entry.at, entry.decision.type, reasonOf(entry.decision));
        return;
      case "approval:void":
        this.#decided(entry.approval, entry.at, "void", null);
        return;
      case "review:passed":
      case "review:restarted":
      case "review:failed":
      case "review:skipped":
      case "review:matched":
        this.#reviewed(entry);
        return;
    }
  }

  #addOfRun(entry: RunEntry): void {
    const run = this.#run;
    switch (entry.type) {
      case "run:started":
        run.question = entry.question;
        run.started_at = entry.at;
        run.settings = entry.settings ?? null;
        run.origin = entry.origin ?? null;
        break;
      case "run:resumed":
        run.status = "running";
        run.ended_at = null;
        run.error = null;
        break;
      case "run:waiting":
        run.status = "waiting";
        break;
      case "run:stopped":
        // a signal interrupts, as a crash does; a person who stops a run means it
        if (entry.by !== "ctrl-c") break;
        run.status = "cancelled";
        run.ended_at = entry.at;
        break;
      case "run:sources":
        for (const source of entry.sources) this.#source(source);
        return;
      case "run:ended":
        run.status = entry.status;
        run.ended_at = entry.at;
        run.answer = entry.answer ?? null;
        run.error = entry.error ?? null;
        break;
    }
    this.#sumUp();
  }

  /** The sums of a run are brought up to date with its pools, and not with every call: see `listRuns`. */
  #sumUp(): void {
    this.#changed.set(this.#run, { table: "runs", row: this.#run });
  }

  #source({ source, title, lines, readBy, quotations }: RecordedSource): void {
    const row = { run: this.#run.id, source, title, lines, read_by: readBy, quotations };
    this.#changed.set(row, { table: "sources", row });
  }

  #spawned(entry: Extract<StoredEntry, { type: "agent:spawned" }>): void {
    const { agent, pool, parent, depth, task, at } = entry;
    if (this.#agents.has(agent)) return;
    const row: RowOf<"agents"> = {
      run: this.#run.id,
      idx: this.#idx,
      agent,
      pool,
      parent: parent ?? null,
      depth,
      model: this.#models.get(pool) ?? null,
      task,
      started_at: at,
      ended_at: null,
      exit: null,
      reason: null,
      result: null,
    };
    this.#agents.set(agent, row);
    this.#changed.set(row, { table: "agents", row });
    this.#count("agents");
  }

  #ended(agent: string, at: number, result: AgentResult): void {
    const row = this.#agents.get(agent);
    if (!row) return;
    row.ended_at = at;
    row.exit = result.exit;
    row.reason = result.reason ?? null;
    row.result = result.result ?? null;
    this.#agents.delete(agent);
    this.#turns.delete(agent);
    this.#changed.set(row, { table: "agents", row });
  }

  /** A turn that is generated again, after a restart or in another process, is another attempt at it. */
  #attempt(agent: string, turn: number): number {
    const last = this.#turns.get(agent);
    return last?.turn === turn && last.completed ? last.attempt + 1 : 0;
  }

  #turnCompleted(entry: Extract<StoredEntry, { type: "turn:completed" }>): void {
    const { agent, turn, at, result, tokens, cost } = entry;
    const open = this.#turns.get(agent) ?? { turn, attempt: 0, forced: false, at };
    open.completed = true;
    const { usage } = result;
    const row: RowOf<"turns"> = {
      run: this.#run.id,
      idx: this.#idx,
      agent,
      turn,
      attempt: open.attempt,
      forced: open.forced ? 1 : 0,
      started_at: open.at,
      ended_at: at,
      finish: result.finish,
      calls: result.calls.length,
      input_tokens: usage.input,
      output_tokens: usage.output,
      cached_tokens: usage.cached,
      context_tokens: tokens,
      cost: cost ?? null,
    };
    this.#changed.set(row, { table: "turns", row });
    this.#used(usage, cost);
    this.#count("turns");
  }

  #used({ input, output, cached }: Usage, cost: number | undefined): void {
    const run = this.#run;
    run.input_tokens! += input;
    run.output_tokens! += output;
    run.cached_tokens! += cached;
    run.cost = run.cost === null || cost === undefined ? null : run.cost + cost;
  }

  /** A review is no turn, and uses what it uses. */
  #reviewed(entry: ReviewEntry): void {
    const { agent, turn, at } = entry;
    const took = "usage" in entry ? entry : undefined;
    const row: RowOf<"reviews"> = {
      run: this.#run.id,
      review: this.#reviews++,
      agent,
      turn,
      attempt: "attempt" in entry ? entry.attempt : 0,
      subject: "subject" in entry ? entry.subject : "rules",
      asked: "asked" in entry ? entry.asked : entry.matched,
      ...verdictOf(entry),
      model: took?.model ?? null,
      effort: took && "effort" in took ? took.effort : null,
      remembered: took && "remembered" in took && took.remembered ? 1 : 0,
      input_tokens: took?.usage.input ?? 0,
      output_tokens: took?.usage.output ?? 0,
      cached_tokens: took?.usage.cached ?? 0,
      cost: took?.cost ?? null,
      ms: took?.ms ?? null,
      at,
    };
    this.#changed.set(row, { table: "reviews", row });
    if (!took || (took.usage.input === 0 && took.usage.output === 0)) return;
    this.#used(took.usage, took.cost);
    this.#changed.set(this.#run, { table: "runs", row: this.#run });
  }

  #dispatched(entry: Extract<StoredEntry, { type: "call:dispatched" }>): void {
    const { call, agent, tool, identity, args, attempt, at } = entry;
    let row = this.#calls.get(call);
    if (!row) {
      row = this.#newCall(call, { agent, tool, identity }, args);
      this.#count("calls"); // the call that ends an agent is not dispatched, and counts nowhere
    }
    row.attempts = attempt + 1;
    row.dispatched_at ??= at;
    this.#changed.set(row, { table: "calls", row });
  }

  #newCall(
    call: string,
    { agent, tool, identity }: { agent: string; tool: string; identity: string | undefined },
    args: Args | null,
  ): RowOf<"calls"> {
    const row: RowOf<"calls"> = {
      run: this.#run.id,
      idx: this.#idx,
      call,
      agent,
      turn: this.#proposed.get(call)?.turn ?? null,
      tool,
      identity: identity ?? null,
      args,
      outcome: null,
      attended: 0,
      attempts: 0,
      dispatched_at: null,
      settled_at: null,
      ms: null,
      result: null,
    };
    this.#calls.set(call, row);
    return row;
  }

  #settled(
    { call, agent, tool, at }: { call: string; agent: string; tool: string; at: number },
    outcome: Outcome,
    ms: number | undefined,
  ): void {
    const proposed = this.#proposed.get(call);
    const row =
      this.#calls.get(call) ??
      this.#newCall(call, { agent, tool, identity: proposed?.identity }, argsOf(proposed?.input));
    row.outcome = outcome.type;
    row.settled_at = at;
    row.ms = ms ?? null;
    row.result =
      outcome.type === "ok" || outcome.type === "substituted" ? (outcome.value ?? null) : outcome.message;
    this.#changed.set(row, { table: "calls", row });
  }

  #refused(entry: Extract<StoredEntry, { type: "call:refused" | "call:cancelled" }>): void {
    const { call, agent, tool, guard, message, at, type } = entry;
    const proposed = this.#proposed.get(call);
    const row: RowOf<"refusals"> = {
      run: this.#run.id,
      idx: this.#idx,
      call,
      agent,
      turn: proposed?.turn ?? null,
      tool,
      identity: proposed?.identity ?? null,
      input: proposed?.input ?? null,
      kind: type === "call:refused" ? "refused" : "cancelled",
      guard,
      message,
      at,
    };
    this.#proposed.delete(call);
    this.#changed.set(row, { table: "refusals", row });
    this.#count("refusals");
  }

  #admitted(call: string, attended: boolean): void {
    this.#proposed.delete(call);
    const row = this.#calls.get(call);
    if (!row) return;
    this.#calls.delete(call);
    if (!attended) return;
    row.attended = 1;
    this.#changed.set(row, { table: "calls", row });
  }

  #asked(approval: Approval, at: number): void {
    const known = this.#approvals.get(approval.id);
    // one that parks again in another process was asked for once
    if (known && known.state !== "void") return;
    const { id, agent, call, tool, identity, args, digest, reason, reviews = [] } = approval;
    const row: RowOf<"approvals"> = {
      run: this.#run.id,
      id,
      agent,
      call,
      tool,
      identity,
      args,
      digest,
      question: reason,
      reviews,
      state: "open",
      reason: null,
      requested_at: at,
      decided_at: null,
    };
    this.#approvals.set(id, row);
    this.#changed.set(row, { table: "approvals", row });
  }

  #decided(id: string, at: number, state: string, reason: string | null): void {
    const row = this.#approvals.get(id);
    if (row?.state !== "open") return;
    row.state = state;
    row.reason = reason;
    row.decided_at = at;
    this.#changed.set(row, { table: "approvals", row });
  }

  #count(what: "agents" | "turns" | "calls" | "refusals"): void {
    this.#run[what]!++;
  }
}

interface OpenTurn {
  readonly turn: number;
  readonly attempt: number;
  readonly forced: boolean;
  readonly at: number;
  completed?: boolean;
}

type ReviewEntry = Extract<
  StoredEntry,
  { type: "review:passed" | "review:restarted" | "review:failed" | "review:skipped" | "review:matched" }
>;

function verdictOf(entry: ReviewEntry): Pick<RowOf<"reviews">, "verdict" | "problem" | "message"> {
  switch (entry.type) {
    case "review:passed":
      return { verdict: "passed", problem: null, message: entry.todo ?? null };
    case "review:restarted":
      return { verdict: "restarted", problem: null, message: entry.adjustedReasoning };
    case "review:failed":
      return { verdict: "failed", problem: entry.problem, message: entry.adjustedReasoning ?? entry.message };
    case "review:skipped":
      return { verdict: "skipped", problem: entry.reason, message: null };
    case "review:matched":
      return {
        verdict: "matched",
        problem: entry.failure?.problem ?? null,
        message: entry.failure?.message ?? null,
      };
  }
}

type Proposed = Pick<Extract<StoredEntry, { type: "call:proposed" }>, "tool" | "identity" | "input" | "turn">;

const reasonOf = (decision: { readonly type: string; readonly reason?: string }): string | null =>
  decision.reason ?? null;

function argsOf(input: string | undefined): Args | null {
  try {
    return JSON.parse(input ?? "null") as Args;
  } catch {
    return null;
  }
}
