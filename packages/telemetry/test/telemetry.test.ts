import {
  agentPool,
  dedup,
  defineTool,
  delegate,
  MisformedError,
  ModelLimitError,
  parallel,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run, scoped } from "effection";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { asksForTelemetry, useTelemetry } from "../src/index.ts";
import { attributesOf, pathIn, useCollector } from "./collector.ts";

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
    const lineOf = pathIn(spans);
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

test("a turn that failed is an error with what it used; what its agent waited for says why", () =>
  run(function* () {
    const { spans, url } = yield* useCollector();
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = url;
    yield* scoped(function* () {
      const telemetry = yield* useTelemetry({ run: "r1" });
      const usage = { input: 700, output: 7, cached: 0 };
      yield* agentPool({
        run: "r1",
        model: scripted(() => [
          { error: new ModelLimitError("busy", 1, { reason: "overloaded" }) },
          { error: new MisformedError("a secret that it said", usage) },
        ]),
        orchestrate: parallel(["one"]),
        onEvent: telemetry.observe,
      });
    });
    const turns = spans.filter(({ name }) => name.startsWith("chat"));
    expect(turns.map(attributesOf)).toMatchObject([
      {},
      { "error.type": "model_error", "gen_ai.usage.input_tokens": 700, "gen_ai.usage.output_tokens": 7 },
    ]);
    expect(JSON.stringify(turns)).not.toContain("a secret");
    const moments = spans.flatMap(({ events = [] }) => events);
    expect(JSON.stringify(moments.filter(({ name }) => name === "model:limited"))).toContain("overloaded");
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
