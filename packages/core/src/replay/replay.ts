import type { Operation } from "effection";
import { type BoundTool, hooksOf } from "../decisions/bind.ts";
import { CallArgs } from "../decisions/call-args.ts";
import { type Holder, Line, type Ticket } from "../decisions/line.ts";
import { Lineage } from "../decisions/lineage.ts";
import { parseArgs } from "../decisions/parse.ts";
import type { View } from "../decisions/view.ts";
import { Later } from "../effects/later.ts";
import { askGuards, type Verdict } from "../runtime/ask-guards.ts";
import type { Outcome } from "../values/call.ts";
import type { JournalEntry } from "../values/journal.ts";
import type { RecordedFate } from "./recorded-calls.ts";
import type { GuardReplay } from "./replay-guards.ts";
import { ReplayedAgent } from "./replayed-agent.ts";
import type { ReplayedFates } from "./replayed-fates.ts";
import { isRefusedBy, ReplayedPolicy } from "./replayed-policy.ts";
import { ReplayedTools } from "./replayed-tools.ts";
import type { Standing } from "./standing.ts";

/** Goes through a record with guards of other settings, as a run goes through its calls. */
export class Replay {
  readonly #calls: ReadonlyMap<string, RecordedFate>;
  readonly #tools: ReplayedTools;
  readonly #fates: ReplayedFates;
  readonly #policy: ReplayedPolicy;
  readonly #line = new Line();
  readonly #cohort = Lineage.empty();
  readonly #agents = new Map<string, ReplayedAgent>();
  /** The agents and calls that pools were opened in. */
  readonly #callers = new Map<string, string>();
  readonly #standing = new Map<string, Standing>();
  /** Agents that would not have been: the call that started them is refused here. */
  readonly #gone = new Set<string>();

