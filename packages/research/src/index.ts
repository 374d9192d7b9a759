export { type Assembly, assemble } from "./brief/assemble.ts";
export type * from "./brief/brief.ts";
export { type Answer, type Asked, type Finding, verifiedAnswer } from "./brief/findings.ts";
export { briefJson } from "./brief/json.ts";
export { type Material, type MaterialOptions, material } from "./brief/material.ts";
export { renderBrief } from "./brief/render.ts";
export { type Effort, type EffortNumbers, efforts } from "./effort.ts";
export { type Inquired, inquire } from "./inquire.ts";
export {
  Ledger,
  type LedgerSearch,
  type LedgerSource,
  type Verdict,
  type Verifier,
} from "./ledger/ledger.ts";
export type { StageName, StageOptions } from "./options.ts";
export { type Planned, plan } from "./plan.ts";
export { type ResearchHandle, type ResearchOptions, research, useResearch } from "./research.ts";
export { Winding } from "./stage.ts";
export { type SynthesisInput, synthesise } from "./synthesise.ts";
export { type Report, type ReportedFinding, readReport, reportFindings } from "./tools/report-findings.ts";
export {
  readSubmittedBrief,
  type SubmittedBrief,
  type SubmittedSection,
  submitBrief,
} from "./tools/submit-brief.ts";
export { type Plan, submitPlan } from "./tools/submit-plan.ts";
export { addTotals, noTotals } from "./totals.ts";
