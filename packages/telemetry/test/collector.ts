import { createServer, type Server } from "node:http";
import { type Operation, resource, until } from "effection";

export interface SentSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly events?: readonly { readonly name: string; readonly attributes: SentSpan["attributes"] }[];
  readonly status?: { readonly code?: number };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

/** A collector on this machine: what was sent to it. */
export const useCollector = (): Operation<{ readonly spans: SentSpan[]; readonly url: string }> =>
  resource(function* (provide) {
    const spans: SentSpan[] = [];
    const server: Server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      request.on("end", () => {
        for (const { scopeSpans } of JSON.parse(body).resourceSpans)
          for (const { spans: sent } of scopeSpans) spans.push(...sent);
        response.setHeader("content-type", "application/json").end("{}");
      });
    });
    const port = yield* listening(server);
    try {
      yield* provide({ spans, url: `http://127.0.0.1:${port}` });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

function* listening(server: Server): Operation<number> {
  yield* until(new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve())));
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

/** Attributes by their names, whatever their type. */
export const attributesOf = ({ attributes }: Pick<SentSpan, "attributes">): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** A span with those above it: `run > invoke_agent agent > chat large`. */
export function pathIn(spans: readonly SentSpan[]): (span: SentSpan) => string {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const pathOf = (span: SentSpan): string => {
    const parent = byId.get(span.parentSpanId ?? "");
    return parent ? `${pathOf(parent)} > ${span.name}` : span.name;
  };
  return pathOf;
}
