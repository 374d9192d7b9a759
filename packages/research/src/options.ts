import type { AgentPoolOptions, Budget, Model, Tool } from "@agentpool/core";
import { type Effort, type EffortNumbers, efforts } from "./effort.ts";
import { Ledger, type Verifier } from "./ledger/ledger.ts";
import { Winding } from "./stage.ts";

/** What the stages of a job have in common. Each stage takes it, so that they can be used alone as well. */
export interface StageOptions
  extends Pick<
    AgentPoolOptions,
    | "hooks"
    | "guards"
    | "deny"
    | "requireApproval"
    | "approvals"
    | "grants"
    | "clock"
    | "run"
    | "onEvent"
    | "recovery"
    | "instructions"
    | "review"
    | "rules"
    | "reviewer"
  > {
  /** Default for every stage. */
  readonly model: Model;
  /** Other models for single stages. */
  readonly models?: { readonly [stage in StageName]?: Model };
  /** What agents search and read with. */
  readonly tools: readonly Tool[];
  /** Default `medium`. */
  readonly effort?: Effort;
  /** How hard reviews try, where that is more than the job itself does. Default: `effort`. */
  readonly reviewEffort?: Effort;
  /** Overrides what the effort gives. */
  readonly budget?: Partial<Budget>;
  /** Checks quotations against the files themselves, for example a corpus. Default: against what agents read. */
  readonly verifier?: Verifier;
  /** Default: a new one. Give your own to look at it afterwards, or to share it between jobs. */
  readonly ledger?: Ledger;
  /** Lets you bring the job to an early end. */
  readonly winding?: Winding;
}

export type StageName = "plan" | "research" | "synthesis";

/** Stage options with every default filled in. */
export interface Stage extends StageOptions {
  readonly numbers: EffortNumbers;
  readonly ledger: Ledger;
  readonly winding: Winding;
  modelOf(stage: StageName): Model;
  /** Options that a pool of this job has whatever its stage. */
  readonly pool: Pick<
    AgentPoolOptions,
    "clock" | "run" | "onEvent" | "recovery" | "effort" | "instructions" | "reviewer"
  >;
}

export function stageOf(options: StageOptions | Stage): Stage {
  if ("numbers" in options) return options;
  const { verifier, clock, run, recovery, onEvent, instructions, reviewer } = options;
  const ledger = options.ledger ?? new Ledger(verifier === undefined ? {} : { verifier });
  return {
    ...options,
    numbers: efforts[options.effort ?? "medium"],
    ledger,
    winding: options.winding ?? new Winding(),
    modelOf: (stage) => options.models?.[stage] ?? options.model,
    pool: {
      ...(clock === undefined ? {} : { clock }),
      ...(run === undefined ? {} : { run }),
      ...(recovery === undefined ? {} : { recovery }),
      effort: options.reviewEffort ?? options.effort,
      instructions,
      reviewer,
      onEvent(event) {
        ledger.observe(event);
        onEvent?.(event);
      },
    },
  };
}

/** What reports of a pool without tools are held to: names of tools would be unknown there. */
export function toollessGates({ review, rules }: StageOptions): Partial<AgentPoolOptions> {
  return {
    review: typeof review === "object" ? review.agent : review,
    rules: rules?.filter(({ tools }) => tools === undefined),
  };
}

/** The parts of the options that gate calls: for pools that have tools. */
export function gatesOf(options: StageOptions): Partial<AgentPoolOptions> {
  const { hooks, guards, deny, requireApproval, approvals, grants, tools, review, rules } = options;
  if (tools.length === 0) return toollessGates(options);
  return {
    tools,
    review,
    rules,
    ...(hooks === undefined ? {} : { hooks }),
    ...(guards === undefined ? {} : { guards }),
    ...(deny === undefined ? {} : { deny }),
    ...(requireApproval === undefined ? {} : { requireApproval }),
    ...(approvals === undefined ? {} : { approvals }),
    ...(grants === undefined ? {} : { grants }),
  };
}
