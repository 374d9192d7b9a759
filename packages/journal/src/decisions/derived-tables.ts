import type { StoredEntry } from "../values/entry.ts";
import type { Change } from "../values/tables.ts";
import { AgentsTable } from "./tables/agents-table.ts";
import { ApprovalsTable } from "./tables/approvals-table.ts";
import { CallsTable } from "./tables/calls-table.ts";
import { Changes } from "./tables/changes.ts";
import { Proposals } from "./tables/proposals.ts";
import { RefusalsTable } from "./tables/refusals-table.ts";
import { type ReviewEntry, ReviewsTable } from "./tables/reviews-table.ts";
import { RunsTable } from "./tables/runs-table.ts";
import { SourcesTable } from "./tables/sources-table.ts";
import { TurnsTable } from "./tables/turns-table.ts";

/**
 * The tables of a run, derived from its entries and from nothing else: feed it every entry in order, take what changed.
 * The same entries always give the same rows, in however many portions they are taken.
 *
 * Here stands which entry concerns which tables; each table knows what becomes of its rows.
 */
export class DerivedTables {
  readonly #changes = new Changes();
  readonly #proposals = new Proposals();
  readonly #runs: RunsTable;
  readonly #agents: AgentsTable;
  readonly #turns: TurnsTable;
  readonly #calls: CallsTable;
  readonly #refusals: RefusalsTable;
  readonly #approvals: ApprovalsTable;
  readonly #reviews: ReviewsTable;
  readonly #sources: SourcesTable;
  /** The place of the entry that is looked at. */
  #idx = -1;

  constructor(run: string) {
    const changes = this.#changes;
    this.#runs = new RunsTable(run, changes);
    this.#agents = new AgentsTable(run, changes);
    this.#turns = new TurnsTable(run, changes);
    this.#calls = new CallsTable(run, changes, this.#proposals);
    this.#refusals = new RefusalsTable(run, changes, this.#proposals);
    this.#approvals = new ApprovalsTable(run, changes);
    this.#reviews = new ReviewsTable(run, changes);
    this.#sources = new SourcesTable(run, changes);
  }

  /** Rows that changed since they were last taken, each once and whole. */
  take(): Change[] {
    return this.#changes.take();
  }

  /** The next entry of the run. */
  add(entry: StoredEntry): void {
    const idx = ++this.#idx;
    this.#runs.began(entry.at);
    switch (entry.type) {
      case "run:started":
      case "run:resumed":
      case "run:waiting":
      case "run:stopped":
      case "run:ended":
        this.#runs.add(entry);
        return;
      case "run:sources":
        for (const source of entry.sources) this.#sources.seen(source);
        return;
      case "pool:opened":
        this.#agents.poolOpened(entry);
        this.#runs.sumUp();
        return;
      case "pool:closed":
        this.#runs.sumUp();
        return;
      case "agent:spawned":
        if (this.#agents.spawned(entry, idx)) this.#runs.count("agents");
        return;
      case "agent:ended":
        this.#agents.ended(entry.agent, entry.at, entry.result);
        this.#turns.agentEnded(entry.agent);
        return;
      case "turn:started":
        this.#turns.started(entry);
        return;
      case "turn:completed":
        if (this.#turns.completed(entry, idx, this.#agents.modelOf(entry.agent))) this.#runs.count("turns");
        this.#runs.used(entry.result.usage, entry.cost);
        return;
      case "turn:restarted":
        if (this.#turns.restarted(entry.agent)) this.#runs.count("turns", -1);
        return;
      case "turn:failed":
      case "model:limited":
        if (entry.type === "model:limited" && !entry.usage) return;
        this.#turns.failed(entry, idx, this.#agents.modelOf(entry.agent));
        if (entry.usage) this.#runs.used(entry.usage, entry.cost);
        return;
      case "call:proposed":
        this.#proposals.proposed(entry.call, entry);
        return;
      case "call:rewritten":
        this.#proposals.rewritten(entry.call, entry.to);
        return;
      case "call:discarded":
        this.#proposals.over(entry.call);
        return;
      case "call:dispatched":
        if (this.#calls.dispatched(entry, idx)) this.#runs.count("calls");
        return;
      // the call that ends an agent counts nowhere
      case "record:executing":
        this.#calls.dispatched(entry, idx, true);
        return;
      case "record:executed":
        this.#calls.executed(entry.call, entry.outcome);
        return;
      case "call:settled":
        this.#calls.settled(entry, idx, entry.outcome, entry.ms);
        return;
      case "call:substituted":
        this.#calls.settled(entry, idx, { type: "substituted", guard: entry.guard, value: entry.value });
        return;
      case "call:withdrawn":
        if (this.#calls.has(entry.call))
          this.#calls.settled(entry, idx, { type: "withdrawn", message: entry.message });
        return;
      case "call:refused":
      case "call:cancelled":
        this.#refusals.refused(entry, idx);
        this.#runs.count("refusals");
        return;
      case "call:admitted":
        this.#proposals.over(entry.call);
        this.#calls.admitted(entry.call, entry.attended);
        return;
      case "approval:requested":
        this.#approvals.requested(entry.approval, entry.at);
        return;
      case "approval:decided": {
        const { approval, at, decision } = entry;
        const reason = "reason" in decision ? (decision.reason ?? null) : null;
        this.#approvals.decided(approval, at, decision.type, reason);
        return;
      }
      case "approval:void":
        this.#approvals.decided(entry.approval, entry.at, "void", null);
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

  /** A review is no turn, and uses what it uses. */
  #reviewed(entry: ReviewEntry): void {
    this.#reviews.reviewed(entry);
    if (!("usage" in entry) || (entry.usage.input === 0 && entry.usage.output === 0)) return;
    this.#runs.used(entry.usage, entry.cost);
    this.#runs.sumUp();
  }
}
