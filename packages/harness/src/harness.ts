import type { Budget, GuardOverrides } from "@agentpool/core";
import type { Entry } from "./merge.ts";
import type { Origin } from "./origin.ts";
import type { HarnessFile } from "./schema.ts";

/** The resolved configuration: every source merged, defaults filled in. */
export interface HarnessConfig {
  readonly question?: string;
  readonly model: string;
  readonly models: NonNullable<HarnessFile["models"]>;
  readonly providers: NonNullable<HarnessFile["providers"]>;
  readonly program?: string;
  readonly defaults: {
    readonly effort: NonNullable<NonNullable<HarnessFile["defaults"]>["effort"]>;
    /** Checked against every guard of the harness: a pool takes it even where it names guards the pool does not have. */
    readonly guards: GuardOverrides;
    readonly budget: Budget;
  };
  readonly policy: {
    readonly deny: readonly string[];
    readonly requireApproval: readonly string[];
    readonly grants: readonly string[];
    readonly review?: NonNullable<HarnessFile["policy"]>["review"];
  };
  readonly tools: NonNullable<HarnessFile["tools"]>;
  readonly store: string;
}

/** A harness as it was loaded: its configuration, and where every value of it came from. */
export interface Harness {
  readonly config: HarnessConfig;
  /** Every value with its origin, in the order of the configuration. */
  readonly entries: readonly Entry[];
  /** Where the strongest source that sets `path` sets it: the place of the value, or of its key. */
  originOf(path: readonly (string | number)[], part: "key" | "value"): Origin;
  /** The harness.yml that was read, absolute; undefined where there is none. */
  readonly file: string | undefined;
  /** Where the command was called. */
  readonly cwd: string;
  /** The documents: paths and globs, and the folder they start from. Undefined where no corpus is set. */
  readonly corpus: { readonly paths: readonly string[]; readonly cwd: string } | undefined;
  /** The program's module, absolute; undefined for the built-in research job. */
  readonly program: string | undefined;
  /** What is worth saying and stops nothing. */
  readonly notices: readonly string[];
}
