// Values: what everything is made of

// Guards
export { canonicalJson, canonicalText, canonicalUrl } from "./decisions/canonical.ts";
export { type DedupOptions, dedup } from "./decisions/dedup.ts";
export { misspeltGuardTools } from "./decisions/guard-tools.ts";
export { type Named, nearest, selects } from "./decisions/names.ts";
export { checkedOverrides, RESERVED } from "./decisions/overrides.ts";
export { estimateTokens } from "./decisions/result.ts";
export { argumentsIn, messageOfTurn } from "./decisions/turn-message.ts";
// People
export { ApprovalDesk } from "./effects/approval-desk.ts";

// Time
export { type ManualClock, manualClock, sleepOn, systemClock, useClock } from "./effects/clock.ts";
// Replay
export type { Fate, ReplayedStop } from "./replay/fate.ts";
export type { GuardReplay, ReplayedLimits } from "./replay/guard-replay.ts";
export { replayGuards } from "./replay/replay-guards.ts";
export type { ReplayedCall, ReplayedRun, ReplayedTurn, TurnFate } from "./replay/replayed-run.ts";
// Pools
export { type AgentOptions, agentPool, useAgent } from "./runtime/agent-pool.ts";
export { useCurrentAgent } from "./runtime/current-agent.ts";
export { type DelegateOptions, delegate } from "./runtime/delegate.ts";
export { type StepContext, step } from "./runtime/durable-step.ts";
export { JournalContext } from "./runtime/nest.ts";
export { type Fallback, noteFallback } from "./runtime/note-fallback.ts";
export {
  chain,
  type DagNode,
  dag,
  diverge,
  fanout,
  parallel,
  type Select,
  type ToSpine,
  taskAndResult,
} from "./runtime/orchestrators.ts";
export { type Occupancy, type PoolHandle, useAgentPool } from "./runtime/pool-handle.ts";
export { reportTool } from "./runtime/report-tool.ts";
export { type PoolRun, runPool } from "./runtime/run-pool.ts";
export type * from "./values/agent.ts";
export * from "./values/answer.ts";
export type * from "./values/approval.ts";
export * from "./values/budget.ts";
export type * from "./values/call.ts";
export type * from "./values/client-call.ts";
export type * from "./values/clock.ts";
export * from "./values/consultation.ts";
export * from "./values/errors.ts";
export type * from "./values/event.ts";
export type * from "./values/guard.ts";
export type * from "./values/hooks.ts";
export * from "./values/journal.ts";
export type * from "./values/json.ts";
export * from "./values/model.ts";
export type * from "./values/options.ts";
export type * from "./values/orchestrator.ts";
export type * from "./values/redactor.ts";
export * from "./values/repetition.ts";
export type * from "./values/review.ts";
export * from "./values/reviewer.ts";
export * from "./values/rule.ts";
export * from "./values/tool.ts";
export * from "./values/usage.ts";
export { jsonValidator, withoutPrototypes } from "./values/validator.ts";
