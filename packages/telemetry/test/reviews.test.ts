import {
  type AgentPoolOptions,
  ApprovalDesk,
  agentPool,
  defineTool,
  type PoolEvent,
  parallel,
  type Rule,
} from "@agentpool/core";
import { type ScriptedTurn, scripted } from "@agentpool/models";
import { reviewer } from "@agentpool/review";
import { type Operation, run, scoped } from "effection";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { useTelemetry } from "../src/index.ts";
import { attributesOf, pathIn, type SentSpan, useCollector } from "./collector.ts";

afterEach(() => {
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
});

const send = defineTool({
  name: "send",
  description: "Sends a letter.",
  parameters: z.object({ to: z.string() }),
  execute: ({ to }) => `sent to ${to}`,
});

const sendingTo = (to: string): ScriptedTurn => ({ calls: [{ tool: "send", args: { to } }] });
const sending = sendingTo("ada");

const verdict = (passed: boolean): ScriptedTurn => ({
  text: JSON.stringify({ passed, todo: null, adjustedReasoning: passed ? null : "the secret reason" }),
  usage: { input: 50, output: 5 },
});

/** Every verdict in its turn, from a reviewer that is another model. */
const judge = (...verdicts: readonly ScriptedTurn[]) => {
  let at = 0;
  return scripted(
    () => {
      const given = verdicts[Math.min(at++, verdicts.length - 1)]!;
      return [given, given]; // one that is no verdict is asked for again
    },
    { id: "acme/judge" },
  );
};

/** The spans of a pool of one agent. */
function* traced(options: Omit<AgentPoolOptions, "orchestrate">): Operation<SentSpan[]> {
  const { spans, url } = yield* useCollector();
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = url;
  yield* scoped(function* () {
    const telemetry = yield* useTelemetry({ run: "r1" });
    const onEvent = (event: PoolEvent) => {
      telemetry.observe(event);
      options.onEvent?.(event);
    };
    yield* agentPool({ ...options, orchestrate: parallel(["write"]), onEvent });
  });
  return spans;
}

const writer = (...turns: readonly ScriptedTurn[]) => scripted(() => turns, { id: "acme/writer" });

const money: Rule = {
  title: "Money",
  content: "Confirm amounts.",
  when: "money moves",
  review: true,
};

test("a review is a span below its turn with its verdict, and the reviewer's model call one below it", () =>
  run(function* () {
    const spans = yield* traced({
      model: writer(sending, sending, sendingTo("grace"), { text: "done" }),
      tools: [send],
      review: true,
      reviewer: reviewer({ models: judge(verdict(false), verdict(true)) }),
    });
    const pathOf = pathIn(spans);
    const turn = "run > invoke_agent agent > chat writer";
    const reviews = spans.filter(({ name }) => name === "review step");
    expect(reviews.map(pathOf)).toEqual(Array(3).fill(`${turn} > review step`));
    expect(reviews.map((span) => attributesOf(span)["agentpool.review.verdict"])).toEqual([
      "restarted",
      "restarted",
      "passed",
    ]);
    expect(new Set(reviews.map(({ parentSpanId }) => parentSpanId)).size).toBe(3);
    // the verdict on the same calls stood: nobody was asked
    expect(reviews.map((span) => attributesOf(span)["agentpool.review.remembered"])).toEqual([
      false,
      true,
      false,
    ]);
    const asked = spans.filter(({ name }) => name === "chat judge");
    expect(asked.map(pathOf)).toEqual([
      `${turn} > review step > chat judge`,
      `${turn} > review step > chat judge`,
    ]);
    expect(attributesOf(asked[0]!)).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "acme",
      "gen_ai.request.model": "judge",
      "gen_ai.conversation.id": "r1",
      "gen_ai.usage.input_tokens": 50,
      "gen_ai.usage.output_tokens": 5,
    });
    expect(spans.filter(({ status }) => status?.code === 2)).toEqual([]);
    expect(JSON.stringify(spans)).not.toContain("the secret reason");
  }));

test("a review that came to nothing is an error, by its kind", () =>
  run(function* () {
    const spans = yield* traced({
      model: writer(sending, { text: "done" }),
      tools: [send],
      review: true,
      reviewer: reviewer({ models: judge({ text: "no verdict at all" }) }),
    });
    const failed = spans.filter(({ status }) => status?.code === 2);
    expect(failed.map(({ name }) => name)).toEqual(["review step"]);
    expect(attributesOf(failed[0]!)).toMatchObject({
      "error.type": "malformed",
      "agentpool.review.verdict": "failed",
    });
    expect(JSON.stringify(spans)).not.toContain("no verdict at all");
  }));

test("a pass over rules is a span below the turn that it is for", () =>
  run(function* () {
    const applies = { text: JSON.stringify({ applies: ["r1"] }), usage: { input: 20, output: 2 } };
    const spans = yield* traced({
      model: writer({ text: "done" }),
      tools: [send],
      rules: [money],
      reviewer: reviewer({ models: { "review.rules": judge(applies), "*": judge(verdict(true)) } }),
    });
    const pathOf = pathIn(spans);
    const rules = spans.find(({ name }) => name === "review rules")!;
    expect(pathOf(rules)).toBe("run > invoke_agent agent > chat writer > review rules");
    expect(attributesOf(rules)).toMatchObject({
      "agentpool.review.verdict": "matched",
      "agentpool.turn": 1,
      "agentpool.rules.matched": { values: [{ stringValue: "Money" }] },
    });
    const asked = spans.find(
      ({ name, parentSpanId }) => name === "chat judge" && parentSpanId === rules.spanId,
    );
    expect(attributesOf(asked!)).toMatchObject({ "gen_ai.usage.input_tokens": 20 });
  }));

test("a call that waits for a person says so on its agent's span: asked, parked, decided", () =>
  run(function* () {
    const approvals = new ApprovalDesk();
    const spans = yield* traced({
      model: writer(sending, { text: "done" }),
      tools: [send],
      requireApproval: ["send"],
      approvals,
      onEvent: (event) => {
        if (event.type === "approval:requested") approvals.approve(event.approval.id);
      },
    });
    const agent = spans.find(({ name }) => name === "invoke_agent agent")!;
    expect(agent.events?.map(({ name }) => name)).toEqual([
      "approval:requested",
      "call:parked",
      "call:resumed",
      "approval:decided",
    ]);
    const decided = agent.events!.find(({ name }) => name === "approval:decided")!;
    expect(attributesOf(decided)).toMatchObject({
      "gen_ai.tool.call.id": "agent/0:1#0",
      "agentpool.approval.decision": "approved",
    });
  }));

test("a model in another's place is an event of the run, without what the first one said", () =>
  run(function* () {
    const { spans, url } = yield* useCollector();
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = url;
    yield* scoped(function* () {
      const telemetry = yield* useTelemetry({ run: "r1" });
      const happened = {
        type: "model:fallback",
        from: "a/big",
        to: "b/small",
        reason: "a secret reason",
      } as const;
      telemetry.observe({ ...happened, run: "r1", at: Date.now() });
    });
    expect(spans.map(({ name, events }) => [name, events?.map((event) => attributesOf(event))])).toEqual([
      ["run", [{ "agentpool.from": "a/big", "agentpool.to": "b/small" }]],
    ]);
    expect(JSON.stringify(spans)).not.toContain("a secret reason");
  }));
