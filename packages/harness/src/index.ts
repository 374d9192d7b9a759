export { config, useConfig } from "./config.ts";
export { configOnRecord } from "./config-on-record.ts";
export { type Earlier, FollowUp } from "./follow-up.ts";
export { assertGuards, BUILT_IN_GUARDS } from "./guards.ts";
export type { Harness, HarnessConfig } from "./harness.ts";
export type { Setting } from "./layer.ts";
export { type LoadOptions, loadHarness } from "./load-harness.ts";
export { loadProgram } from "./load-program.ts";
export { mcpServersOf } from "./mcp-servers.ts";
export type { Entry } from "./merge.ts";
export { type Models, type ModelsOptions, modelsOf, useModels } from "./models.ts";
export { describeOrigin, type Origin } from "./origin.ts";
export { describeProblem, HarnessError, keyName, type Problem } from "./problem.ts";
export {
  defineHarness,
  type HarnessProgram,
  type JobOptions,
  type PoolOptions,
  type ProgramContext,
} from "./program.ts";
export { type Outcome, type RunOptions, runHarness } from "./run-harness.ts";
export { type HarnessFile, harnessSchema } from "./schema.ts";
export { assertBuilt, unbuiltProblems } from "./unbuilt.ts";
export { type HarnessTools, type UseToolsOptions, useTools } from "./use-tools.ts";
