import type { Scope } from "effection";
import { type BoundTool, bindTool, guardNames, hooksOf } from "../decisions/bind.ts";
import { checkBudget, checkCallsPerTool, checkContext } from "../decisions/check-budget.ts";
import { checkHooks } from "../decisions/check-hooks.ts";
import { checkRepetition } from "../decisions/check-repetition.ts";
import { checkIdle, checkList, checkTools } from "../decisions/check-tools.ts";
import { createLife, type Life } from "../decisions/life.ts";
import type { Ticket } from "../decisions/line.ts";
import { selects } from "../decisions/names.ts";
import { type GuardSettings, guardSettings } from "../decisions/overrides.ts";
import {
  checkApprovals,
  grantsWithin,
  identified,
  named,
  protectedWithin,
  readNames,
} from "../decisions/permissions.ts";
import { recordedTools, toolChanges } from "../decisions/recorded-tools.ts";
import { Redaction } from "../decisions/redaction.ts";
import { effortOf, type Reviews, reviewsOf } from "../decisions/reviews.ts";
import { type Budget, withDefaults } from "../values/budget.ts";
import { ConfigurationError, ResumeError } from "../values/errors.ts";
import type { GuardFunction } from "../values/guard.ts";
import type { ToolLifecycleHooks } from "../values/hooks.ts";
import type { Mark, Message, Model, Prefix, Session } from "../values/model.ts";
import type { AgentPoolOptions } from "../values/options.ts";
import type { RecordedPool } from "../values/recorded.ts";
import type { Redactor } from "../values/redactor.ts";
import { defaultRepetition, type RepetitionLimits } from "../values/repetition.ts";
import type { Effort } from "../values/rule.ts";
import { identityOf, parametersOf, type Tool } from "../values/tool.ts";
import type { AgentState } from "./agent-state.ts";
import type { Nest } from "./call-execution.ts";
import { redacted } from "./redact-model.ts";
import { reviewDesk } from "./review-desk.ts";
import { createRun, type Observer, type Run } from "./run.ts";

/** A pool as the runtime keeps it. */
export interface Pool {
  readonly key: string;
  readonly run: Run;
  readonly model: Model;
  readonly prefix: Prefix;
  /** Whether its spine is a fork of the caller's conversation instead of one of its own. */
  readonly forksCaller: boolean;
  readonly tools: ReadonlyMap<string, BoundTool>;
  /** Names of its tools and of those of the pools around: what a hook may name. */
  readonly toolNames: ReadonlySet<string>;
  readonly terminal: BoundTool | undefined;
  readonly hooks: readonly ToolLifecycleHooks[];
  readonly settings: GuardSettings;
  /** Names of the guards in force here and around: none may be switched off by a pool nested in this one. */
  readonly guards: readonly string[];
  readonly deny: readonly string[];
  readonly requireApproval: readonly string[];
  /** Of each pool from the outermost in: a tool has to be granted in all of them. */
  readonly grants: readonly (readonly string[])[];
  /** Identities of the tools that need one. */
  readonly protectedTools: ReadonlySet<string>;
  /** What models of this pool may not see, of each pool from the outermost in. */
  readonly redactions: readonly Redaction[];
  readonly effort: Effort;
  /** What is asked of those who review, and the hooks they review with. */
  readonly reviews: readonly Reviews[];
  readonly reviewers: readonly ToolLifecycleHooks[];
  /** What agents keep to, those of pools around first; and the part that the agents of this pool have to be told. */
  readonly instructions: readonly string[];
  readonly told: readonly string[];
  /** Who has something to say before a turn. */
  readonly instructs: readonly ToolLifecycleHooks[];
  /** Whether anybody judges steps, and who chooses the tools of a turn. */
  readonly judges: boolean;
  readonly routes: readonly ToolLifecycleHooks[];
  readonly repetition: RepetitionLimits | undefined;
  readonly budget: Budget;
  readonly recovery: "report" | "none";
  readonly life: Life;
  /** The agent whose call opened it, and the calls its agents run under, nearest last. */
  readonly caller: AgentState | undefined;
  readonly under: readonly Ticket[];
  /** Pools it is nested in through calls. */
  readonly depth: number;
  readonly agents: AgentState[];
  /** What its spine was extended with, for agents with a conversation of their own. */
  readonly extension: Message[];
  spine: Session | undefined;
  /** Where it runs, once it does: what lasts as long as it belongs there. */
  scope: Scope | undefined;
  /** What is on record about it. */
  readonly past: RecordedPool | undefined;
  /** The pool around it, and the call that opened it. */
  readonly within: string | undefined;
  readonly call: string | undefined;
  /** Where a run is recorded: how its spine stood with each number of extensions; how many were made in this process. */
  readonly places: SpinePlace[];
  extended: number;
  /** Extensions on record that were not made again yet. */
  readonly recalled: { readonly user: string; readonly assistant: string }[];
  /** Whether its orchestrator came to its end. */
  isDone: boolean;
}

