import { action, createContext, ensure, type Operation, scoped } from "effection";
import { isClosing, whenClosing } from "../decisions/life.ts";
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
    const outcome = yield* scoped(() => this.#settle(pool));
    if (--this.#open === 0 && !this.#over) yield* this.#takeBack();
    if (outcome.ok) return outcome.value;
    throw outcome.error;
  }

  *#settle<T>(pool: () => Operation<T>): Operation<Settled<T>> {
    let outcome: Settled<T> | undefined;
    const abandoned = (): Operation<void> | undefined =>
      !outcome && --this.#open === 0 && !this.#over ? this.#takeBack() : undefined;
    // halted on its own, as one branch of a race: the tool goes on, and not before it has its permit again
    yield* ensure(abandoned as () => Operation<void>);
    outcome = yield* settle(pool);
    return outcome;
  }

  /** Waits for the permit that was lent, unless the agent is ending meanwhile. */
  *#takeBack(): Operation<void> {
    const { tools } = this.call.agent.pool.run;
    const { life } = this.call.agent;
    if (!isClosing(life) && !tools.tryAcquire(this.#slot))
      yield* action<void>((resolve) => {
        const leave = tools.enqueue(this.#slot, life, resolve);
        const forget = whenClosing(life, resolve);
        return () => {
          leave();
          forget();
        };
      });
    // another pool opened while it waited: the permit is lent on
    if (this.#open > 0 || this.#over) tools.release(this.#slot);
    else if (this.#slot.held) {
      this.#resume?.();
      this.#resume = undefined;
    }
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
