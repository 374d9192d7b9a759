import type { Agent } from "./agent.ts";
import type { Answerable, Decision } from "./answer.ts";
import type { CallInfo } from "./call.ts";
import type { Args } from "./json.ts";
import type { ToolMeta, ToolSource } from "./tool.ts";

/** What a guard is asked about. */
export interface GuardInput {
  /** The name the model used; of a call that was rewritten, the name of what it became. */
  readonly tool: string;
  /** The canonical name: `local:fetch_page`. */
  readonly identity: string;
  /** A copy: changing it changes nothing. */
  readonly args: Args;
  /**
   * Arguments, as executed, of this tool's calls whose results were read in the guard's scope. A success not yet
   * read counts. Computed only if asked.
   */
  attended(): readonly Args[];
  /** Arguments of this tool's calls that are running in the guard's scope. */
  inFlight(): readonly Args[];
  readonly agent: Agent;
  readonly call: CallInfo;
  readonly run: string;
  readonly source: ToolSource;
  /** A copy of what the tool's server declared; `annotations` is null where it sent none. */
  readonly meta: ToolMeta;
}

interface GuardBase {
  /** Published: the key in `harness.yml` and the value on the record. Renaming it is a breaking change. */
  readonly name: string;
  /** Names or identities of the tools it gates. Default: on a tool's own hooks that tool, else every tool. */
  readonly tools?: readonly string[];
  /** What a throw, a missed deadline or a malformed answer does. Default `refuse`. */
  readonly onError?: "refuse" | "proceed";
  /** Milliseconds it may take. Default 30,000. */
  readonly timeoutMs?: number;
}

/** Refuses with one message. `reject` must be pure: it may be asked several times about one call. */
export interface PredicateGuard extends GuardBase {
  reject(input: GuardInput): Answerable<boolean>;
  readonly message: string;
}

/** Answers more richly: {@link refuse}, {@link cancel}, {@link substitute},
 * {@link requireApproval}, or undefined to abstain. */
export interface DecidingGuard extends GuardBase {
  decide(input: GuardInput): Answerable<Decision>;
}

/** Refuses what was already read, by key, from an index in constant time. Made by {@link dedup}. */
export interface KeyedGuard extends GuardBase {
  /** What must not be repeated; undefined: not keyable, never blocked. Compared canonically. */
  key(args: Args): unknown;
  readonly message: string;
}

/** A bare function: a deciding guard named after itself. */
export type GuardFunction = (input: GuardInput) => Answerable<Decision>;

export type ToolGuard = PredicateGuard | DecidingGuard | KeyedGuard | GuardFunction;

/** Whose reads a guard looks at: the agent and its ancestors up to their forks, or the whole tree of pools. */
export type Scope = "lineage" | "cohort";

/** By guard name: `false` switches off, `{ scope: "cohort" }` widens. */
export type GuardOverrides = { readonly [name: string]: false | { readonly scope?: Scope } };
