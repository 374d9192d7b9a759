import { action, createContext, ensure, type Operation, scoped } from "effection";
import { whenClosing } from "../decisions/life.ts";
import type { Ticket } from "../decisions/line.ts";
import type { Allowance } from "../effects/allowance.ts";
import type { Slot } from "../effects/permits.ts";
import type { Call } from "./call-state.ts";
import type { Pool } from "./pool-state.ts";

/** One attempt of a call while its tool runs: what it holds, and lends while a pool is open inside it. */
export class CallExecution {
  readonly call: Call;
  readonly attempt: number;
  readonly #slot: Slot;
  readonly #allowance: Allowance;
  #pools = 0;
  #open = 0;
  #over = false;
  #resume: (() => void) | undefined;

  constructor(call: Call, attempt: number, slot: Slot, allowance: Allowance) {
    this.call = call;
    this.attempt = attempt;
    this.#slot = slot;
    this.#allowance = allowance;
  }

  /** The key of the next pool opened inside it: `callId~attempt`, then `callId~attempt.1` and so on. */
  nextKey(): string {
    const index = this.#pools++;
    return `${this.call.id}~${this.attempt}${index === 0 ? "" : `.${index}`}`;
  }

  /** The calls that agents of a pool inside it run under. */
  underneath(): readonly Ticket[] {
    const { agent, ticket } = this.call;
    return ticket ? [...agent.under, ticket] : agent.under; // a terminal call has no place in line
  }

  /**
   * Runs a pool inside the call. Meanwhile the call holds no permit, so that its own agents can have it, and its
   * deadline stands still: the pool has a budget.
   */
  *lend<T>(pool: () => Operation<T>): Operation<T> {
    const { run } = this.call.agent.pool;
    if (this.#open++ === 0) {
      this.#resume ??= this.#allowance.suspend();
      run.tools.release(this.#slot);
    }
    const outcome = yield* scoped(() => this.#lendTo(pool));
    if (outcome.ok) return outcome.value;
    throw outcome.error;
  }

  *#lendTo<T>(pool: () => Operation<T>): Operation<Settled<T>> {
    let open = true;
    let back = false;
    const isLast = (): boolean => {
      if (open) this.#open--;
      open = false;
      return this.#open === 0 && !this.#over;
    };
    // halted on its own, as one branch of a race: the tool goes on, and not before it has its permit again
    yield* ensure(
      function* (this: CallExecution) {
        if (!back && isLast()) yield* this.#takeBack(this.#orClosing());
      }.bind(this),
    );
    const outcome = yield* settle(pool);
    if (isLast()) yield* this.#takeBack(this.#inTurn());
    back = true;
    return outcome;
  }

  /** Waits for the permit that was lent. */
  *#takeBack(waiting: Operation<void>): Operation<void> {
    const { tools } = this.call.agent.pool.run;
    if (!tools.tryAcquire(this.#slot)) yield* waiting;
    // another pool opened while it waited: the permit is lent on
    if (this.#open > 0 || this.#over) tools.release(this.#slot);
    else if (this.#slot.held) {
      this.#resume?.();
      this.#resume = undefined;
    }
  }

  #inTurn(): Operation<void> {
    const { agent } = this.call;
    return agent.pool.run.tools.acquire(this.#slot, agent.life);
  }

  /** A teardown cannot be halted: once the agent is ending there is nothing to wait for. */
  #orClosing(): Operation<void> {
    const { agent } = this.call;
    return action((resolve) => {
      const leave = agent.pool.run.tools.enqueue(this.#slot, agent.life, resolve);
      const forget = whenClosing(agent.life, resolve);
      return () => {
        leave();
        forget();
      };
    });
  }

  /** Its body ended: what it lent is not taken back any more. */
  end(): void {
    this.#over = true;
  }
}

type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

function* settle<T>(operation: () => Operation<T>): Operation<Settled<T>> {
  try {
    return { ok: true, value: yield* operation() };
  } catch (error) {
    return { ok: false, error };
  }
}

/** Where a pool is opened: in another pool's orchestrator, or in the call that runs there just now. */
export interface Nest {
  readonly pool: Pool;
  execution: CallExecution | undefined;
}

/** The pool, and the call if any, that an operation runs in: where a pool opened by it nests. */
export const NestContext = createContext<Nest>("agentpool:nest");
