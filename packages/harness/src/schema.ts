import { storePlace } from "@agentpool/journal";
import { z } from "zod";
import { budget } from "./schema/budget.ts";
import { effort } from "./schema/effort.ts";
import { guard } from "./schema/guard.ts";
import { key, milliseconds, names, text } from "./schema/keys.ts";
import { local, modelName, provider, route } from "./schema/models.ts";
import { restarts, rule, scope } from "./schema/review.ts";
import { corpus, mcpServer } from "./schema/tools.ts";

function isStore(url: string): boolean {
  if (url === "none") return true;
  try {
    storePlace(url);
    return true;
  } catch {
    return false;
  }
}

/** `harness.yml` as it may be written: every key may be left out. */
export const harnessSchema = z
  .strictObject({
    question: text("a question", "What `pool run` asks when it is given no question.").optional(),
    model: modelName("The model of every agent that no route gives another.").optional(),
    models: key(
      z.record(z.string().min(1), route),
      'a map of routes to models, such as { "review.*": anthropic/claude-haiku-4-5 }',
      "Models by what they are asked for; the most specific route that matches wins.",
    ).optional(),
    providers: key(
      z.strictObject({
        anthropic: provider.optional(),
        openai: provider.optional(),
        google: provider.optional(),
        ollama: provider.optional(),
        "openai-compatible": provider.optional(),
        llama: local.optional(),
      }),
      "a map of anthropic, openai, google, ollama, openai-compatible and llama",
      "How providers are reached. Their keys come from the environment.",
    ).optional(),
    program: text(
      "a path to a TypeScript or JavaScript module",
      "A harness of your own: a module with `export default defineHarness({ … })`. Without it the built-in research job runs.",
    ).optional(),
    defaults: key(
      z.strictObject({
        effort: effort("How hard agents and reviews try; at min no reviews run.").optional(),
        guards: key(
          z.record(z.string(), guard),
          "a map of guard names to false or { scope }",
          "Guards by name: widened or switched off.",
        ).optional(),
        budget: budget.optional(),
      }),
      "a map of effort, guards and budget",
      "What every pool of the run starts with.",
    ).optional(),
    policy: key(
      z.strictObject({
        deny: names("tool names, identities or patterns", "Tools that may never run.").optional(),
        requireApproval: names(
          "tool names, identities or patterns",
          "Tools that a person approves each time.",
        ).optional(),
        grants: names("tool names", "Protected tools that this run may call.").optional(),
        review: key(
          z.strictObject({
            agent: scope(
              "What is reviewed whatever rules say: every step before its calls run (true), every report before it is returned (messages), or both (all).",
            ).optional(),
            tools: names(
              "tool names, identities or patterns",
              "Consequential tools: every step that calls one is reviewed.",
            ).optional(),
            rules: key(
              z.array(rule),
              "a list of rules",
              "What agents keep to, and are judged by.",
            ).optional(),
            restarts: restarts("Steps of an agent's task that may be sent back, by effort.").optional(),
            reportRestarts: restarts("Reports of an agent that may be sent back, by effort.").optional(),
            timeoutMs: milliseconds("What a review may take, waits not counted. Default 60,000.").optional(),
          }),
          "a map of agent, tools, rules, restarts, reportRestarts and timeoutMs",
          "What a second model judges before it runs, or before it is returned. It needs a model for review.tools, review.rules and review.messages, as far as they are asked for.",
        ).optional(),
      }),
      "a map of deny, requireApproval, grants and review",
      "What may run.",
    ).optional(),
    tools: key(
      z.strictObject({
        corpus: corpus.optional(),
        web: key(
          z.strictObject({ search: text("a search engine's name", "Where searches go.").optional() }),
          "a map with search",
          "The web.",
        ).optional(),
        mcp: key(
          z.strictObject({
            servers: key(
              z.record(z.string().min(1), mcpServer),
              "a map of names to servers",
              "MCP servers by name.",
            ).optional(),
          }),
          "a map with servers",
          "Tools served by MCP servers.",
        ).optional(),
      }),
      "a map of corpus, web and mcp",
      "What agents can use.",
    ).optional(),
    store: key(
      z.string().refine(isStore, { error: "is no store" }),
      "none, sqlite:PATH or postgres://…",
      "Where runs are recorded: a file, a PostgreSQL server, or nowhere. A relative path starts from this file's folder.",
    ).optional(),
  })
  .meta({
    title: "harness.yml",
    description: "A harness: the model, the tools, the guards and the limits of a run.",
    takes: "a map of keys",
  });

/** A harness file's value, validated: what is left out is undefined. */
export type HarnessFile = z.infer<typeof harnessSchema>;