  constructor(calls: ReadonlyMap<string, RecordedFate>, fates: ReplayedFates, settings: GuardReplay) {
    const { tools, hooks = [], guards, ...policy } = settings;
    this.#calls = calls;
    this.#fates = fates;
    this.#policy = new ReplayedPolicy(policy, [...tools.flatMap(hooksOf), ...hooks]);
    this.#tools = new ReplayedTools(settings, ({ guards }) => {
      for (const guard of guards) if (guard.type === "keyed") this.#line.register(guard.key);
    });
  }

  /** Whether a call's tool is one of those that are looked at. */
  isKnown(call: string): boolean {
    return this.#tools.isKnown(this.#calls.get(call)?.tool ?? "");
  }

  *take(entry: JournalEntry): Operation<void> {
    switch (entry.type) {
      case "pool:opened":
        if (entry.call !== undefined) this.#callers.set(entry.pool, entry.call);
        return;
      case "agent:spawned": {
        const call = this.#callers.get(entry.pool) ?? "";
        const caller = this.#standing.get(call);
        const parent = this.#agents.get(entry.parent ?? "");
        if (
          this.#gone.has(entry.parent ?? "") ||
          this.#gone.has(this.#calls.get(call)?.agent ?? "") ||
          this.#fates.isKept(call)
        )
          this.#gone.add(entry.agent);
        this.#agents.set(
          entry.agent,
          new ReplayedAgent(entry, { parent, caller }, (happening) => this.#fates.note(happening)),
        );
        return;
      }
      case "record:forked": {
        const parent = this.#agents.get(this.#agents.get(entry.agent)?.view.parent ?? "");
        if (entry.parent && parent) this.#agents.get(entry.agent)?.forkFrom(parent, entry.parent.reads);
        return;
      }
      case "turn:completed":
        this.#agents.get(entry.agent)?.turnCompleted(entry.turn);
        return;
      case "call:proposed":
        return yield* this.#propose(entry.call);
      case "record:step":
        return yield* this.#enterStep(entry);
      case "call:dispatched":
        return yield* this.#enter(this.#standing.get(entry.call));
      case "call:refused":
        if (entry.guard === "approval") return yield* this.#denied(this.#standing.get(entry.call));
        return yield* this.#kept(entry.call);
      case "call:cancelled":
      case "call:substituted":
        return yield* this.#kept(entry.call);
      case "call:settled":
        return yield* this.#settle(entry.call, entry.outcome.type === "ok");
      case "call:withdrawn": {
        const standing = this.#standing.get(entry.call);
        if (standing) this.#giveBack(standing);
        return yield* this.#settle(entry.call, false);
      }
      case "call:admitted":
        return yield* this.#admit(entry.call, entry.attended);
      case "agent:ended": {
        for (const ticket of [...(this.#agents.get(entry.agent)?.holder.tickets ?? [])])
          this.#line.leave(ticket);
        return yield* this.#wake();
      }
    }
  }

  /** At the gates, before it has a place in line. */
  *#propose(id: string): Operation<void> {
    const recorded = this.#calls.get(id)!;
    const bound = this.#tools.of(recorded);
    const agent = this.#agents.get(recorded.agent);
    if (recorded.fate.type === "other" || !bound || !agent) return;
    const args = recorded.args ?? argsOf(bound, recorded.input);
    recorded.args = args;
    if (this.#gone.has(recorded.agent) || recorded.turn > agent.last) {
      this.#fates.set(id, { type: "other" });
      return;
    }
    const forbidden = this.#policy.forbids(recorded, bound);
    if (forbidden) {
      this.#fates.set(id, forbidden);
      return;
    }
    if (!args) return;
    const standing: Standing = {
      recorded,
      agent,
      bound,
      args: new CallArgs(args),
      ticket: undefined,
      lookers: bound.guards,
      succeeded: undefined,
      admitted: false,
      reserved: false,
      parked: false,
    };
    const verdict = yield* this.#ask(standing, undefined);
    if (verdict.type === "blocked") {
      this.#block(standing, verdict.outcome);
      return;
    }
    if (verdict.approval !== undefined) this.#fates.ask(id, verdict.approval);
    standing.lookers = verdict.lookers;
    this.#standing.set(id, standing);
    this.#fates.set(id, this.#isDenied(recorded) ? recorded.fate : { type: "ran" });
  }

  /** The calls of a step have their part of the limits, and take their places, in the order they were emitted. */
  *#enterStep({ agent, turn, calls }: Extract<JournalEntry, { type: "record:step" }>): Operation<void> {
    const asked = new Set(calls.filter(({ approval }) => approval !== undefined).map(({ call }) => call));
    const passed = new Set(calls.map(({ call }) => call));
    const step = [...this.#standing.values()].filter(
      ({ recorded }) => recorded.agent === agent && recorded.turn === turn,
    );
    const here = step.filter((standing) => this.#goesOn(standing) && !asked.has(standing.recorded.call));
    for (const standing of here) yield* this.#enter(standing);
    // what was kept at the gates is taken to succeed, how long that takes nobody knows
    for (const { recorded } of here) if (!passed.has(recorded.call)) yield* this.#settle(recorded.call, true);
  }

  /** Whether a call goes on from its step: nobody who judged it kept it, and it is within its agent's limits. */
  #goesOn(standing: Standing): boolean {
    const { recorded, agent, bound } = standing;
    if (this.#policy.isJudged(recorded)) {
      this.#standing.delete(recorded.call);
      this.#fates.set(recorded.call, recorded.fate);
      return false;
    }
    const limit = this.#policy.limits(recorded, bound, agent);
    if (limit) {
      this.#standing.delete(recorded.call);
      this.#fates.set(recorded.call, limit.fate);
      if (limit.ends) agent.last = Math.min(agent.last, recorded.turn);
      return false;
    }
    agent.reserve(bound.name);
    standing.reserved = true;
    return true;
  }

  /** A call that does not come to execute gives its part of the limits back. */
  #giveBack(standing: Standing): void {
    if (!standing.reserved) return;
    standing.reserved = false;
    standing.agent.reserve(standing.bound.name, -1);
    standing.agent.last = Number.POSITIVE_INFINITY;
  }

  /** It had waited in line, after a person let it run or without one; here it may run, and is taken to succeed. */
  *#kept(id: string): Operation<void> {
    const standing = this.#standing.get(id);
    if (standing?.recorded.asked !== undefined) yield* this.#enter(standing);
    yield* this.#settle(id, true);
  }

  /** Whether a person is asked about this very call, and has said no: it has its part of the limits until then. */
  #isDenied(recorded: RecordedFate): boolean {
    return this.#fates.needsPerson(recorded.call) && isRefusedBy(recorded, "approval");
  }

  /** A person had said no, and says so here; or nobody is asked, and it runs. */
  *#denied(standing: Standing | undefined): Operation<void> {
    if (!standing) return;
    if (this.#isDenied(standing.recorded)) {
      this.#giveBack(standing);
      this.#standing.delete(standing.recorded.call);
      return;
    }
    yield* this.#enter(standing);
    yield* this.#settle(standing.recorded.call, true);
  }

  /** Takes its place in line, and runs unless earlier calls are in its way. */
  *#enter(standing: Standing | undefined): Operation<void> {
    if (!standing || standing.ticket) return;
    standing.ticket = this.#line.take(standing.agent.holder, standing.bound.identity, standing.args);
    yield* this.#go(standing);
  }

  /** Asks again from its place in line. */
  *#go(standing: Standing): Operation<void> {
    const { ticket, lookers } = standing;
    if (!ticket || lookers.length === 0) return;
    const verdict = yield* this.#ask(standing, ticket);
    if (verdict.type === "blocked") {
      this.#line.leave(ticket);
      this.#block(standing, verdict.outcome);
      yield* this.#wake();
      return;
    }
    if (verdict.approval !== undefined) this.#fates.ask(standing.recorded.call, verdict.approval);
    standing.parked = verdict.behind.some(({ state }) => state === "open");
    if (standing.parked) return;
    standing.lookers = [];
    if (standing.succeeded !== undefined) yield* this.#settle(standing.recorded.call, standing.succeeded);
    if (standing.admitted) yield* this.#admit(standing.recorded.call, true);
  }

  *#settle(id: string, succeeded: boolean): Operation<void> {
    const standing = this.#standing.get(id);
    if (!standing) return;
    standing.succeeded = succeeded;
    if (standing.parked || !standing.ticket) return;
    if (succeeded) this.#line.succeed(standing.ticket);
    else this.#line.leave(standing.ticket);
    yield* this.#wake();
  }

  *#admit(id: string, attended: boolean): Operation<void> {
    const standing = this.#standing.get(id);
    const { agent } = standing ?? {};
    if (attended) this.#agents.get(this.#calls.get(id)?.agent ?? "")?.readThen();
    if (!standing?.ticket || !agent || !standing.succeeded) return;
    standing.admitted = true;
    if (standing.parked) return;
    this.#standing.delete(id);
    agent.attend(standing.bound.identity, standing.args);
    this.#cohort.attend(standing.bound.identity, standing.args);
    this.#line.leave(standing.ticket);
    yield* this.#wake();
  }

  /** Something in line has changed: those that waited for it are asked again, in their order. */
  *#wake(): Operation<void> {
    for (const standing of [...this.#standing.values()])
      if (standing.parked && standing.ticket?.state === "open") yield* this.#go(standing);
  }

  #block(standing: Standing, outcome: Outcome): void {
    const { call } = standing.recorded;
    this.#giveBack(standing);
    this.#standing.delete(call);
    if (outcome.type === "refused" || outcome.type === "cancelled" || outcome.type === "substituted")
      this.#fates.set(call, {
        type: outcome.type,
        guard: outcome.guard,
        ...("message" in outcome ? { message: outcome.message } : {}),
      });
  }

  *#ask({ recorded, agent, bound, args, lookers }: Standing, ticket: Ticket | undefined): Operation<Verdict> {
    const holder: Holder = agent.holder;
    const view: View = { lineage: agent.lineage, cohort: this.#cohort, line: this.#line, holder, ticket };
    const { call: id, tool, turn } = recorded;
    const call = { id, tool, identity: bound.identity, args, turn, bound, agent: agent.asked };
    const verdict = askGuards(call, lookers, view, this.#policy.asks(recorded, bound));
    return verdict instanceof Later ? yield* verdict.operation : verdict;
  }
}

function argsOf(bound: BoundTool, input: string) {
  const parsed = parseArgs(bound.name, input, bound.schema);
  return parsed.type === "parsed" ? parsed.args : undefined;
}
