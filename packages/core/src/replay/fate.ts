/**
 * What keeps an agent from going on: a limit, by its name in a budget; or `start`: it would not have been started, since
 * the call that did is kept from running.
 */
export type ReplayedStop = "maxTurns" | "maxToolCalls" | "maxTokens" | "maxCost" | "wallClock" | "start";

/**
 * What became of a call, as far as settings go. `guard` of a refusal by the run itself is one of the reserved names:
 * `deny`, `auth_reject`, `limit`, `approval` (a person said no), `hook_error` (the guard broke).
 */
export type Fate =
  /** It ran, or would have. */
  | { readonly type: "ran" }
  | {
      readonly type: "refused" | "cancelled" | "substituted";
      readonly guard: string;
      readonly message?: string;
    }
  /** It would wait for a person, who was not asked then. What they would say is not known. */
  | { readonly type: "asked"; readonly reason: string }
  /** Its agent would not have made it: it had reported by then, or was not there. */
  | { readonly type: "unmade"; readonly by: ReplayedStop }
  /** It would have been under way when the run's time was up. */
  | { readonly type: "withdrawn"; readonly by: "wallClock" }
  /** Nothing that settings decide: on record it was withdrawn or discarded, or it cannot be read. */
  | { readonly type: "other" };
