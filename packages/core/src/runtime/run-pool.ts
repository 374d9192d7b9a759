import { type Operation, run, type Task } from "effection";
import { ApprovalDesk } from "../effects/approval-desk.ts";
import { EventLog } from "../effects/event-log.ts";
import type { PoolResult } from "../values/agent.ts";
import type { Approvals } from "../values/approval.ts";
import type { ClientCall } from "../values/client-call.ts";
import type { PoolEvent } from "../values/event.ts";
import type { AgentPoolOptions } from "../values/options.ts";
import type { ToolContext } from "../values/tool.ts";
import { type PoolHandle, useAgentPool } from "./pool-handle.ts";
import { ExecutionContext } from "./tool-context.ts";

/** A running pool for `async`/`await`: a promise of its result, and its events to iterate over. */
export interface PoolRun extends PromiseLike<PoolResult>, AsyncIterable<PoolEvent> {
  catch<T>(onRejected: (error: unknown) => T | PromiseLike<T>): Promise<PoolResult | T>;
  finally(onFinally: () => void): Promise<PoolResult>;
  /** See {@link PoolHandle}. */
  cancel(key: string): Promise<boolean>;
  windDown(): void;
  pause(): void;
  resume(): void;
  steer(key: string, message: string): boolean;
  readonly approvals: Approvals;
  clientCalls(): readonly ClientCall[];
  submit(results: { readonly [callId: string]: unknown }): void;
  /** Ends everything now, and resolves once nothing is left. The run itself rejects. */
  halt(): Promise<void>;
}

/**
 * {@link agentPool} for `async`/`await`.
 *
 * ```ts
 * const run = runPool({ model, tools, orchestrate: parallel(questions) }, { signal });
 * for await (const event of run) console.log(event.type);
 * const { agents } = await run;
 * ```
 *
 * Aborting the signal ends everything the pool started; the run then rejects with the signal's reason. Inside a tool
 * give it the tool's context as `parent`, so that it belongs to the tree of the call.
 */
export function runPool(
  options: AgentPoolOptions,
  { signal }: { readonly signal?: AbortSignal } = {},
): PoolRun {
  signal?.throwIfAborted();
  const log = new EventLog<PoolEvent, undefined>();
  const approvals = options.approvals ?? new ApprovalDesk();
  let handle: PoolHandle | undefined;
  const observe = (event: PoolEvent): unknown => {
    log.add(event);
    return options.onEvent?.(event); // what it promises is the run's to catch
  };
  const task = start(options.parent, function* () {
    // a nested pool asks where its tree does
    const asks = options.parent ? {} : { approvals };
    handle = yield* useAgentPool({ ...options, ...asks, onEvent: observe });
    return yield* handle.result;
  });
  const signals = [signal, options.parent?.signal].filter((given) => given !== undefined);
  const abort = (): void => void task.halt().catch(() => {});
  for (const given of signals) given.addEventListener("abort", abort);
  const settled = (async () => {
    try {
      const outcome = await task;
      if (outcome.type === "threw") throw outcome.error;
      return outcome.value;
    } catch (error) {
      throw signals.find((given) => given.aborted)?.reason ?? error;
    } finally {
      for (const given of signals) given.removeEventListener("abort", abort);
      log.close(undefined);
    }
  })();

  return {
    // biome-ignore lint/suspicious/noThenProperty: it is a promise of its result
    then: (onFulfilled, onRejected) => settled.then(onFulfilled, onRejected),
    catch: (onRejected) => settled.catch(onRejected),
    finally: (onFinally) => settled.finally(onFinally),
    cancel: async (key) => (handle ? run(() => handle!.cancel(key)) : false),
    windDown: () => handle?.windDown(),
    pause: () => handle?.pause(),
    resume: () => handle?.resume(),
    steer: (key, message) => handle?.steer(key, message) ?? false,
    get approvals() {
      return handle?.approvals ?? approvals; // of a nested pool, those of its tree
    },
    clientCalls: () => handle?.clientCalls() ?? [],
    submit: (results) => handle?.submit(results),
    halt: async () => {
      settled.catch(() => {});
      await task.halt();
    },
    [Symbol.asyncIterator]: () => iterate(log, settled),
  };
}

type Outcome =
  | { readonly type: "returned"; readonly value: PoolResult }
  | { readonly type: "threw"; readonly error: unknown };

/** A run of its own, or one that belongs to the agent whose call opens it: it then ends with that agent at the latest. */
function start(parent: ToolContext | undefined, body: () => Operation<PoolResult>): Task<Outcome> {
  const operation = function* (): Operation<Outcome> {
    try {
      return { type: "returned", value: yield* body() };
    } catch (error) {
      return { type: "threw", error };
    }
  };
  const execution = parent && ExecutionContext.executionOf(parent);
  return execution ? execution.call.agent.scope.run(operation) : run(operation);
}

/** Ends when the run does, and throws what it threw. */
async function* iterate(
  log: EventLog<PoolEvent, undefined>,
  settled: Promise<unknown>,
): AsyncGenerator<PoolEvent> {
  settled.catch(() => {});
  const { reader, leave } = log.read();
  try {
    for (;;) {
      const item =
        reader.take() ??
        (await new Promise<IteratorResult<PoolEvent, undefined>>((resolve) => reader.wait(resolve)));
      if (item.done) break;
      yield item.value;
    }
  } finally {
    leave();
  }
  await settled;
}
