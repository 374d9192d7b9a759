import { ConfigurationError, nearest } from "@agentpool/core";
import { idleCores } from "./idle-cores.ts";

/** How a model runs. Every setting has a default that suits a laptop. */
export interface LlamaSettings {
  /** Tokens that each session can hold. Default: what the model was trained on, at most 8,192. */
  readonly contextWindow?: number;
  /**
   * Sessions that hold their state side by side, each with memory for a whole `contextWindow`. Agents beyond that wait
   * for one that ends. Default 8.
   */
  readonly sequences?: number;
  /** Most tokens that are computed together. Default 512. */
  readonly batchSize?: number;
  /** Default: the processor's cores, save those that are busy when the model is made. */
  readonly threads?: number;
  /** Default `auto`: the best that is there. */
  readonly gpu?: "auto" | "metal" | "cuda" | "vulkan" | false;
  /** Default true. */
  readonly flashAttention?: boolean;
  /** Most tokens of one turn. Default 2,048. */
  readonly maxTokens?: number;
  /** 0 always takes the likeliest token. Default 0.7. */
  readonly temperature?: number;
  /** Decides what is chosen, as far as batches fall alike. Default 1. */
  readonly seed?: number;
  /**
   * How a turn that may call tools comes to its calls.
   *
   * - `free`: the model writes what it likes, and from the first word of a call on a grammar keeps it in form.
   * - `choose`: before it writes, it has to choose a tool or an answer in text.
   * - `always`: it has to choose a tool. For small models in pools with a terminal tool.
   *
   * Default: `free` where the chat template has a form for calls, else `choose`.
   */
  readonly calls?: "free" | "choose" | "always";
  /** Where a relative path starts. Default: the process' folder. */
  readonly cwd?: string;
  /**
   * Milliseconds that all sessions must have been at rest before one of them gives up its state to one that waits; it
   * is computed again when needed. Default 1,000.
   */
  readonly patience?: number;
}

/** Settings with their defaults, save those that the model decides. */
export interface CheckedSettings extends LlamaSettings {
  readonly sequences: number;
  readonly batchSize: number;
  readonly threads: number;
  readonly gpu: NonNullable<LlamaSettings["gpu"]>;
  readonly flashAttention: boolean;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly seed: number;
  readonly patience: number;
}

/** How many tokens a session holds where nobody says, and the model was trained on more. */
export const defaultWindow = 8_192;

const wholes = {
  contextWindow: { least: 64, most: 2 ** 24 },
  sequences: { least: 1, most: 256 },
  batchSize: { least: 8, most: 65_536 },
  threads: { least: 1, most: 1_024 },
  maxTokens: { least: 1, most: 2 ** 24 },
  seed: { least: 0, most: 2 ** 32 - 1 },
  patience: { least: 0, most: 2 ** 31 - 1 },
};
const choices = {
  gpu: ["auto", "metal", "cuda", "vulkan", false],
  flashAttention: [true, false],
  calls: ["free", "choose", "always"],
};
const known = [...Object.keys(wholes), ...Object.keys(choices), "temperature"];

/**
 * The settings with their defaults filled in.
 *
 * @throws ConfigurationError naming the setting, what was found, and what it takes.
 */
export function checkedSettings(given: LlamaSettings, cores = idleCores): CheckedSettings {
  const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  for (const [name, value] of Object.entries(settings)) {
    const takes = problemOf(name, value);
    if (takes !== undefined)
      throw new ConfigurationError(`llama settings: ${name}: found ${JSON.stringify(value)}; ${takes}.`);
  }
  return {
    sequences: 8,
    batchSize: 512,
    threads: cores(),
    gpu: "auto",
    flashAttention: true,
    maxTokens: 2_048,
    temperature: 0.7,
    seed: 1,
    patience: 1_000,
    ...settings,
  };
}

/** What a setting takes, where it was given something else. */
function problemOf(name: string, value: unknown): string | undefined {
  if (Object.hasOwn(wholes, name)) {
    const { least, most } = wholes[name as keyof typeof wholes];
    const fits = Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
    return fits ? undefined : `it takes a whole number from ${least} to ${most}`;
  }
  if (Object.hasOwn(choices, name)) {
    const accepted: readonly unknown[] = choices[name as keyof typeof choices];
    return accepted.includes(value)
      ? undefined
      : `it takes one of ${accepted.map((each) => JSON.stringify(each)).join(", ")}`;
  }
  if (name === "temperature")
    return typeof value === "number" && value >= 0 && value <= 10
      ? undefined
      : "it takes a number from 0 to 10";
  const near = nearest(name, known);
  return `there is no such setting${near ? `; did you mean ${near}?` : ""} Known are ${known.join(", ")}`;
}
