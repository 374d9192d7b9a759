import type { Attributes, Context, Span } from "@opentelemetry/api";

/** Starts a span of a run, at a time in milliseconds since the epoch. */
export type StartSpan = (name: string, at: number, parent: Context, attributes: Attributes) => Span;
