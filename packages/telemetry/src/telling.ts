import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base";

type Export = Parameters<SpanExporter["export"]>[1];

/** An exporter that says, once, what keeps it from exporting. */
export class Telling implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #tell: (message: string) => void;
  #told = false;

  constructor(exporter: SpanExporter, tell: (message: string) => void) {
    this.#exporter = exporter;
    this.#tell = tell;
  }

  export(spans: ReadableSpan[], done: Export): void {
    this.#exporter.export(spans, (result) => {
      if (result.error && !this.#told) {
        this.#told = true;
        this.#tell(`The trace could not be sent: ${result.error.message || result.error.name}`);
      }
      done(result);
    });
  }

  forceFlush = (): Promise<void> => this.#exporter.forceFlush?.() ?? Promise.resolve();

  shutdown = (): Promise<void> => this.#exporter.shutdown();
}
