import type { PoolEvent } from "@agentpool/core";
import { ROOT_CONTEXT } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { ensure, type Operation, resource, until } from "effection";
import { Spans } from "./spans.ts";
import { Telling } from "./telling.ts";

export interface TelemetryOptions {
  /** The run's id. */
  readonly run: string;
  /** Told once where spans cannot be sent. A run goes on without its traces. */
  readonly onTrouble?: (message: string) => void;
}

/** Sees a run's events: give it to `onEvent`. */
export interface Telemetry {
  observe(event: PoolEvent): void;
}

/**
 * Sends a run as a trace to the collector that `OTEL_EXPORTER_OTLP_ENDPOINT` names, by HTTP. The exporter reads the
 * environment as OpenTelemetry says: headers, a service name, a timeout. With its scope what is left is sent.
 *
 * ```ts
 * const telemetry = yield* useTelemetry({ run: "run-1" });
 * yield* agentPool({ ...options, run: "run-1", onEvent: telemetry.observe });
 * ```
 */
export const useTelemetry = ({ run, onTrouble = () => {} }: TelemetryOptions): Operation<Telemetry> =>
  resource(function* (provide) {
    const exporter = new Telling(new OTLPTraceExporter(patience()), onTrouble);
    const provider = new BasicTracerProvider({
      resource: defaultResource().merge(resourceFromAttributes(serviceName())),
      spanProcessors: [new BatchSpanProcessor(exporter)],
    });
    const spans = new Spans(provider.getTracer("agentpool"), ROOT_CONTEXT, run);
    yield* ensure(() => {
      spans.end();
      return until(provider.shutdown().catch(() => {}));
    });
    yield* provide({ observe: (event) => spans.observe(event) });
  });

/** Milliseconds for which sending is tried, where the environment says nothing: a command is not to hang on it. */
const PATIENCE = 3_000;

const patience = (): { readonly timeoutMillis?: number } =>
  process.env.OTEL_EXPORTER_OTLP_TIMEOUT ? {} : { timeoutMillis: PATIENCE };

const serviceName = (): { readonly "service.name"?: string } =>
  process.env.OTEL_SERVICE_NAME ? {} : { "service.name": "agentpool" };
