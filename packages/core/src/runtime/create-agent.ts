import { isClosing } from "../decisions/life.ts";
import { unknownName } from "../decisions/names.ts";
import { outputSchema } from "../decisions/output.ts";
import { reasonOf } from "../decisions/reason.ts";
import { ConfigurationError } from "../values/errors.ts";
import type { TaskOptions } from "../values/orchestrator.ts";
import { AgentState, stateOf } from "./agent-state.ts";
import type { Pool } from "./pool-state.ts";
import { claim, recallEnd, recallPlaces } from "./recall-agent.ts";
import { redacted } from "./redact-model.ts";

/** An agent of a pool as it is before it runs: one that is on record as over is over. Throws where it cannot be. */
export function createAgent(pool: Pool, options: TaskOptions, index: number | undefined): AgentState {
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
