import { bindTool, guardNames, hooksOf } from "../decisions/bind.ts";
import { checkBudget, checkCallsPerTool, checkContext } from "../decisions/check-budget.ts";
import { checkHooks } from "../decisions/check-hooks.ts";
import { checkOptions } from "../decisions/check-options.ts";
import { checkRepetition } from "../decisions/check-repetition.ts";
import { checkIdle } from "../decisions/check-tools.ts";
import { misspeltGuardTools } from "../decisions/guard-tools.ts";
import { createLife } from "../decisions/life.ts";
import { guardSettings } from "../decisions/overrides.ts";
import { isSelected, permissionsOf } from "../decisions/permissions.ts";
import { recordedTools, toolChanges } from "../decisions/recorded-tools.ts";
import { effortOf, reviewsOf } from "../decisions/reviews.ts";
import { type Budget, withDefaults } from "../values/budget.ts";
import { ConfigurationError, ResumeError } from "../values/errors.ts";
import type { GuardFunction } from "../values/guard.ts";
import type { ToolLifecycleHooks } from "../values/hooks.ts";
import type { AgentPoolOptions } from "../values/options.ts";
import type { RecordedPool } from "../values/recorded.ts";
import { defaultRepetition, type RepetitionLimits } from "../values/repetition.ts";
import { parametersOf } from "../values/tool.ts";
import type { Nest } from "./call-execution.ts";
import { modelOf } from "./pool-model.ts";
import type { Pool } from "./pool-state.ts";
import { aroundOf, toolsOf } from "./pool-tools.ts";
import { reviewDesk } from "./review-desk.ts";
import { createRun, type Observer } from "./run.ts";

/** Checks options and makes the pool's state. Throws {@link ConfigurationError} before anything runs. */
export function createPool(
  options: AgentPoolOptions,
  nest: Nest | undefined,
  observers: readonly Observer[],
): Pool {
  checkOptions(options);
  const outer = nest?.pool;
  if (outer) checkNested(options, outer);
  const key = options.key ?? (nest?.execution ? nest.execution.nextKey() : "agent");
  const run = outer?.run ?? createRun({ ...runOptions(options), key, observers });
  const past = run.recorder?.recorded.pools.get(key);
  const budget = budgetOf(options, outer);
  const { model, redactions } = modelOf(options, outer, { key, run, past });
  const { all, terminal } = toolsOf(options, nest);
  checkCallsPerTool(options.budget?.maxCallsPerTool, all);
  checkRepetition(options.repetition, all);
  if (all.length === (terminal ? 1 : 0)) checkIdle(options);

  const own = ownHooks(options);
  const hooks = [...(outer?.hooks ?? []), ...own.filter((hook) => !outer?.hooks.includes(hook))];
  const guards = guardNames([...all.flatMap(hooksOf), ...hooks]);
  const settings = guardSettings(options.guards, guards, outer);
  const permissions = permissionsOf(options, all, terminal, outer);
  const tools = new Map(
    all.map((tool) => [tool.name, bindTool(tool, [...aroundOf(tool, outer), ...hooks], settings, run.keys)]),
  );
  for (const { guards } of tools.values())
    for (const guard of guards) if (guard.type === "keyed") run.line.register(guard.key);

  const reviews = reviewsOf(options, all, outer, {
    priced: run.budget.maxCost !== undefined,
    mayRun: (tool) => !isSelected(tool, permissions.deny),
  });
  const reviewers = reviews
    .map(({ reviewer, asked }) => reviewer.hooksFor(asked, reviewDesk))
    .filter((hook) => hook.beforeTurn || hook.onPropose || hook.onReturn);
  const forksCaller = nest?.execution !== undefined && isLikeCaller(options);
  const said = options.instructions?.trim() ? [options.instructions] : [];
  const instructions = [...(outer?.instructions ?? []), ...said];
  const pool: Pool = {
    key,
    run,
    model,
    prefix: {
      system: options.system ?? outer?.prefix.system ?? "",
      tools: all.map((tool) => ({
        name: tool.name,
        description: tool.description,
        parameters: parametersOf(tool),
      })),
    },
    forksCaller,
    tools,
    toolNames: new Set([...(outer?.toolNames ?? []), ...tools.keys()]),
    terminal: terminal && tools.get(terminal.name),
    hooks,
    settings,
    guards: [...new Set([...(outer?.guards ?? []), ...guards])],
    ...permissions,
    redactions,
    effort: effortOf(options, outer),
    reviews,
    reviewers,
    instructions,
    told: forksCaller ? said : instructions,
    instructs: [...hooks, ...reviewers].filter((hook) => hook.beforeTurn),
    judges: [...reviewers, ...hooks, ...all.flatMap(hooksOf)].some((hook) => hook.onPropose),
    routes: hooks.filter((hook) => hook.onRoute),
    repetition: repetitionOf(options, outer),
    budget,
    recovery: options.recovery ?? outer?.recovery ?? "report",
    life: createLife(nest?.execution?.call.agent.life ?? outer?.life),
    caller: nest?.execution?.call.agent ?? outer?.caller,
    under: nest?.execution ? nest.execution.underneath() : (outer?.under ?? []),
    depth: (outer?.depth ?? -1) + (nest?.execution || !outer ? 1 : 0),
    agents: [],
    extension: [],
    spine: undefined,
    scope: undefined,
    past,
    within: outer?.key,
    call: nest?.execution?.call.id,
    places: [],
    extended: 0,
    recalled: [...(past?.extensions ?? [])],
    isDone: false,
  };
  checkPool(pool);
  const misspelt = misspeltGuardTools([...all.flatMap(hooksOf), ...own], all, outer?.toolNames);
  if (!past) for (const message of [...settings.notices, ...misspelt]) run.emit({ type: "notice", message });
  return pool;
}

