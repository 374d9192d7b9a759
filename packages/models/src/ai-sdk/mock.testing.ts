import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { MockLanguageModelV3 } from "ai/test";
import type { AiSdkModel } from "./language-model.ts";

type Part = LanguageModelV3StreamPart;

/** A stream of the given parts. What is an error breaks the stream. */
export function streamOf<P>(parts: readonly (P | Error)[]): ReadableStream<P> {
  const left = [...parts];
  return new ReadableStream<P>({
    pull(controller) {
      const next = left.shift();
      if (next === undefined) controller.close();
      else if (next instanceof Error) controller.error(next);
      else controller.enqueue(next);
    },
  });
}

export const said = (text: string, id = "t"): Part[] => [
  { type: "text-start", id },
  ...(text.match(/.{1,4}/gs) ?? []).map((delta): Part => ({ type: "text-delta", id, delta })),
  { type: "text-end", id },
];

export const thought = (text: string, id = "r"): Part[] => [
  { type: "reasoning-start", id },
  { type: "reasoning-delta", id, delta: text },
  { type: "reasoning-end", id },
];

export const started = (toolName: string, id: string): Part => ({ type: "tool-input-start", id, toolName });

export const called = (toolName: string, input: string, toolCallId: string): Part => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input,
});

export const counted = (input: number | undefined, output: number | undefined, cacheRead?: number) => ({
  inputTokens: { total: input, noCache: undefined, cacheRead, cacheWrite: undefined },
  outputTokens: { total: output, text: output, reasoning: undefined },
});

export const finished = (
  unified: "stop" | "length" | "content-filter" | "tool-calls" | "error" = "stop",
): Part => ({ type: "finish", finishReason: { unified, raw: unified }, usage: counted(100, 20) });

/** What providers end a stream with that was never finished. */
export const neverFinished: Part = {
  type: "finish",
  finishReason: { unified: "other", raw: undefined },
  usage: counted(undefined, undefined),
};

/** What a model answers one call with. */
export type Answer = (Part | Error)[] | Error;

/** A v3 model that answers its calls one after the other. An error is thrown, or breaks the stream it is in. */
export function playing(...answers: readonly Answer[]): MockLanguageModelV3 {
  let at = 0;
  return new MockLanguageModelV3({
    provider: "mock.chat",
    modelId: "one",
    doStream: async () => {
      const answer = answers[at++] ?? new Error("no answer left");
      if (answer instanceof Error) throw answer;
      return { stream: streamOf<Part>(answer) };
    },
  });
}

/** What a model that follows instructions answers, the same words for every version. */
function obedient({ toolChoice, tools = [], responseFormat }: LanguageModelV3CallOptions): Part[] {
  const names = toolChoice?.type === "tool" ? [toolChoice.toolName] : tools.map(({ name }) => name);
  if (toolChoice?.type === "none" || names.length === 0) {
    return [...said(responseFormat?.type === "json" ? '{"ready":true}' : "Ready, and set."), finished()];
  }
  // The ids are those of a careless server: the same in every turn.
  const calls = names.flatMap((name, at) => {
    const input = '{"text":"The sky is blue.","result":"The sky is blue."}';
    return [started(name, `call_${at}`), called(name, input, `call_${at}`)];
  });
  return [...thought("As told."), ...calls, finished("tool-calls")];
}

/** A v2 model that answers as told. */
export const olderModel = (
  answer: (options: LanguageModelV3CallOptions) => readonly unknown[],
): AiSdkModel => ({
  specificationVersion: "v2",
  provider: "mock",
  modelId: "two",
  doStream: async (options: LanguageModelV3CallOptions) => ({ stream: streamOf(answer(options)) }),
});

/** An obedient model of each version, and the prompts it was shown. */
export const obedientModels = {
  v2: () => {
    const calls: LanguageModelV3CallOptions[] = [];
    const model = olderModel((options) => {
      calls.push(options);
      return obedient(options).map((part) =>
        part.type === "finish"
          ? {
              ...part,
              finishReason: part.finishReason.unified,
              usage: { inputTokens: 100, outputTokens: 20, totalTokens: 120 },
            }
          : part,
      );
    });
    return { model, calls };
  },
  v3: () => {
    const model = new MockLanguageModelV3({
      doStream: async (options) => ({ stream: streamOf(obedient(options)) }),
    });
    return { model: model as AiSdkModel, calls: model.doStreamCalls };
  },
  v4: () => {
    const calls: LanguageModelV3CallOptions[] = [];
    const model = {
      specificationVersion: "v4",
      provider: "mock",
      modelId: "four",
      supportedUrls: {},
      doStream: async (options: LanguageModelV3CallOptions) => {
        calls.push(options);
        return { stream: streamOf<unknown>([{ type: "ping" }, ...obedient(options)]) };
      },
    };
    return { model: model as AiSdkModel, calls };
  },
};
