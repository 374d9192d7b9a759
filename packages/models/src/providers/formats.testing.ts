import type { ModelSettings } from "./resolve-model.ts";
import { resolveModel } from "./resolve-model.ts";
import { chatEvents, messageEvents, responseEvents } from "./wire.testing.ts";

/** What differs between the formats, so that each behaviour is asked of every real client. */
export const formats = {
  "openai-compatible": {
    model: (url: string, settings: ModelSettings = {}) =>
      resolveModel("openai-compatible/served", {
        ...settings,
        providers: { "openai-compatible": { baseURL: `${url}/v1` } },
        env: {},
      }),
    events: chatEvents,
    words: { stop: "stop", calls: "tool_calls", length: "length", refusal: "content_filter" },
    limit: { error: { message: "slow down", type: "rate_limit_exceeded" } },
    path: "/v1/chat/completions",
  },
  anthropic: {
    model: (url: string, settings: ModelSettings = {}) =>
      resolveModel("anthropic/claude-haiku-4-5", {
        ...settings,
        providers: { anthropic: { baseURL: `${url}/v1` } },
        env: { ANTHROPIC_API_KEY: "test-key" },
      }),
    events: messageEvents,
    words: { stop: "end_turn", calls: "tool_use", length: "max_tokens", refusal: "refusal" },
    limit: { type: "error", error: { type: "rate_limit_error", message: "slow down" } },
    path: "/v1/messages",
  },
  openai: {
    model: (url: string, settings: ModelSettings = {}) =>
      resolveModel("openai/gpt-5-mini", {
        ...settings,
        providers: { openai: { baseURL: `${url}/v1` } },
        env: { OPENAI_API_KEY: "test-key" },
      }),
    events: responseEvents,
    words: { stop: "completed", calls: "completed", length: "max_output_tokens", refusal: "content_filter" },
    limit: { error: { message: "slow down", type: "requests", code: "rate_limit_exceeded" } },
    path: "/v1/responses",
  },
} as const;
