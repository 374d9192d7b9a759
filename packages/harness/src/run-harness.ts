import { type Budget, ConfigurationError, type Model, type PoolEvent, type Tool } from "@agentpool/core";
import { type Brief, research, Winding } from "@agentpool/research";
import { type Corpus, corpusTools, useCorpus } from "@agentpool/tools";
import { type Operation, scoped } from "effection";
import { withConfig } from "./config.ts";
import type { Harness } from "./harness.ts";
import { loadProgram } from "./load-program.ts";
import { misspeltNames } from "./misspelt-names.ts";
import type { HarnessProgram, PoolOptions } from "./program.ts";
import { assertBuilt } from "./unbuilt.ts";
import { useModel } from "./use-model.ts";

export interface RunOptions {
  readonly question: string;
  /** The run's id, on every event and on what is written about it. */
  readonly run: string;
  /** Sees every event as it happens. */
  readonly onEvent?: (event: PoolEvent) => void;
  /** Brings the run to an early end with what it has. */
  readonly winding?: Winding;
}

/** What a run gave: a brief, or whatever else the harness's own program answers with. */
export type Outcome =
  | { readonly type: "brief"; readonly brief: Brief }
  | { readonly type: "value"; readonly value: unknown };

/**
 * Runs a harness on a question: its own program, or the built-in research job over its documents.
 *
 * Throws `ConfigurationError` for a configuration that cannot run, before any agent starts; what a program throws is
 * thrown on.
 */
export function runHarness(harness: Harness, options: RunOptions): Operation<Outcome> {
  return scoped(function* () {
    assertBuilt(harness);
    const program = yield* loadProgram(harness);
    const corpus = harness.corpus && (yield* useCorpus(harness.corpus));
    const tools = [...(corpus ? corpusTools(corpus) : []), ...(program?.tools ?? [])];
    const notices = [...harness.notices, ...(corpus?.notices ?? []), ...misspeltNames(harness, tools)];
    for (const message of notices)
      options.onEvent?.({ type: "notice", run: options.run, at: Date.now(), message });
    return yield* withConfig(harness.config, () =>
      program
        ? ownProgram(program, { harness, options, tools })
        : builtIn({ harness, options, tools, corpus: corpus ?? noDocuments() }),
    );
  });
}

interface Parts {
  readonly harness: Harness;
  readonly options: RunOptions;
  readonly tools: readonly Tool[];
}

function* builtIn({
  harness,
  options,
  tools,
  corpus,
}: Parts & { readonly corpus: Corpus }): Operation<Outcome> {
  const { defaults, policy } = harness.config;
  const model = yield* useModel("*", harness);
  const brief = yield* research({
    ...options,
    model,
    models: {
      plan: yield* useModel("plan", harness),
      research: yield* useModel("research", harness),
      synthesis: yield* useModel("synthesis", harness),
    },
    tools,
    verifier: corpus,
    effort: defaults.effort,
    budget: chosenBudget(harness),
    guards: defaults.guards,
    deny: policy.deny,
    grants: policy.grants,
  });
  return { type: "brief", brief };
}

function* ownProgram(program: HarnessProgram, { harness, options, tools }: Parts): Operation<Outcome> {
  const { defaults, policy } = harness.config;
  const winding = options.winding ?? new Winding();
  const model: Model = yield* useModel("*", harness);
  const value = yield* program.run(options.question, {
    pool: (own: PoolOptions) => {
      const gates = {
        guards: defaults.guards,
        deny: policy.deny,
        grants: policy.grants,
        hooks: program.hooks ?? [],
      };
      const offered = own.tools ?? tools;
      return winding.run({
        model,
        budget: chosenBudget(harness),
        ...(offered.length > 0 ? { tools: offered, ...gates } : {}),
        ...own,
        run: options.run,
        ...(options.onEvent ? { onEvent: options.onEvent } : {}),
      });
    },
  });
  return isBrief(value) ? { type: "brief", brief: value } : { type: "value", value };
}

function isBrief(value: unknown): value is Brief {
  if (typeof value !== "object" || value === null) return false;
  const { question, sections, sources, totals } = value as Partial<Brief>;
  return (
    typeof question === "string" && Array.isArray(sections) && Array.isArray(sources) && totals !== undefined
  );
}

function noDocuments(): never {
  throw new ConfigurationError(
    "There are no documents to research: set tools.corpus.path in harness.yml, or give --corpus with a folder, a file or a glob.",
  );
}

/** The limits that somebody set: where nobody did, the job has its own. */
function chosenBudget(harness: Harness): Partial<Budget> {
  const { budget } = harness.config.defaults;
  const chosen = Object.keys(budget).filter(
    (name) => harness.originOf(["defaults", "budget", name], "key").type !== "default",
  );
  return Object.fromEntries(chosen.map((name) => [name, budget[name as keyof Budget]]));
}
