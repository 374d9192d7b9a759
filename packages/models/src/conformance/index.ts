export {
  type ConformanceCase,
  type ConformanceOptions,
  type ConformanceSuite,
  conformance,
  type HangingModel,
  registerConformance,
} from "./conformance.ts";
