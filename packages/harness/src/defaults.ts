import { defaultBudget } from "@agentpool/core";
import type { HarnessFile } from "./schema.ts";

/** What every key is where nothing sets it. */
export const DEFAULTS = {
  model: "extractive",
  models: {},
  providers: {},
  defaults: { effort: "medium", guards: {}, budget: { ...defaultBudget } },
  policy: { deny: [], requireApproval: [], grants: [] },
  tools: {},
  store: "sqlite:.pool/runs.db",
} as const satisfies HarnessFile;
