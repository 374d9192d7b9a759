/** Whether an environment names a collector to send traces to, and does not say that nothing is to be sent. */
export const asksForTelemetry = (env: Readonly<Record<string, string | undefined>>): boolean =>
  env.OTEL_SDK_DISABLED !== "true" &&
  env.OTEL_TRACES_EXPORTER !== "none" &&
  Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