/** A spine as it stood at some time: where agents of a recorded run forked. */
export interface SpinePlace {
  readonly mark: Mark;
  readonly tokens: number;
}

/** Checks options and makes the pool's state. Throws {@link ConfigurationError} before anything runs. */
export function createPool(
  options: AgentPoolOptions,
  nest: Nest | undefined,
  observers: readonly Observer[],
): Pool {
  const outer = nest?.pool;
  const key = options.key ?? (nest?.execution ? nest.execution.nextKey() : "agent");
  const run =
    outer?.run ??
    createRun({
      key,
      id: options.run,
      journal: options.journal,
      clock: options.clock,
      budget: options.budget,
      approvals: options.approvals,
      observers,
    });
  checkContext(options.budget?.context);
  const budget = withDefaults(options.budget, outer?.budget);
  checkBudget(budget);

  const past = run.recorder?.recorded.pools.get(key);
  const added = options.redact ? [redactionOf(options.redact, key, run, past)] : [];
  const around = outer?.redactions ?? [];
  const redactions = [...around, ...added];
  const model = options.model ? redacted(options.model, redactions) : outer && redacted(outer.model, added);
  if (!model)
    throw new ConfigurationError(
      'model: missing; give the pool a model, for example resolveModel("extractive").',
    );
  if (typeof options.orchestrate !== "function")
    throw new ConfigurationError(
      "orchestrate: missing; give the pool an orchestrator, for example parallel([...tasks]).",
    );

  const usable = nest?.execution?.call.agent.options.tools ?? outer?.tools;
  const inherited = usable
    ? [...usable.values()].map((bound) => bound.tool).filter((tool) => tool !== outer?.terminal?.tool)
    : [];
  checkList("tools", options.tools);
  checkList("hooks", options.hooks);
  const tools = options.tools ?? inherited;
  const terminal = options.terminal ?? (options.tools ? undefined : outer?.terminal?.tool);
  const all = terminal ? [...tools, terminal] : [...tools];
  checkTools(all);
  checkCallsPerTool(options.budget?.maxCallsPerTool, all);
  checkRepetition(options.repetition, all);
  if (terminal?.target === "client")
    throw new ConfigurationError(
      `terminal: "${terminal.name}" is a client tool; what ends an agent is taken here. Give its target as server.`,
    );

  if (options.recovery !== undefined && options.recovery !== "report" && options.recovery !== "none")
    throw new ConfigurationError(
      `recovery: found ${JSON.stringify(options.recovery)}; accepted are "report" and "none".`,
    );
  const own = options.policy ? [policyHook(options.policy), ...(options.hooks ?? [])] : (options.hooks ?? []);
  checkHooks(own, "hooks");
  for (const tool of all) checkHooks(hooksOf(tool), `tools.${tool.name}.hooks`);
  if (tools.length === 0) checkIdle(options);

  const hooks = [...(outer?.hooks ?? []), ...own.filter((hook) => !outer?.hooks.includes(hook))];
  const names = guardNames([...all.flatMap(hooksOf), ...hooks]);
  const settings = guardSettings(
    options.guards,
    names,
    outer && { settings: outer.settings, guards: outer.guards },
  );
  const deny = identified([...(outer?.deny ?? []), ...readNames("deny", options.deny, all)], all);
  const asked = readNames("requireApproval", options.requireApproval, all);
  const requireApproval = identified([...(outer?.requireApproval ?? []), ...asked], all);
  checkApprovals(asked, options.deny ?? [], all);
  const grants = grantsWithin(outer?.grants, options.grants && readNames("grants", options.grants, all));
  if (terminal && deny.some((pattern) => selects(pattern, named(terminal))))
    throw new ConfigurationError(
      `deny: "${terminal.name}" is the terminal tool; an agent could never report.`,
    );

  const bound = new Map(
    all.map((tool) => [tool.name, bindTool(tool, [...aroundOf(tool, outer), ...hooks], settings, run.keys)]),
  );
  for (const { guards } of bound.values())
    for (const guard of guards) if (guard.type === "keyed") run.line.register(guard.key);

  const forksCaller =
    nest?.execution !== undefined &&
    options.redact === undefined &&
    options.model === undefined &&
    options.system === undefined &&
    options.tools === undefined &&
    options.terminal === undefined;
  const reviews = reviewsOf(options, all, outer, {
    priced: run.budget.maxCost !== undefined,
    mayRun: (tool) => !deny.some((pattern) => selects(pattern, named(tool))),
  });
  const reviewers = reviews
    .map(({ reviewer, asked }) => reviewer.hooksFor(asked, reviewDesk))
    .filter((hook) => hook.beforeTurn || hook.onPropose || hook.onReturn);
  const said = readInstructions(options.instructions);
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
    tools: bound,
    toolNames: new Set([...(outer?.toolNames ?? []), ...bound.keys()]),
    terminal: terminal && bound.get(terminal.name),
    hooks,
    settings,
    guards: [...new Set([...(outer?.guards ?? []), ...names])],
    deny,
    requireApproval,
    grants,
    protectedTools: protectedWithin(outer?.protectedTools, all),
    redactions,
    effort: effortOf(options, outer),
    reviews,
    reviewers,
    instructions,
    told: forksCaller ? said : instructions,
    instructs: [...hooks, ...reviewers].filter((hook) => hook.beforeTurn),
    judges:
      reviewers.some((hook) => hook.onPropose) ||
      hooks.some((hook) => hook.onPropose) ||
      all.some((tool) => hooksOf(tool).some((hook) => hook.onPropose)),
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
  if (past) checkTaken(pool, past);
  if (pool.depth > run.budget.maxDepth)
    throw new ConfigurationError(
      `budget.maxDepth: pools are nested ${pool.depth} deep; ${run.budget.maxDepth} are allowed.`,
    );
  if (budget.maxCost !== undefined && !model.price)
    throw new ConfigurationError(
      `budget.maxCost: the price of ${model.id} is not known, so dollars cannot be counted; give the model a price.`,
    );
  if (!past) for (const message of settings.notices) run.emit({ type: "notice", message });
  return pool;
}

