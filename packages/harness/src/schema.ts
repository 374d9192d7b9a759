import { storePlace } from "@agentpool/journal";
import { z } from "zod";

/** What a key of `harness.yml` is for, as editors show it, and what it takes, as errors say it. */
interface KeyMeta {
  readonly description: string;
  readonly takes: string;
}

const key = <S extends z.ZodType>(schema: S, takes: string, description: string): S =>
  schema.meta({ description, takes } satisfies KeyMeta);

const text = (takes: string, description: string) =>
  key(
    z.string().refine((value) => value.trim() !== "", { error: "is empty" }),
    takes,
    description,
  );
function isStore(url: string): boolean {
  if (url === "none") return true;
  try {
    storePlace(url);
    return true;
  } catch {
    return false;
  }
}
const names = (what: string, description: string) =>
  key(z.array(z.string().min(1)), `a list of ${what}`, description);
const flag = (description: string) => key(z.boolean(), "true or false", description);
const count = (minimum: number, description: string) =>
  key(z.int().min(minimum), `a whole number, ${minimum} or more`, description);
const share = (description: string) =>
  key(z.number().gt(0).max(1), "a share of the model's window, above 0 and at most 1", description);
const milliseconds = (description: string) => key(z.int().min(1), "milliseconds, 1 or more", description);

const modelName = (description: string) =>
  text(
    "a model's name: extractive, provider/model such as anthropic/claude-haiku-4-5, or llama:path.gguf",
    description,
  );

export const EFFORTS = ["min", "low", "medium", "high", "max"] as const;

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
const route = key(
  z.union([routeTarget, z.array(routeTarget).min(1)]),
  `a model's name, a map of ${ROUTE_KEYS}, or a list of these, the next tried when one is down`,
  "What runs where the route matches.",
);

const provider = key(
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

const local = key(
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

const guard = key(
  z.union([
    z.literal(false),
    z.strictObject({
      scope: key(
        z.enum(["lineage", "cohort"]),
        "lineage or cohort",
        "Whose reads the guard looks at: the agent's own and its ancestors', or everybody's.",
      ).optional(),
    }),
  ]),
  "false, or { scope: lineage } or { scope: cohort }",
  "Switches a guard off, or says whose reads it looks at.",
);

const budget = key(
  z.strictObject({
    maxTurns: count(1, "Generations per agent; the forced report is one beyond.").optional(),
    maxToolCalls: count(1, "Calls that execute, per agent.").optional(),
    maxCallsPerTool: key(
      z.record(z.string(), z.int().min(0)),
      "a map of tool names to whole numbers",
      "Calls that execute, per agent and tool.",
    ).optional(),
    maxToolRetries: count(0, "Parked retries per call.").optional(),
    runRetries: count(0, "Parked retries per run.").optional(),
    concurrentTools: count(1, "Tools executing at once in the run.").optional(),
    concurrentGenerations: count(1, "Generations at once in the run.").optional(),
    maxTokens: count(1, "Tokens the run may use.").optional(),
    maxCost: key(z.number().gt(0), "US dollars, above 0", "What the run may cost.").optional(),
    wallClock: key(
      z.strictObject({
        soft: milliseconds("When the run winds down.").optional(),
        hard: milliseconds("When the run ends.").optional(),
      }),
      "a map of soft and hard, in milliseconds",
      "How long the run may take.",
    ).optional(),
    context: key(
      z.strictObject({
        soft: share("From where results wait and agents are told to report.").optional(),
        hard: share("What an agent may fill before it has to report.").optional(),
      }),
      "a map of soft and hard",
      "Shares of the model's window.",
    ).optional(),
    maxAgents: count(1, "Agents in the run.").optional(),
    maxDepth: count(0, "Pools nested in pools.").optional(),
  }),
  "a map of limits, such as { maxTurns: 10 }",
  "Limits of agents and of the run.",
);

const scope = (description: string) =>
  key(z.union([z.boolean(), z.enum(["messages", "all"])]), "true, false, messages or all", description);

const effort = (description: string) => key(z.enum(EFFORTS), `one of ${EFFORTS.join(", ")}`, description);

const rule = key(
  z.strictObject({
    title: text("text", "How the rule is named on record."),
    content: text("text", "What a policy says to do, or the situation that an observation names."),
    when: text(
      "text",
      "When it applies, in words: held against the conversation before each turn.",
    ).optional(),
    kind: key(
      z.enum(["policy", "observation"]),
      "policy or observation",
      "Whether it says what to do, or only names a situation.",
    ).optional(),
    tools: names(
      "tool names, identities or patterns",
      "The tools it is about: where an agent has none of them it does not apply.",
    ).optional(),
    weight: key(z.enum(["low", "medium", "high"]), "low, medium or high", "How much it matters.").optional(),
    effort: effort("The least effort of turns that it applies to.").optional(),
    review: scope(
      "What is reviewed on turns that it applies to: their steps (true), their report (messages), or both (all).",
    ).optional(),
  }),
  "a map of title, content, when, kind, tools, weight, effort and review",
  "Something agents keep to. Its content enters the instructions of the turns that it applies to.",
);

const restarts = (description: string) =>
  key(
    z.strictObject({
      low: count(0, "At effort low. Default 2.").optional(),
      medium: count(0, "At effort medium. Default 3.").optional(),
      high: count(0, "At effort high. Default 5.").optional(),
      max: count(0, "At effort max. Default 10.").optional(),
    }),
    "a map of low, medium, high and max",
    description,
  );

const reference = `what stands in the environment is written \${NAME}`;
const servedNames = (description: string) => names("names of its tools, * for any part", description);

const mcpServer = key(
  z.strictObject({
    command: text("a program", "The program that is the server.").optional(),
    args: names("arguments", `Its arguments; ${reference}.`).optional(),
    env: key(
      z.record(z.string(), z.string()),
      "a map of names to text",
      `Its environment, beside PATH, HOME and the like; ${reference}.`,
    ).optional(),
    cwd: text("a folder", "Where it runs, from this file's folder, which is the default.").optional(),
    url: key(
      z.url({ protocol: /^https?$/ }),
      "an http or https URL",
      `Where the server is reached, over streamable HTTP; ${reference}.`,
    ).optional(),
    headers: key(
      z.record(z.string(), z.string()),
      "a map of header names to text",
      `Sent with every request; ${reference}.`,
    ).optional(),
    tools: servedNames("Its tools that agents have. Default: all that it lists.").optional(),
    protected: servedNames("Its tools that run only where policy.grants has them.").optional(),
    consequential: key(
      z.enum(["destructive", "all", "none"]),
      "destructive, all or none",
      "Which of its tools are consequential, so that steps that call them are reviewed: those that declare themselves destructive (the default), all, or none.",
    ).optional(),
    timeoutMs: milliseconds("What a call of its tools may take. Default 120,000.").optional(),
    startTimeoutMs: milliseconds(
      "How long it may take until it has listed its tools. Default 60,000.",
    ).optional(),
  }),
  "a map of command, args, env and cwd, or of url and headers; and of tools, protected, consequential, timeoutMs and startTimeoutMs",
  "An MCP server.",
);

const corpus = key(
  z.strictObject({
    path: key(
      z.union([
        text("a path", "A folder, a file or a glob."),
        z.array(text("a path", "A folder, a file or a glob.")).min(1),
      ]),
      "a folder, a file, a glob, or a list of them",
      "The documents, from the folder of this file.",
    ),
  }),
  "a map with path",
  "Documents to research.",
);

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
