import { type BoundTool, bindTool, checkHooks, guardNames, hooksOf } from "../decisions/bind.ts";
import { createLife, type Life } from "../decisions/life.ts";
import type { Ticket } from "../decisions/line.ts";
import { selects, unknownName } from "../decisions/names.ts";
import { type GuardSettings, guardSettings, isChecked } from "../decisions/overrides.ts";
import { Redaction } from "../decisions/redaction.ts";
import { type Budget, defaultBudget, withDefaults } from "../values/budget.ts";
import { ConfigurationError } from "../values/errors.ts";
import type { GuardFunction } from "../values/guard.ts";
import type { ToolLifecycleHooks } from "../values/hooks.ts";
import type { Message, Model, Prefix, Session } from "../values/model.ts";
import type { AgentPoolOptions } from "../values/options.ts";
import { defaultRepetition, type RepetitionLimits } from "../values/repetition.ts";
import { identityOf, parametersOf, type Tool } from "../values/tool.ts";
import type { AgentState } from "./agent-state.ts";
import type { Nest } from "./call-execution.ts";
import { redactModel } from "./redact-model.ts";
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
  readonly terminal: BoundTool | undefined;
  readonly hooks: readonly ToolLifecycleHooks[];
  readonly settings: GuardSettings;
  /** Names of the guards in force here and around: none may be switched off by a pool nested in this one. */
  readonly guards: readonly string[];
  readonly deny: readonly string[];
  readonly requireApproval: readonly string[];
  /** Of each pool from the outermost in: a tool has to be granted in all of them. */
  readonly grants: readonly (readonly string[])[];
  /** What models of this tree may not see; undefined: they see all. */
  readonly redaction: Redaction | undefined;
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
}

