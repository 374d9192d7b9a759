/** How hard a turn is tried at, from least to most. */
export const EFFORTS = ["min", "low", "medium", "high", "max"] as const;
export type Effort = (typeof EFFORTS)[number];

/** The higher of two efforts. */
export const hardest = (a: Effort, b: Effort): Effort => (EFFORTS.indexOf(a) > EFFORTS.indexOf(b) ? a : b);

/** How much a rule matters. */
export const WEIGHTS = ["low", "medium", "high"] as const;
export type Weight = (typeof WEIGHTS)[number];

/** What is reviewed: a step's calls before any runs (`true`), the report before it is returned (`messages`), or both. */
export type ReviewScope = boolean | "messages" | "all";

export const asksForSteps = (scope: ReviewScope | undefined): boolean => scope === true || scope === "all";
export const asksForReports = (scope: ReviewScope | undefined): boolean =>
  scope === "messages" || scope === "all";

/** Both of two scopes: nothing takes back what the other asks for. */
export function widest(a: ReviewScope, b: ReviewScope): ReviewScope {
  const steps = asksForSteps(a) || asksForSteps(b);
  const reports = asksForReports(a) || asksForReports(b);
  return steps && reports ? "all" : reports ? "messages" : steps;
}

/** Which tools of an MCP server are consequential: those that declare themselves destructive, all, or none. */
export type ServedConsequences = "destructive" | "all" | "none";

/** The mark that a served tool gets; undefined: what it declares itself. */
export const consequentialBy = (setting: ServedConsequences = "destructive"): boolean | undefined =>
  setting === "destructive" ? undefined : setting === "all";

/** Something agents keep to. Its content enters the instructions of the turns that it applies to. */
export interface Rule {
  /** How it is named on record. */
  readonly title: string;
  /** A policy says what to do; an observation only names a situation. */
  readonly content: string;
  /** Default `policy`. */
  readonly kind?: "policy" | "observation";
  /**
   * When it applies, in words. A rule that has it, asks for a review, raises the effort or is an observation is held
   * against the conversation before each turn; any other applies to every turn.
   */
  readonly when?: string;
  /** Names or patterns of the tools it is about: where an agent has none of them it does not apply. */
  readonly tools?: readonly string[];
  /** Default `medium`. Reviews under rules of high weight are more thorough. */
  readonly weight?: Weight;
  /** The least effort of turns that it applies to. */
  readonly effort?: Effort;
  /** What is reviewed on turns that it applies to. Default nothing. */
  readonly review?: ReviewScope;
}
