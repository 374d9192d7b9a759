import { createServer, type Server } from "node:http";
import { agentPool, dedup, defineTool, delegate, parallel } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { type Operation, resource, run, scoped, until } from "effection";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { asksForTelemetry, useTelemetry } from "../src/index.ts";

interface SentSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly events?: readonly { readonly name: string }[];
  readonly status?: { readonly code?: number };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

/** A collector on this machine: what was sent to it. */
const useCollector = (): Operation<{ readonly spans: SentSpan[]; readonly url: string }> =>
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

afterEach(() => {
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
});

const read = defineTool({
  name: "read",
  description: "Reads a page.",
  parameters: z.object({ page: z.string() }),
  hooks: { beforeDispatch: [dedup("page_dedup", ({ page }) => page)] },
  execute: ({ page }) => {
    if (page === "broken") throw new Error("a secret of the page");
    return page;
  },
});

const attributesOf = ({ attributes }: SentSpan): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

test("a run is sent as a trace: spans for the run, its agents, their turns and calls, nested as they ran", () =>
  run(function* () {
    const { spans, url } = yield* useCollector();
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = url;
    yield* scoped(function* () {
      const telemetry = yield* useTelemetry({ run: "r1" });
      const step = (tool: string, args: Readonly<Record<string, unknown>>) => ({ calls: [{ tool, args }] });
      yield* agentPool({
        run: "r1",
        model: scripted(
          ({ key }) =>
            key.includes("~")
              ? [step("read", { page: "inner" }), { text: "found" }]
              : [
                  step("read", { page: "a" }),
                  step("read", { page: "a" }),
                  step("read", { page: "broken" }),
                  step("delegate", { tasks: ["look"] }),
                  { text: "done" },
                ],
          { id: "acme/large" },
        ),
        tools: [read, delegate({ tools: [read] })],
        orchestrate: parallel(["one"]),
        onEvent: telemetry.observe,
      });
    });
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const lineOf = (span: SentSpan): string => {
      const parent = byId.get(span.parentSpanId ?? "");
      return parent ? `${lineOf(parent)} > ${span.name}` : span.name;
    };
    const counts: Record<string, number> = {};
    for (const span of spans) counts[lineOf(span)] = (counts[lineOf(span)] ?? 0) + 1;
    const agent = "run > invoke_agent agent";
    const inner = `${agent} > execute_tool delegate > invoke_agent agent/0:4#0~0`;
    expect(counts).toEqual({
      run: 1,
      [agent]: 1,
      [`${agent} > chat large`]: 5,
      [`${agent} > execute_tool read`]: 2,
      [`${agent} > execute_tool delegate`]: 1,
      [inner]: 1,
      [`${inner} > chat large`]: 2,
      [`${inner} > execute_tool read`]: 1,
    });
    const chat = spans.find(({ name }) => name === "chat large")!;
    expect(attributesOf(chat)).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "acme",
      "gen_ai.request.model": "large",
      "gen_ai.conversation.id": "r1",
      "gen_ai.usage.input_tokens": expect.any(Number),
    });
    const tool = spans.find(({ name }) => name === "execute_tool read")!;
    expect(attributesOf(tool)).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "read",
      "gen_ai.tool.call.id": "agent/0:1#0",
    });
    expect(spans.filter(({ status }) => status?.code === 2).map(({ name }) => name)).toEqual([
      "execute_tool read",
    ]);
    const top = spans.find((span) => lineOf(span) === agent)!;
    expect(top.events?.map(({ name }) => name)).toEqual(["call:refused"]);
    expect(JSON.stringify(spans)).not.toContain("a secret of the page");
    for (const span of spans)
      expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
  }));

test(
  "a collector that is not there is said once, and the run goes on",
  () =>
    run(function* () {
      process.env.OTEL_EXPORTER_OTLP_ENDPOINT = "http://127.0.0.1:1";
      const told: string[] = [];
      const result = yield* scoped(function* () {
        const telemetry = yield* useTelemetry({ run: "r1", onTrouble: (message) => told.push(message) });
        const model = scripted(() => [{ text: "done" }]);
        return yield* agentPool({ model, orchestrate: parallel(["one"]), onEvent: telemetry.observe });
      });
      expect(result.agents[0]?.result).toBe("done");
      expect(told).toEqual([expect.stringContaining("The trace could not be sent: ")]);
    }),
  60_000,
);

test("traces are asked for by the environment, and by nothing else", () => {
  expect(asksForTelemetry({})).toBe(false);
  expect(asksForTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" })).toBe(true);
  expect(asksForTelemetry({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:4318" })).toBe(true);
  const off = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318", OTEL_SDK_DISABLED: "true" };
  expect(asksForTelemetry(off)).toBe(false);
});
