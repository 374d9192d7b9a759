import { type Operation, type Task as Running, scoped, spawn, useScope, withResolvers } from "effection";
import { close, isClosing } from "../decisions/life.ts";
import { Lineage } from "../decisions/lineage.ts";
import { unknownName } from "../decisions/names.ts";
import { outputSchema } from "../decisions/output.ts";
import { reasonOf } from "../decisions/reason.ts";
import type { AgentResult } from "../values/agent.ts";
import { ConfigurationError } from "../values/errors.ts";
import type { Session } from "../values/model.ts";
import type { Task, TaskOptions } from "../values/orchestrator.ts";
import { AgentState, parentOf, stateOf } from "./agent-state.ts";
import { noteWaiting } from "./all-wait.ts";
import { NestContext } from "./call-execution.ts";
import { converse } from "./converse.ts";
import { AgentContext } from "./current-agent.ts";
import type { Ending } from "./ending.ts";
import { keepSession } from "./keep-session.ts";
import { isEndedAbove } from "./pool-end.ts";
import type { Pool } from "./pool-state.ts";
import { claim, markAt, placeOf, recallEnd, recallPlaces, revive } from "./recall-agent.ts";
import { redacted } from "./redact-model.ts";
import { roomOf } from "./room.ts";
import { extensionsOf } from "./spine.ts";
import { transcribed } from "./transcript.ts";

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
  if (agent.result) return false;
  agent.halted = exit;
  agent.isCancelled = true;
  close(agent.life);
  yield* tasks.get(agent)!.halt();
  return true;
}

function createAgent(pool: Pool, options: TaskOptions, index: number | undefined): AgentState {
  const { run, terminal } = pool;
  if (typeof options.task !== "string" || options.task.trim() === "")
    throw new ConfigurationError(
      `spawn: found ${JSON.stringify(options.task)} for task; accepted is a text.`,
    );
  const key = `${pool.key}/${options.key ?? index}`;
  if (options.key === undefined && index === undefined)
    throw new ConfigurationError(
      `spawn: "${options.task.slice(0, 60)}" needs a key: agents spawned in branches that run side by side are found by it on resume.`,
    );
  if (isClosing(pool.life)) throw new ConfigurationError(`spawn: the pool "${pool.key}" is over.`);
  const past = claim(pool, key, options.task);
  if (!past && run.agents.has(key))
    throw new ConfigurationError(
      `spawn: there is an agent "${key}" already; give the task, or its pool, another key.`,
    );
  if (!past && run.agents.size >= run.budget.maxAgents)
    throw new ConfigurationError(
      `budget.maxAgents: this run may have ${run.budget.maxAgents} agents, and has them.`,
    );
  const from = options.parent && stateOf(options.parent);
  if (options.parent && from?.pool.run !== run)
    throw new ConfigurationError(`spawn: the parent of "${key}" is not an agent of this run.`);
  if (from && options.model)
    throw new ConfigurationError(
      `spawn: "${key}" has a parent and another model; a fork stays with its parent's model.`,
    );

  if (from && pool.redactions.some((redaction) => !from.pool.redactions.includes(redaction)))
    throw new ConfigurationError(
      `spawn: the parent of "${key}" is of a pool that hides less from its model; a fork of its conversation would show what this pool hides.`,
    );

  const unshown = from && pool.prefix.tools.find(({ name }) => !from.pool.tools.has(name));
  if (unshown)
    throw new ConfigurationError(
      `spawn: the parent of "${key}" is of a pool without the tool "${unshown.name}"; a fork of its conversation could not call it.`,
    );

  if (run.budget.maxCost !== undefined && options.model && !options.model.price)
    throw new ConfigurationError(
      `budget.maxCost: the price of ${options.model.id}, the model of "${key}", is not known, so dollars cannot be counted; give the model a price.`,
    );

  checkTask(key, options);
  const tools = new Map(pool.tools);
  if (options.tools) {
    for (const name of options.tools)
      if (!tools.has(name))
        throw new ConfigurationError(
          `spawn: tools of "${key}": ${unknownName("tool", name, [...tools.keys()])}`,
        );
    for (const name of pool.tools.keys())
      if (!options.tools.includes(name) && name !== terminal?.name) tools.delete(name);
  }
  run.agents.add(key);
  if (!past) run.totals.agents++;
  const agent = new AgentState(
    {
      key,
      task: options.task,
      pool,
      system: options.system,
      tools,
      model: options.model && redacted(options.model, pool.redactions),
      from,
      maxTurns: options.budget?.maxTurns ?? pool.budget.maxTurns,
      maxToolCalls: options.budget?.maxToolCalls ?? pool.budget.maxToolCalls,
      output: options.output,
    },
    past,
  );
  pool.agents.push(agent);
  if (past?.result) recallEnd(agent);
  else {
    run.live.add(agent);
    if (past) recallPlaces(agent);
  }
  return agent;
}

/** Limits have to be limits, and the form of the result has to be one that a model can be told. */
function checkTask(key: string, { budget, output }: TaskOptions): void {
  for (const [name, least] of [
    ["maxTurns", 1],
    ["maxToolCalls", 0],
  ] as const) {
    const value: unknown = budget?.[name];
    if (value !== undefined && !(typeof value === "number" && value >= least))
      throw new ConfigurationError(
        `spawn: budget.${name} of "${key}": found ${JSON.stringify(value)}; accepted are numbers from ${least}.`,
      );
  }
  if (!output) return;
  try {
    outputSchema(output);
  } catch (error) {
    throw new ConfigurationError(`spawn: output of "${key}" cannot be shown to a model: ${reasonOf(error)}.`);
  }
}

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

/**
 * Its context as its parent's stands now: of one in the middle of a step, as it stood before the step. Conversation and
 * reads are of one moment, however long forking takes.
 */
function* fork(agent: AgentState): Operation<Session> {
  const { pool, from, model } = agent.options;
  if (from && !from.session) yield* revive(from, fork, converse);
  const { past } = agent;
  const before = past?.parent;
  const spine = past?.spine ?? extensionsOf(pool);
  if (from) agent.origin = before ?? { place: placeOf(from), reads: from.step?.reads ?? from.lineage.length };
  else agent.origin = spine;
  const mark = from && (before ? markAt(from, before.place) : (from.step?.mark ?? from.session.mark()));
  agent.lineage = from ? from.lineage.fork(before?.reads ?? from.step?.reads) : spineReads(pool);
  if (model) {
    const opened = yield* keepSession(agent, () => model.open(pool.prefix));
    const session = pool.reviewers.length > 0 ? transcribed(opened) : opened;
    if (spine > 0) yield* session.append(pool.extension.slice(0, 2 * spine));
    return session;
  }
  const origin = from?.session ?? pool.spine!;
  const session = yield* keepSession(agent, () => origin.fork());
  if (mark) yield* session.rewind(mark);
  else if (spine < extensionsOf(pool)) yield* session.rewind(pool.places[spine]!.mark);
  return session;
}

/**
 * A pool that forks its caller's conversation starts with what that one had read before the step; one with a
 * conversation of its own was shown none of it.
 */
const spineReads = ({ caller, forksCaller }: Pool): Lineage =>
  (forksCaller ? caller?.lineage.fork(caller.step?.reads) : undefined) ?? Lineage.empty();

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
