import type { ApprovalDecision } from "@agentpool/core";
import { type Operation, until } from "effection";
import type { RedactSecrets } from "../decisions/redact-secrets.ts";
import type { Engine } from "../engine/engine.ts";
import type { ApprovalView } from "../values/views.ts";
import { decide } from "./decide.ts";
import { type ApprovalFilter, listApprovals } from "./list-approvals.ts";
import type { StoreParts } from "./store.ts";

/**
 * The calls of recorded runs that wait for people, decided on from any process, whether their run is running or not.
 * The first decision stands; who comes later gets a `DecisionError`.
 */
export class StoredApprovals {
  readonly #engine: Engine;
  readonly #now: () => number;
  readonly #redact: RedactSecrets;

  constructor({ engine, now, redact }: StoreParts) {
    this.#engine = engine;
    this.#now = now;
    this.#redact = redact;
  }

  /** Oldest first. Default: of every run, decided ones too. */
  *list(filter: ApprovalFilter = {}): Operation<ApprovalView[]> {
    return yield* until(this.#engine.snapshot((reader) => listApprovals(reader, filter)));
  }

  /** Lets a call run. `id` may be abbreviated; `by` says who decided. Throws `DecisionError`. */
  approve(id: string, { by = null }: { readonly by?: string | null } = {}): Operation<ApprovalView> {
    return this.#decide(id, { type: "approved" }, by);
  }

  /** Refuses a call; the model reads the reason. Throws `DecisionError`. */
  deny(
    id: string,
    { reason, by = null }: { readonly reason?: string; readonly by?: string | null } = {},
  ): Operation<ApprovalView> {
    return this.#decide(id, { type: "denied", ...(reason === undefined ? {} : { reason }) }, by);
  }

  *#decide(id: string, made: ApprovalDecision, by: string | null): Operation<ApprovalView> {
    const decision = JSON.parse(this.#redact(JSON.stringify(made))) as ApprovalDecision;
    return yield* until(decide(this.#engine, id, { decision, by }, this.#now()));
  }
}
