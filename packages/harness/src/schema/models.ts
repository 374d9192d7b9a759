import { z } from "zod";
import { count, flag, key, milliseconds, text } from "./keys.ts";

export const modelName = (description: string) =>
  text(
    "a model's name: extractive, provider/model such as anthropic/claude-haiku-4-5, or llama:path.gguf",
    description,
  );

const ROUTE_KEYS = "model, reasoning, temperature, maxTokens, contextWindow, timeoutMs, price and emulate";

const dollars = (description: string) =>
  key(z.number().min(0), "US dollars per million tokens, 0 or more", description);

const emulated = key(
  z.array(z.enum(["toolChoice", "structuredOutput"])),
  "a list of toolChoice and structuredOutput",
  "What the server has no setting for, or ignores: it is said in the prompt instead.",
);

const routeSettings = key(
  z.strictObject({
    model: modelName("The model this route runs on."),
    reasoning: text(
      "an effort that the model knows, such as low or high",
      "How much the model reasons.",
    ).optional(),
    temperature: key(
      z.number().min(0).max(2),
      "a number from 0 to 2",
      "How freely the model samples.",
    ).optional(),
    maxTokens: count(1, "Most tokens of one generation.").optional(),
    contextWindow: count(
      1,
      "Tokens a conversation can hold; for servers of your own, which do not say, and models in this process.",
    ).optional(),
    timeoutMs: milliseconds("How long the provider may be silent.").optional(),
    price: key(
      z.strictObject({
        input: dollars("For what is sent."),
        output: dollars("For what is generated."),
        cached: dollars("For what is sent and served from the provider's cache.").optional(),
      }),
      "a map of input, output and cached, in US dollars per million tokens",
      "What the model costs, so that `maxCost` can be kept.",
    ).optional(),
    emulate: emulated.optional(),
  }),
  `a model's name, or a map of ${ROUTE_KEYS}`,
  "A model and its settings.",
);

const routeTarget = z.union([modelName("The model this route runs on."), routeSettings]);

export const route = key(
  z.union([routeTarget, z.array(routeTarget).min(1)]),
  `a model's name, a map of ${ROUTE_KEYS}, or a list of these, the next tried when one is down`,
  "What runs where the route matches.",
);

export const provider = key(
  z.strictObject({
    baseURL: key(
      z.url({ protocol: /^https?$/ }),
      "an http or https URL",
      "Where the provider is reached.",
    ).optional(),
    headers: key(
      z.record(z.string(), z.string()),
      "a map of header names to text",
      "Sent with every request.",
    ).optional(),
    emulate: emulated.optional(),
  }),
  "a map of baseURL, headers and emulate; keys come from the environment",
  "How a provider is reached.",
);

export const local = key(
  z.strictObject({
    contextWindow: count(
      64,
      "Tokens each agent can hold. Default: what the model was trained on, at most 8,192.",
    ).optional(),
    sequences: count(1, "Agents that hold their state side by side; more wait. Default 8.").optional(),
    batchSize: count(8, "Most tokens computed together. Default 512.").optional(),
    threads: count(1, "Default: the processor's cores that are not busy.").optional(),
    gpu: key(
      z.union([z.enum(["auto", "metal", "cuda", "vulkan"]), z.literal(false)]),
      "auto, metal, cuda, vulkan or false",
      "What computes. Default auto.",
    ).optional(),
    flashAttention: flag("A faster way to compute attention. Default true.").optional(),
    maxTokens: count(1, "Most tokens of one turn. Default 2,048.").optional(),
    temperature: key(z.number().min(0).max(2), "a number from 0 to 2", "Default 0.7.").optional(),
    seed: count(0, "Decides what is chosen. Default 1.").optional(),
    calls: key(
      z.enum(["free", "choose", "always"]),
      "free, choose or always",
      "How a turn comes to its calls: as the model likes, by a choice it has to make first, or always.",
    ).optional(),
  }),
  "a map of contextWindow, sequences, batchSize, threads, gpu, flashAttention, maxTokens, temperature, seed and calls",
  "How models in this process run.",
);
