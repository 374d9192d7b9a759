import type { Scope } from "../values/guard.ts";
import type { Args } from "../values/json.ts";
import type { Key } from "./call-args.ts";
import type { Holder, Line, Ticket } from "./line.ts";
import type { Lineage } from "./lineage.ts";

/** What a call looks at when its guards ask what was read: whose reads, and the line before it. */
export interface View {
  readonly lineage: Lineage;
  readonly cohort: Lineage;
  readonly line: Line;
  readonly holder: Holder;
  /** Its place in line; none yet at the gates, where the whole line is before it. */
  readonly ticket: Ticket | undefined;
}

/** How a keyed guard finds a call. */
export type Standing =
  | { readonly type: "free" }
  /** An equal call was read, or succeeded and will be. */
  | { readonly type: "read" }
  /** An equal call is before it in line: wait for its outcome. */
  | { readonly type: "behind"; readonly ticket: Ticket };

const FREE: Standing = { type: "free" };
const READ: Standing = { type: "read" };

/** Whether an equal call was read, or stands before this one in line. */
export function standing(view: View, scope: Scope, key: Key, value: string): Standing {
  if ((scope === "cohort" ? view.cohort : view.lineage).has(key, value)) return READ;
  let last: Ticket | undefined;
  const order = orderOf(view);
  for (const ticket of view.line.equal(key, value)) {
    if (ticket.order >= order) break;
    if (view.holder.under.includes(ticket)) return READ;
    if (!inScope(view, scope, ticket)) continue;
    if (countsAsRead(ticket)) return READ;
    last = ticket;
  }
  return last ? { type: "behind", ticket: last } : FREE;
}

/** A success counts as read from the moment it is one, not from when its agent gets to read it. */
export const countsAsRead = (ticket: Ticket): boolean => ticket.state === "succeeded";

/** The calls a guard's scope takes in: the agent's own and those it runs under, or the whole tree's. */
const inScope = (view: View, scope: Scope, ticket: Ticket): boolean =>
  scope === "cohort" || ticket.holder === view.holder || view.holder.under.includes(ticket);

const orderOf = (view: View): number => view.ticket?.order ?? Number.POSITIVE_INFINITY;

/**
 * What a guard's `attended()` shows about one tool, taken when the guard first looks and the same ever after: a guard
 * that thinks for a while is answered by one moment.
 */
export class Snapshot {
  readonly #view: View;
  readonly #scope: Scope;
  readonly #identity: string;
  #taken: { readonly read: readonly Args[]; readonly open: readonly Ticket[] } | undefined;

  constructor(view: View, scope: Scope, identity: string) {
    this.#view = view;
    this.#scope = scope;
    this.#identity = identity;
  }

  /** Whether the guard looked. One that never does can't change its mind when others read. */
  get looked(): boolean {
    return this.#taken !== undefined;
  }

  /** What was read, and what succeeded and will be. */
  attended(): readonly Args[] {
    return this.#take().read;
  }

  /** As if every earlier call in line had succeeded. */
  foreseen(): readonly Args[] {
    return [...this.#take().read, ...this.#take().open.map((ticket) => ticket.args.args)];
  }

  /** The earlier calls in line whose outcome is not known yet. */
  open(): readonly Ticket[] {
    return this.#take().open;
  }

  #take(): { readonly read: readonly Args[]; readonly open: readonly Ticket[] } {
    if (this.#taken) return this.#taken;
    const { lineage, cohort, line, holder } = this.#view;
    const read = (this.#scope === "cohort" ? cohort : lineage).attended(this.#identity);
    const open: Ticket[] = [];
    const order = orderOf(this.#view);
    for (const ticket of line.of(this.#identity)) {
      if (ticket.order >= order) break;
      if (!inScope(this.#view, this.#scope, ticket)) continue;
      if (countsAsRead(ticket) || holder.under.includes(ticket)) read.push(ticket.args.args);
      else open.push(ticket);
    }
    this.#taken = { read, open };
    return this.#taken;
  }
}
