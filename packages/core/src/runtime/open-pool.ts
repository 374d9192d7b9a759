import { type Operation, scoped, spawn, useScope } from "effection";
import { close } from "../decisions/life.ts";
import { ClockContext } from "../effects/clock.ts";
import { Done } from "../effects/done.ts";
import type { PoolResult } from "../values/agent.ts";
import { ConfigurationError } from "../values/errors.ts";
import type { Orchestrator, PoolContext } from "../values/orchestrator.ts";
import { stateOf } from "./agent-state.ts";
import { type Nest, NestContext } from "./call-execution.ts";
import { checkComplete, keepRecord } from "./keep-record.ts";
import { announceOpen, PoolEnd } from "./pool-end.ts";
import type { Pool } from "./pool-state.ts";
import { roomOf } from "./room.ts";
import type { Observer } from "./run.ts";
import { spawnAgent } from "./spawn-agent.ts";
import { extendSpine, recallSpine, spineTokens } from "./spine.ts";
import { transcribed } from "./transcript.ts";
import { keepTime } from "./wind-down.ts";

/**
 * Runs a pool from its spine to its result, seen by these observers to the end. A pool inside a call runs on what the
 * call lends it.
 */
export function* openPool(
  pool: Pool,
  nest: Nest | undefined,
  orchestrate: Orchestrator,
  observers: Iterable<Observer>,
): Operation<PoolResult> {
  const added = [...observers].filter((observe) => !pool.run.observers.has(observe));
  for (const observe of added) pool.run.observers.add(observe);
  try {
    const body = () => runPool(pool, orchestrate);
    return yield* nest?.execution ? nest.execution.lend(body) : body();
  } finally {
    for (const observe of added) pool.run.observers.delete(observe);
  }
}

function* runPool(pool: Pool, orchestrate: Orchestrator): Operation<PoolResult> {
  const { run } = pool;
  const end = new PoolEnd(pool);
  try {
    yield* scoped(function* () {
      pool.scope = yield* useScope();
      const isTop = pool.life.under === undefined;
      const stopTime = isTop ? yield* keepTime(pool) : () => {};
      const stopRecord = isTop ? yield* keepRecord(pool) : () => {};
      try {
        yield* ClockContext.set(run.clock);
        yield* NestContext.set({ pool, execution: undefined });
        yield* openSpine(pool);
        announceOpen(pool);
        yield* scoped(() => conduct(pool, orchestrate));
      } finally {
        close(pool.life);
        stopTime();
        stopRecord();
      }
    });
    const result = { agents: pool.agents.map((agent) => agent.result!), totals: { ...run.totals } };
    end.closed(result);
    yield* run.recorder?.settle() ?? NOTHING;
    return result;
  } catch (error) {
    end.failed();
    throw error;
  } finally {
    end.left();
  }
}

const NOTHING = new Done(undefined);

/**
 * Runs the orchestrator in a task of its own. However that is ended, from within or from outside, the pool is closing
 * before anything it started ends.
 */
function* conduct(pool: Pool, orchestrate: Orchestrator): Operation<void> {
  try {
    yield* yield* spawn(function* () {
      try {
        yield* conducted(orchestrate(yield* contextOf(pool)));
        checkComplete(pool);
        pool.isDone = true;
      } finally {
        close(pool.life);
      }
    });
  } finally {
    close(pool.life);
  }
}

/** The shared prefix: a conversation of its own, or the caller's as it stood before the step that opened the pool. */
function* openSpine(pool: Pool): Operation<void> {
  const { caller, forksCaller } = pool;
  if (!forksCaller || !caller) {
    pool.spine = yield* pool.model.open(pool.prefix);
  } else {
    pool.spine = yield* caller.session.fork();
    if (caller.step) yield* pool.spine.rewind(caller.step.mark);
  }
  if (pool.reviewers.length > 0) pool.spine = transcribed(pool.spine);
  yield* recallSpine(pool);
}

function* contextOf(pool: Pool): Operation<PoolContext> {
  const home = yield* useScope();
  let spawned = 0;
  return {
    spine: {
      get tokens() {
        return spineTokens(pool);
      },
    },
    *spawn(task) {
      if ((yield* NestContext.get())?.execution)
        throw new ConfigurationError(
          "spawn: a tool cannot spawn agents of the pool around it, for which its call would wait; open a pool in the tool: agentPool, or delegate.",
        );
      // outside the orchestrator's own scope the order of spawns is not its own: a key has to name them
      const inOrder = (yield* useScope()) === home;
      const named = typeof task === "object" && task.key !== undefined;
      const agent = yield* spawnAgent(pool, task, inOrder && !named ? spawned : undefined);
      spawned++;
      return agent.view;
    },
    *waitFor(agent) {
      const state = stateOf(agent);
      if (!state || state.pool.run !== pool.run)
        throw new ConfigurationError("waitFor: that is not an agent of this run.");
      const result = yield* state.ended;
      yield* pool.run.recorder?.flush() ?? NOTHING;
      return result;
    },
    extendSpine: (user, assistant) => extendSpine(pool, user, assistant),
    canFit(tokens) {
      const window = pool.model.contextWindow;
      const room = roomOf(pool.run, pool.model);
      if (room && room.free < tokens) return false;
      return window === undefined || spineTokens(pool) + tokens <= window * pool.budget.context.hard;
    },
  };
}

/** Written as something else than a generator function, an orchestrator gives something else than an operation. */
function conducted(given: unknown): Operation<void> {
  if (typeof (given as { [Symbol.iterator]?: unknown } | undefined)?.[Symbol.iterator] === "function")
    return given as Operation<void>;
  if (given instanceof Promise) given.catch(() => {}); // it fails on what an async function cannot do
  throw new ConfigurationError(
    `orchestrate: found ${given instanceof Promise ? "an async function" : "a plain function"}; accepted is a generator function: *orchestrate({ spawn, waitFor }) { … }`,
  );
}