/** What is the run's, and cannot be another's in the middle of it. */
function checkNested({ approvals }: AgentPoolOptions, { run }: Pool): void {
  if (approvals && approvals !== run.approvals)
    throw new ConfigurationError(
      "approvals: a pool inside another asks people where its run does; give the desk to the top pool.",
    );
}

const runOptions = ({ run: id, journal, clock, budget, approvals }: AgentPoolOptions) => ({
  id,
  journal,
  clock,
  budget,
  approvals,
});

function budgetOf(options: AgentPoolOptions, outer: Pool | undefined): Budget {
  checkContext(options.budget?.context);
  const budget = withDefaults(options.budget, outer?.budget);
  checkBudget(budget);
  return budget;
}

function ownHooks({ policy, hooks = [] }: AgentPoolOptions): readonly ToolLifecycleHooks[] {
  const own = policy ? [policyHook(policy), ...hooks] : hooks;
  checkHooks(own, "hooks");
  return own;
}

const policyHook = (policy: GuardFunction): ToolLifecycleHooks => ({
  name: "policy",
  beforeDispatch: [{ name: "policy", decide: policy }],
});

/** A pool inside a call forks its caller's conversation, unless it is to have another one. */
const isLikeCaller = ({ redact, model, system, tools, terminal }: AgentPoolOptions): boolean =>
  [redact, model, system, tools, terminal].every((given) => given === undefined);

function repetitionOf(
  { repetition }: AgentPoolOptions,
  outer: Pool | undefined,
): RepetitionLimits | undefined {
  if (repetition === false) return undefined;
  if (!repetition) return outer ? outer.repetition : defaultRepetition;
  return { ...defaultRepetition, ...outer?.repetition, ...repetition };
}

/** What only shows in the pool as a whole. */
function checkPool(pool: Pool): void {
  const { depth, run, budget, model, past } = pool;
  if (past) checkTaken(pool, past);
  if (depth > run.budget.maxDepth)
    throw new ConfigurationError(
      `budget.maxDepth: pools are nested ${depth} deep; ${run.budget.maxDepth} are allowed.`,
    );
  if (budget.maxCost !== undefined && !model.price)
    throw new ConfigurationError(
      `budget.maxCost: the price of ${model.id} is not known, so dollars cannot be counted; give the model a price.`,
    );
}

/** A pool is taken up as it was, or not at all: what its agents were told of its tools has to be true. */
function checkTaken(pool: Pool, { tools }: RecordedPool): void {
  if (tools.length === 0 || pool.run.recorder?.journal.force) return;
  const changes = toolChanges(tools, recordedTools(pool.tools));
  if (changes.length === 0) return;
  throw new ResumeError(
    `pool "${pool.key}": its tools are not those on record: ${changes.join("; ")}. Take it up with the harness it was begun with, or by force.`,
  );
}
