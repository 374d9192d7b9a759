import { type Operation, type Task as Running, spawn } from "effection";
import { settled } from "../effects/bounded.ts";
import type { AgentResult } from "../values/agent.ts";
import type { Answerable } from "../values/answer.ts";
import { ConfigurationError } from "../values/errors.ts";
import type { Orchestrator, PoolContext, Task } from "../values/orchestrator.ts";

/** What a finished agent adds to the spine; undefined: nothing. */
export type ToSpine = (
  result: AgentResult,
) => { readonly user: string; readonly assistant: string } | undefined;

/** Its task and its result, where it has one. */
export const taskAndResult: ToSpine = ({ task, result }) =>
  result === undefined ? undefined : { user: task, assistant: textOf(result) };

function textOf(result: unknown): string {
  if (typeof result === "string") return result;
  try {
    return JSON.stringify(result) ?? String(result);
  } catch {
    return String(result);
  }
}

/** A text is a list of letters to a loop. */
function checkTasks(name: string, tasks: readonly Task[]): void {
  if (!Array.isArray(tasks))
    throw new ConfigurationError(`${name}: found ${JSON.stringify(tasks)}; accepted is a list of tasks.`);
}

/** All at once, each from the spine as it stands. */
export const parallel = (tasks: readonly Task[]): Orchestrator =>
  function* (pool) {
    checkTasks("parallel", tasks);
    const agents = [];
    for (const task of tasks) agents.push(yield* pool.spawn(task));
    for (const agent of agents) yield* pool.waitFor(agent);
  };

/** One after another; each starts with what those before it reported. */
export const chain = (tasks: readonly Task[], toSpine: ToSpine = taskAndResult): Orchestrator =>
  function* (pool) {
    checkTasks("chain", tasks);
    for (const task of tasks) yield* extend(pool, toSpine, yield* pool.waitFor(yield* pool.spawn(task)));
  };

/** One first; then the others all at once, starting with what it reported. */
export const fanout = (first: Task, then: readonly Task[], toSpine: ToSpine = taskAndResult): Orchestrator =>
  function* (pool) {
    yield* chain([first], toSpine)(pool);
    yield* parallel(then)(pool);
  };

function* extend(pool: PoolContext, toSpine: ToSpine, result: AgentResult): Operation<void> {
  const pair = toSpine(result);
  if (pair) yield* pool.extendSpine(pair.user, pair.assistant);
}

/** Which of several results is the best: its index, or undefined for none. */
export type Select = (results: readonly AgentResult[]) => Answerable<number | undefined>;

/**
 * Several attempts at one task, side by side, the best of which is put on the spine for agents that start later. The
 * judge may be a score over the results or an operation that asks an agent.
 */
export const diverge = (
  task: Task,
  attempts: number,
  select: Select,
  toSpine: ToSpine = taskAndResult,
): Orchestrator =>
  function* (pool) {
    if (!(Number.isInteger(attempts) && attempts > 0))
      throw new ConfigurationError(`diverge: found ${attempts} attempts; accepted are whole numbers from 1.`);
    const agents = [];
    for (let index = 0; index < attempts; index++) agents.push(yield* pool.spawn(numbered(task, index)));
    const results: AgentResult[] = [];
    for (const agent of agents) results.push(yield* pool.waitFor(agent));
    const best = yield* settled(select(results));
    if (best === undefined) return;
    const chosen = results[best];
    if (!chosen)
      throw new ConfigurationError(
        `diverge: select chose ${best}; accepted are 0 to ${attempts - 1}, or undefined.`,
      );
    yield* extend(pool, toSpine, chosen);
  };

const numbered = (task: Task, index: number): Task =>
  typeof task === "object" && task.key !== undefined ? { ...task, key: `${task.key}.${index}` } : task;

/** A task of a {@link dag}. */
export interface DagNode {
  /** Its name in `dependsOn`, and its agent's key. */
  readonly id: string;
  /** A task, or how to make one from the results of the nodes it depends on. */
  readonly task: Task | ((results: ReadonlyMap<string, AgentResult>) => Task);
  readonly dependsOn?: readonly string[];
  /** What it adds to the spine once it is over, for nodes that start later. Default: its task and its result. */
  readonly toSpine?: ToSpine;
}

/** Each node as soon as those it depends on are over. */
export const dag = (nodes: readonly DagNode[]): Orchestrator => {
  checkDag(nodes);
  return function* (pool) {
    const running = new Map<string, Running<AgentResult>>();
    for (const node of sorted(nodes)) running.set(node.id, yield* spawn(() => runNode(pool, node, running)));
    for (const task of running.values()) yield* task;
  };
};

function* runNode(
  pool: PoolContext,
  node: DagNode,
  running: ReadonlyMap<string, Running<AgentResult>>,
): Operation<AgentResult> {
  const results = new Map<string, AgentResult>();
  for (const id of node.dependsOn ?? []) results.set(id, yield* running.get(id)!);
  const task = typeof node.task === "function" ? node.task(results) : node.task;
  const result = yield* pool.waitFor(
    yield* pool.spawn({ ...(typeof task === "string" ? { task } : task), key: node.id }),
  );
  yield* extend(pool, node.toSpine ?? taskAndResult, result);
  return result;
}

/** Nodes so that each comes after those it depends on. */
function sorted(nodes: readonly DagNode[]): DagNode[] {
  const order: DagNode[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: DagNode): void => {
    if (done.has(node.id)) return;
    if (path.includes(node.id))
      throw new ConfigurationError(
        `dag: ${[...path.slice(path.indexOf(node.id)), node.id].join(" → ")} depend on each other.`,
      );
    path.push(node.id);
    for (const id of node.dependsOn ?? []) visit(nodes.find((other) => other.id === id)!);
    path.pop();
    done.add(node.id);
    order.push(node);
  };
  nodes.forEach(visit);
  return order;
}

function checkDag(nodes: readonly DagNode[]): void {
  const ids = new Set<string>();
  for (const { id } of nodes) {
    if (ids.has(id)) throw new ConfigurationError(`dag: two nodes are called "${id}".`);
    ids.add(id);
  }
  for (const { id, dependsOn = [] } of nodes)
    for (const other of dependsOn)
      if (!ids.has(other))
        throw new ConfigurationError(`dag: "${id}" depends on "${other}", which is not a node.`);
  sorted(nodes);
}