/** A redaction whose placeholders are on record: models are shown the same ones again. */
function redactionOf(redactor: Redactor, pool: string, run: Run, past: RecordedPool | undefined): Redaction {
  const redaction = new Redaction(redactor, (entry) => {
    if (run.recorder) run.note({ type: "record:redacted", pool, ...entry });
  });
  for (const entry of past?.redacted ?? []) redaction.recall(entry);
  return redaction;
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

/** What a pool around declares on a tool holds for it here too, whoever brings it. */
function aroundOf(tool: Tool, outer: Pool | undefined): readonly ToolLifecycleHooks[] {
  if (!outer) return [];
  const own = hooksOf(tool);
  const identity = identityOf(tool);
  const around = [...outer.tools.values()].filter((bound) => bound.identity === identity);
  return around
    .flatMap((bound) => bound.hooks)
    .filter((hook) => !own.includes(hook) && !outer.hooks.includes(hook));
}

function readInstructions(instructions: unknown): readonly string[] {
  if (instructions !== undefined && typeof instructions !== "string")
    throw new ConfigurationError(`instructions: found ${typeof instructions}; accepted is a text.`);
  return instructions?.trim() ? [instructions] : [];
}

const policyHook = (policy: GuardFunction): ToolLifecycleHooks => ({
  name: "policy",
  beforeDispatch: [{ name: "policy", decide: policy }],
});

function repetitionOf(
  { repetition }: AgentPoolOptions,
  outer: Pool | undefined,
): RepetitionLimits | undefined {
  if (repetition === false) return undefined;
  if (!repetition) return outer ? outer.repetition : defaultRepetition;
  return { ...defaultRepetition, ...outer?.repetition, ...repetition };
}
