import type { CallArgs } from "../decisions/call-args.ts";
import { createLife } from "../decisions/life.ts";
import type { Holder, Ticket } from "../decisions/line.ts";
import { Lineage } from "../decisions/lineage.ts";
import { systemClock } from "../effects/clock.ts";
import type { Asked } from "../runtime/call-state.ts";
import type { Agent } from "../values/agent.ts";
import type { Happening, PoolEvent } from "../values/event.ts";
import { noUsage } from "../values/usage.ts";
import type { ReplayedStop } from "./fate.ts";

type Spawned = Extract<PoolEvent, { type: "agent:spawned" }>;

/** Whom an agent comes from: the agent it was forked from, the call that opened its pool. */
export interface Origin {
  readonly parent: ReplayedAgent | undefined;
  readonly caller: { readonly agent: ReplayedAgent; readonly ticket: Ticket | undefined } | undefined;
}

/** An agent of a recorded run, with what it has read here. */
export class ReplayedAgent {
  readonly holder: Holder;
  readonly asked: Asked["agent"];
  lineage: Lineage;
  #view: Agent;
  /** Calls that execute here, in all and by tool. */
  reserved = 0;
  readonly #reserved = new Map<string, number>();
  /** The turn after which it reports, its calls being used up. */
  last = Number.POSITIVE_INFINITY;
  /** What keeps it from going on; undefined: nothing does. */
  stopped: ReplayedStop | undefined;
  /** Whether it has had a turn, and whether it is in one in which it can only report. */
  hasBegun = false;
  isReporting = false;
  /** How many turns it takes is its program's doing. */
  ownsTurns = false;
  /** How much it had read here when it had read so much then: where forks of it begin. */
  readonly #lengths = [0];

  constructor(
    { agent, task, parent, depth, run }: Spawned,
    { caller, parent: from }: Origin,
    emit: (event: Happening) => void,
  ) {
    const under = caller ? [...caller.agent.holder.under, ...(caller.ticket ? [caller.ticket] : [])] : [];
    this.holder = { life: createLife(), under, tickets: new Set() };
    this.lineage = (from ?? caller?.agent)?.lineage.fork() ?? Lineage.empty();
    this.#view = {
      key: agent,
      task,
      parent,
      depth,
      state: "calling",
      turns: 0,
      toolCallCount: 0,
      attendedCount: 0,
      refusals: [],
      parks: 0,
      usage: noUsage,
    };
    const self = this;
    this.asked = {
      key: agent,
      get view() {
        return self.view;
      },
      pool: { run: { id: run, clock: systemClock(), emit } },
    };
  }

  reserve(tool: string, by: 1 | -1 = 1): void {
    this.reserved += by;
    this.#reserved.set(tool, this.reservedOf(tool) + by);
  }

  reservedOf(tool: string): number {
    return this.#reserved.get(tool) ?? 0;
  }

  get view(): Agent {
    return this.#view;
  }

  /** Starts with what its parent had read here when it had read so much then. */
  forkFrom(parent: ReplayedAgent, reads: number): void {
    this.lineage = parent.lineage.fork(parent.#lengths[reads] ?? parent.lineage.length);
  }

  turnCompleted(turns: number): void {
    this.#view = { ...this.#view, turns };
  }

  attend(identity: string, args: CallArgs): void {
    this.lineage.attend(identity, args);
    this.#lengths[this.#lengths.length - 1] = this.lineage.length;
    const { attendedCount, toolCallCount } = this.#view;
    this.#view = { ...this.#view, attendedCount: attendedCount + 1, toolCallCount: toolCallCount + 1 };
  }

  /** On record it read one more result. */
  readThen(): void {
    this.#lengths.push(this.lineage.length);
  }
}
