import type { Telemetry } from "@agentpool/telemetry";
import { type Operation, until } from "effection";
import type { Io } from "./io.ts";

/** Variables that name a collector of traces. */
const ENDPOINTS = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];

/** Sends the run as a trace, where the environment names a collector; otherwise nothing of it is even loaded. */
export function* useTrace(
  io: Io,
  run: string,
  say: (text: string) => void,
): Operation<Telemetry | undefined> {
  if (!ENDPOINTS.some((name) => io.env[name])) return undefined;
  const { asksForTelemetry, useTelemetry } = yield* until(import("@agentpool/telemetry"));
  return asksForTelemetry(io.env) ? yield* useTelemetry({ run, onTrouble: say }) : undefined;
}
