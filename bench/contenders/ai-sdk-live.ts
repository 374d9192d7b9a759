import { setMaxListeners } from "node:events";
import { tool as aiTool, generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { call, ensure, useAbortSignal } from "effection";
import { z } from "zod";
import type { Open } from "./contender.ts";
import { type LiveSettings, liveAgents } from "./live.ts";
import { system, task } from "./turns.ts";

/** `generateText` with a tool that waits until the call's signal aborts. */
const open: Open<LiveSettings> = (settings) =>
  liveAgents(settings, function* (live) {
    const tools = {
      wait: aiTool({
        description: "Waits.",
        inputSchema: z.object({ for: z.string() }),
        execute: (_, { abortSignal }) => live.waitFor(abortSignal!),
      }),
    };
    const converse = (agent: number, abortSignal: AbortSignal) =>
      generateText({
        model: model(),
        system,
        prompt: task(agent),
        tools,
        abortSignal,
        stopWhen: stepCountIs(2),
      });
    let settled: Promise<unknown> | undefined;
    yield* ensure(() => call(() => settled));
    const signal = yield* useAbortSignal();
    setMaxListeners(0, signal);
    settled = Promise.allSettled(
      Array.from({ length: settings.agents }, (_, agent) => converse(agent, signal)),
    );
    yield* call(() => settled);
  });
export default open;

const model = () =>
  new MockLanguageModelV3({
    doGenerate: {
      content: [{ type: "tool-call", toolCallId: "call_1", toolName: "wait", input: '{"for":"ever"}' }],
      finishReason: { unified: "tool-calls", raw: undefined },
      usage: {
        inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: 5, text: 5, reasoning: undefined },
      },
      warnings: [],
    },
  });
