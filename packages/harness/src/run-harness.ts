import {
  type ApprovalDesk,
  type Budget,
  ConfigurationError,
  JournalContext,
  misspeltGuardTools,
  type PoolEvent,
  type Tool,
  type ToolLifecycleHooks,
} from "@agentpool/core";
import type { RunJournal } from "@agentpool/journal";
import { type Brief, research, Winding } from "@agentpool/research";
import type { Corpus } from "@agentpool/tools";
import { type Operation, scoped } from "effection";
import { answerOf } from "./answer-of.ts";
import { withConfig } from "./config.ts";
import type { Harness } from "./harness.ts";
import { misspeltNames } from "./misspelt-names.ts";
import { type Models, type ModelsOptions, useModels } from "./models.ts";
import type { ProgramContext } from "./program.ts";
import { type Recorder, recorderOf } from "./record-run.ts";
import { type Reviewing, reviewedToo, useReviews } from "./reviews.ts";
import { assertServedNames } from "./served-names.ts";
import { tightened } from "./tightened.ts";
import { assertBuilt } from "./unbuilt.ts";
import { useTools } from "./use-tools.ts";

export interface RunOptions {
  readonly question: string;
  /** The run's id, on every event and on what is written about it. */
  readonly run: string;
  /** Sees every event as it happens. */
  readonly onEvent?: (event: PoolEvent) => void;
  /** Told now and then, while documents are read into their index, how many files are done. */
  readonly onReading?: (done: number, total: number) => void;
  /** Where calls that need a person wait for one. Nobody answers there: they wait until the run winds down. */
  readonly approvals?: ApprovalDesk;
  /** Brings the run to an early end with what it has. */
  readonly winding?: Winding;
  /** Where the run is recorded, and taken up from. */
  readonly journal?: RunJournal;
  /** What the record says that the run can be taken up with. JSON. */
  readonly settings?: unknown;
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
export function runHarness(harness: Harness, given: RunOptions): Operation<Outcome> {
  return scoped(function* () {
    assertBuilt(harness);
    const { options, recorder } = yield* onRecord(given);
    const onNotice = (message: string) =>
      options.onEvent?.({ type: "notice", run: options.run, at: Date.now(), message });
    const used = yield* useTools(harness, { ...options, onNotice });
    const { program, corpus, tools } = used;
    assertServedNames(harness, tools);
    const hooks = [...tools.flatMap((tool) => tool.hooks ?? []), ...(program?.hooks ?? [])];
    const misspelt = [...misspeltNames(harness, tools), ...misspeltGuardTools(hooks, tools)];
    const notices = [...harness.notices, ...used.notices, ...misspelt];
    for (const message of notices) onNotice(message);
    const reached: ModelsOptions = {
      // those of agents are events of their pools
      onFallback: (event) => {
        if (event.agent === undefined) options.onEvent?.({ ...event, run: options.run, at: Date.now() });
      },
    };
    const models = yield* useModels(harness, reached);
    const reviews = yield* useReviews(harness, reached);
    const jobs = jobsOf({ harness, options, models, reviews, tools, corpus, hooks: program?.hooks ?? [] });
    if (!program && tools.length === 0) throw nothingToResearch();
    const body = withConfig(harness.config, function* (): Operation<Outcome> {
      if (!program) return { type: "brief", brief: yield* jobs.research() };
      const value = yield* answerOf(program, options.question, jobs);
      return isBrief(value) ? { type: "brief", brief: value } : { type: "value", value };
    });
    return yield* recorder ? recorder.around(body) : body;
  });
}

/** Every pool of this scope is on the run's record, and the recorder sees what happens in them. */
function* onRecord(
  options: RunOptions,
): Operation<{ readonly options: RunOptions; readonly recorder?: Recorder }> {
  const { journal, run, question, settings = {}, winding = new Winding() } = options;
  if (!journal) return { options };
  yield* JournalContext.set(journal);
  const recorder = recorderOf({ journal, run, question, settings, winding });
  const onEvent = (event: PoolEvent) => {
    recorder.observe(event);
    options.onEvent?.(event);
  };
  return { options: { ...options, winding, onEvent }, recorder };
}

interface Parts {
  readonly harness: Harness;
  readonly options: RunOptions;
  readonly models: Models;
  readonly reviews: Reviewing;
  readonly tools: readonly Tool[];
  readonly corpus: Corpus | undefined;
  readonly hooks: readonly ToolLifecycleHooks[];
}

/** What a harness can run, with everything that it says. */
function jobsOf({ harness, options, models, reviews, tools, corpus, hooks }: Parts): ProgramContext {
  const { defaults, policy } = harness.config;
  const winding = options.winding ?? new Winding();
  const { modelFor } = models;
  const watched = { run: options.run, ...(options.onEvent ? { onEvent: options.onEvent } : {}) };
  const { deny, requireApproval, grants } = policy;
  const { approvals } = options;
  const gates = {
    guards: defaults.guards,
    deny,
    requireApproval,
    grants,
    hooks,
    ...(approvals ? { approvals } : {}),
  };
  const budget = chosenBudget(harness);
  return {
    tools,
    modelFor,
    pool({ route, ...own }) {
      const offered = own.tools ?? tools;
      const gated = offered.length > 0 ? { tools: offered, ...gates } : {};
      const all = own.terminal ? [...offered, own.terminal] : offered;
      return winding.run({
        budget,
        ...gated,
        ...own,
        ...tightened({ hooks, ...(offered.length > 0 ? policy : {}) }, own, all),
        ...reviewedToo(reviews, own, all),
        ...watched,
        model: own.model ?? modelFor(route ?? "*"),
      });
    },
    research(own = {}) {
      const reviewed = reviewedToo(reviews, own, own.tools ?? tools);
      return research({
        question: options.question,
        tools,
        ...gates,
        budget,
        ...(corpus ? { verifier: corpus } : {}),
        ...own,
        ...tightened(gates, own, own.tools ?? tools),
        ...reviewed,
        // the job itself may be done with less effort than its reviews
        effort: own.effort ?? defaults.effort,
        reviewEffort: reviewed.effort,
        ...watched,
        ...(own.model
          ? { model: own.model }
          : { model: modelFor("research"), models: { ...stages(modelFor), ...own.models } }),
        winding,
      });
    },
  };
}

const stages = (modelFor: Models["modelFor"]) => ({
  plan: modelFor("plan"),
  research: modelFor("research"),
  synthesis: modelFor("synthesis"),
});

function isBrief(value: unknown): value is Brief {
  if (typeof value !== "object" || value === null) return false;
  const { question, sections, sources, totals } = value as Partial<Brief>;
  return (
    typeof question === "string" && Array.isArray(sections) && Array.isArray(sources) && totals !== undefined
  );
}

const nothingToResearch = () =>
  new ConfigurationError(
    "There are no documents to research: set tools.corpus.path in harness.yml, or give --corpus with a folder, a file or a glob; or name MCP servers that have some in tools.mcp.servers.",
  );

/** The limits that somebody set: where nobody did, the job has its own. */
function chosenBudget(harness: Harness): Partial<Budget> {
  const { budget } = harness.config.defaults;
  const chosen = Object.keys(budget).filter(
    (name) => harness.originOf(["defaults", "budget", name], "key").type !== "default",
  );
  return Object.fromEntries(chosen.map((name) => [name, budget[name as keyof Budget]]));
}
