import { type Operation, type Task as Running, scoped, spawn, useScope, withResolvers } from "effection";
import { close, isClosing } from "../decisions/life.ts";
import { reasonOf } from "../decisions/reason.ts";
import type { AgentResult, Exit } from "../values/agent.ts";
import type { Task } from "../values/orchestrator.ts";
import { type AgentState, parentOf } from "./agent-state.ts";
import { noteWaiting } from "./all-wait.ts";
import { NestContext } from "./call-execution.ts";
import { converse } from "./converse.ts";
import { createAgent } from "./create-agent.ts";
import { AgentContext } from "./current-agent.ts";
import type { Ending } from "./ending.ts";
import { fork } from "./fork-agent.ts";
import { isEndedAbove } from "./pool-end.ts";
import type { Pool } from "./pool-state.ts";
import { roomOf } from "./room.ts";

/** Starts an agent as a child of the current scope, and returns once it has forked. */
export function* spawnAgent(pool: Pool, task: Task, index: number | undefined): Operation<AgentState> {
  const agent = createAgent(pool, typeof task === "string" ? { task } : task, index);
  if (agent.result) return agent;
  const forked = withResolvers<void>();
  const running = yield* spawn(() => live(agent, forked.resolve));
  tasks.set(agent, running);
  yield* forked.operation;
  return agent;
}

const tasks = new WeakMap<AgentState, Running<void>>();

/** Ends an agent now: its tools are aborted, its result says `cancelled`. False where it is over already. */
export function* cancelAgent(
  agent: AgentState,
  exit: "cancelled" | "deadline" = "cancelled",
): Operation<boolean> {
  if (exitOf(agent)) return false;
  agent.halted = exit;
  agent.isCancelled = true;
  close(agent.life);
  yield* tasks.get(agent)!.halt();
  return exitOf(agent) === exit; // what it had said by then stands
}

const exitOf = ({ result }: AgentState): Exit | undefined => result?.exit;

/** An agent from its fork to its end. Whatever goes wrong in it stays its own. */
function* live(agent: AgentState, forked: () => void): Operation<void> {
  let ending: Ending | undefined;
  try {
    yield* scoped(function* () {
      const dismiss = agent.pool.run.line.delegate(agent);
      try {
        yield* AgentContext.set(agent.view);
        yield* NestContext.set(agent.nest);
        agent.scope = yield* useScope();
        const room = roomOf(agent.pool.run, agent.model);
        if (room) yield* room.arrive(agent);
        agent.session = yield* fork(agent);
        room?.forked(agent);
        announce(agent);
        // one that is taken up has forked once it is where its record ends: others may fork from it there
        if (agent.past) agent.caughtUp = forked;
        else forked();
        ending = yield* converse(agent);
      } finally {
        // from here on nothing of it is let in, woken or admitted; then what it started ends
        close(agent.life);
        dismiss();
      }
    });
  } catch (error) {
    // what it said stands, also where a session or a tool then failed to close
    if (ending)
      agent.pool.run.emit({ type: "notice", agent: agent.key, message: `did not close: ${reasonOf(error)}` });
    ending ??= { exit: "model_error", result: undefined, reason: reasonOf(error) };
  } finally {
    end(agent, ending);
    forked();
  }
}

function announce(agent: AgentState): void {
  const { pool, key, task } = agent.options;
  const { past, origin } = agent;
  if (!past)
    pool.run.emit({
      type: "agent:spawned",
      agent: key,
      task,
      parent: parentOf(agent)?.key,
      depth: pool.depth,
      pool: pool.key,
      ...(agent.model.id === pool.model.id ? {} : { model: agent.model.id }),
    });
  if (!pool.run.recorder || past?.parent || past?.spine !== undefined) return;
  const from = typeof origin === "number" ? { spine: origin } : { parent: origin! };
  pool.run.note({ type: "record:forked", agent: key, ...from });
}

/**
 * An agent is over. On record it is that where it ended by itself, or was ended: one that is halted with its run, as
 * by a process that goes away, can be taken up.
 */
function end(agent: AgentState, said: Ending | undefined): void {
  const { run, life, isDone } = agent.pool;
  const ending: Ending = said ?? { exit: agent.halted, result: undefined };
  const isOver = said !== undefined || agent.isCancelled || isDone || isEndedAbove(agent.pool);
  const tell = isOver ? run.emit : run.announce;
  if (ending.exit === "returned" || ending.exit === "text")
    tell({ type: "agent:returned", agent: agent.key, exit: ending.exit, result: ending.result });
  const result = resultOf(agent, ending);
  agent.phase = "done";
  run.live.delete(agent);
  roomOf(run, agent.model)?.leave(agent);
  agent.result = result;
  tell({ type: "agent:ended", agent: agent.key, result });
  agent.end(result);
  if (run.recorder && !isOver && !isClosing(life)) run.note({ type: "record:halted", agent: agent.key });
  // only now: an equal call of another agent must not run beside one that is still being stopped
  for (const ticket of [...agent.tickets]) run.line.leave(ticket);
  if (!isClosing(life)) noteWaiting(run);
}

const resultOf = (agent: AgentState, { exit, result, report, reason }: Ending): AgentResult => ({
  key: agent.key,
  task: agent.options.task,
  parent: parentOf(agent)?.key,
  result,
  report,
  exit,
  reason,
  turns: agent.turns,
  toolCallCount: agent.toolCallCount,
  attendedCount: agent.attendedCount,
  refusals: [...agent.refusals],
  parks: agent.parks,
  usage: agent.usage,
});
