import { type Span, SpanStatusCode } from "@opentelemetry/api";

/** Marks a span as failed. The message may go wherever traces go: what was said or read is none. */
export function fail(span: Span, kind: string, message?: string): void {
  span.setAttribute("error.type", kind);
  span.setStatus({ code: SpanStatusCode.ERROR, ...(message === undefined ? {} : { message }) });
}
