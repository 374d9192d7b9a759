export { asksForTelemetry } from "./asks-for-telemetry.ts";
export { type Telemetry, type TelemetryOptions, useTelemetry } from "./use-telemetry.ts";