/** Checks options and makes the pool's state. Throws {@link ConfigurationError} before anything runs. */
export function createPool(
  options: AgentPoolOptions,
  nest: Nest | undefined,
  observers: readonly Observer[],
): Pool {
  const outer = nest?.pool;
  const run =
    outer?.run ??
    createRun({
      id: options.run,
      clock: options.clock,
      budget: options.budget,
      approvals: options.approvals,
      observers,
    });
  const budget = withDefaults(options.budget, outer?.budget);
  checkBudget(budget);

  const redaction = outer?.redaction ?? (options.redact && new Redaction(options.redact));
  const model =
    options.model && redaction ? redactModel(options.model, redaction) : (options.model ?? outer?.model);
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
  const tools = options.tools ?? inherited;
  const terminal = options.terminal ?? (options.tools ? undefined : outer?.terminal?.tool);
  const all = terminal ? [...tools, terminal] : [...tools];
  checkTools(all);
  checkCallsPerTool(options.budget?.maxCallsPerTool, all);
  if (terminal?.target === "client")
    throw new ConfigurationError(
      `terminal: "${terminal.name}" is a client tool; what ends an agent is taken here. Give its target as server.`,
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
  const grants = grantsOf(options, outer, all);
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
    options.model === undefined &&
    options.system === undefined &&
    options.tools === undefined &&
    options.terminal === undefined;
  const pool: Pool = {
    key: options.key ?? (nest?.execution ? nest.execution.nextKey() : "agent"),
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
    terminal: terminal && bound.get(terminal.name),
    hooks,
    settings,
    guards: [...new Set([...(outer?.guards ?? []), ...names])],
    deny,
    requireApproval,
    grants,
    redaction,
    judges:
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
  };
  if (pool.depth > run.budget.maxDepth)
    throw new ConfigurationError(
      `budget.maxDepth: pools are nested ${pool.depth} deep; ${run.budget.maxDepth} are allowed.`,
    );
  if (budget.maxCost !== undefined && !model.price)
    throw new ConfigurationError(
      `budget.maxCost: the price of ${model.id} is not known, so dollars cannot be counted; give the model a price.`,
    );
  for (const message of settings.notices) run.emit({ type: "notice", message });
  return pool;
}

const named = (tool: Tool): { name: string; identity: string } => ({
  name: tool.name,
  identity: identityOf(tool),
});

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

/**
 * A tool that is named cannot be denied and asked about, and there is nothing to approve where a tool runs elsewhere.
 * Patterns may overlap: a deny comes first, and client tools are refused.
 */
function checkApprovals(
  requireApproval: readonly string[],
  deny: readonly string[],
  tools: readonly Tool[],
): void {
  for (const pattern of requireApproval.filter((pattern) => !pattern.includes("*")))
    for (const tool of tools.filter((tool) => selects(pattern, named(tool)))) {
      if (deny.some((other) => !other.includes("*") && selects(other, named(tool))))
        throw new ConfigurationError(
          `requireApproval: "${pattern}" is in deny too; a denied call never gets to a person. Take it out of one.`,
        );
      if (tool.target === "client")
        throw new ConfigurationError(
          `requireApproval: "${pattern}" is a client tool; its calls run elsewhere, so there is nothing to approve here.`,
        );
    }
}

/** Grants are for one run: a pool inside another holds no more than the one around it, however each writes it. */
function grantsOf(
  options: AgentPoolOptions,
  outer: Pool | undefined,
  tools: readonly Tool[],
): Pool["grants"] {
  const given = options.grants && readNames("grants", options.grants, tools);
  if (!outer) return [given ?? []];
  return given ? [...outer.grants, given] : outer.grants;
}

/** Patterns, and the identities of what they select here: a tool is the same under another name. */
const identified = (patterns: readonly string[], tools: readonly Tool[]): readonly string[] => [
  ...new Set([
    ...patterns,
    ...tools.filter((tool) => patterns.some((pattern) => selects(pattern, named(tool)))).map(identityOf),
  ]),
];

/** Patterns that select tools. One without `*` must select something, unless it was checked elsewhere. */
function readNames(
  place: string,
  patterns: readonly string[] | undefined,
  tools: readonly Tool[],
): readonly string[] {
  if (!patterns) return [];
  for (const pattern of patterns) {
    if (typeof pattern !== "string" || pattern === "")
      throw new ConfigurationError(
        `${place}: found ${JSON.stringify(pattern)}; accepted are names, prefixes and identities of tools.`,
      );
    if (pattern.includes("*") || isChecked(patterns) || tools.some((tool) => selects(pattern, named(tool))))
      continue;
    throw new ConfigurationError(
      `${place}: ${unknownName(
        "tool",
        pattern,
        tools.map((tool) => tool.name),
      )}`,
    );
  }
  return patterns;
}

function checkIdle({ guards, deny, policy, requireApproval }: AgentPoolOptions): void {
  if (policy)
    throw new ConfigurationError(
      "policy: this pool has no tools, so there is nothing to decide. Give it tools, or leave policy out.",
    );
  if (requireApproval && !isChecked(requireApproval) && requireApproval.length > 0)
    throw new ConfigurationError(
      "requireApproval: this pool has no tools, so there is nothing to approve. Give it tools, or leave requireApproval out.",
    );
  if (guards && !isChecked(guards) && Object.keys(guards).length > 0)
    throw new ConfigurationError(
      "guards: this pool has no tools, so there is nothing to guard. Give it tools, or leave guards out.",
    );
  if (deny && !isChecked(deny) && deny.length > 0)
    throw new ConfigurationError(
      "deny: this pool has no tools, so there is nothing to deny. Give it tools, or leave deny out.",
    );
}

function checkTools(tools: readonly Tool[]): void {
  const names = new Set<string>();
  tools.forEach((tool, index) => {
    const place = `tools[${index}]`;
    if (typeof tool?.name !== "string" || tool.name === "")
      throw new ConfigurationError(`${place}.name: missing; a tool needs a name.`);
    if (typeof tool.execute !== "function")
      throw new ConfigurationError(`${place} "${tool.name}": needs execute, a function.`);
    if (typeof tool.parameters !== "object" || tool.parameters === null)
      throw new ConfigurationError(
        `${place} "${tool.name}": needs parameters, a zod object or a JSON Schema.`,
      );
    if (names.has(tool.name))
      throw new ConfigurationError(
        `${place}: two tools are called "${tool.name}"; the model could not tell them apart.`,
      );
    names.add(tool.name);
  });
}

/** Limits that have no default. */
const OPTIONAL = ["maxTokens", "maxCost", "wallClock"];

/** Every number of a budget is at least 1, but for retries, which may be 0. */
function checkBudget(budget: Budget): void {
  for (const [key, value] of Object.entries(budget)) {
    if (!Object.hasOwn(defaultBudget, key) && !OPTIONAL.includes(key))
      throw new ConfigurationError(
        `budget.${unknownName("limit", key, [...Object.keys(defaultBudget), ...OPTIONAL])}`,
      );
    if (typeof value !== "number") continue;
    const least =
      key === "maxToolRetries" || key === "runRetries" || key === "maxToolCalls" || key === "maxCost" ? 0 : 1;
    if (!(value >= least))
      throw new ConfigurationError(`budget.${key}: found ${value}; accepted are numbers from ${least}.`);
  }
  checkWallClock(budget.wallClock);
  const { soft, hard } = budget.context;
  if (!(soft > 0 && soft <= hard))
    throw new ConfigurationError(
      `budget.context.soft: found ${soft}; accepted are shares from 0 to hard, ${hard}.`,
    );
  if (!(hard > 0 && hard <= 1))
    throw new ConfigurationError(`budget.context.hard: found ${hard}; accepted are shares from 0 to 1.`);
}

function checkWallClock(wallClock: unknown): void {
  if (wallClock === undefined) return;
  const place = "budget.wallClock";
  if (typeof wallClock !== "object" || wallClock === null)
    throw new ConfigurationError(
      `${place}: found ${JSON.stringify(wallClock)}; accepted is { soft, hard }, in milliseconds.`,
    );
  for (const [key, value] of Object.entries(wallClock)) {
    if (key !== "soft" && key !== "hard")
      throw new ConfigurationError(`${place}.${unknownName("limit", key, ["soft", "hard"])}`);
    if (value !== undefined && !(typeof value === "number" && value >= 0))
      throw new ConfigurationError(
        `${place}.${key}: found ${typeof value === "number" ? value : JSON.stringify(value)}; accepted are milliseconds from 0.`,
      );
  }
  const { soft = 0, hard = Number.POSITIVE_INFINITY } = wallClock as { soft?: number; hard?: number };
  if (soft > hard)
    throw new ConfigurationError(
      `${place}.soft: found ${soft}; accepted are milliseconds up to hard, ${hard}.`,
    );
}

function checkCallsPerTool(limits: { readonly [tool: string]: number } = {}, tools: readonly Tool[]): void {
  const names = tools.map((tool) => tool.name);
  for (const [name, limit] of Object.entries(limits)) {
    const place = "budget.maxCallsPerTool";
    if (!names.includes(name) && !isChecked(limits))
      throw new ConfigurationError(`${place}: ${unknownName("tool", name, names)}`);
    if (!(typeof limit === "number" && limit >= 0))
      throw new ConfigurationError(
        `${place}.${name}: found ${typeof limit === "number" ? limit : JSON.stringify(limit)}; accepted are numbers from 0.`,
      );
  }
}
