import type {
  Agent,
  Effort,
  Model,
  ReviewDesk,
  ReviewRoute,
  ReviewSubject,
  ReviewsAsked,
} from "@agentpool/core";
import type { Operation } from "effection";
import type { Depth } from "./effort.ts";
import { modelFor } from "./models.ts";
import type { Options } from "./options.ts";
import { keyOf } from "./recorded.ts";
import { type Ruling, review } from "./review.ts";
import type { ReviewedTurn, Turns } from "./turns.ts";

/** What the reviews of a pool have in common. */
export interface Bench {
  readonly desk: ReviewDesk;
  readonly options: Options;
  readonly asked: ReviewsAsked;
  readonly turns: Turns;
}

/** What a kind of review asks, of whom, and how often it may send something back. */
export interface Kind {
  readonly route: ReviewRoute;
  /** How its model is named in the agent's keys. */
  readonly as: string;
  readonly system: string;
  readonly limits: Readonly<Record<Effort, number>>;
  describe(model: Model, depth: Depth): string;
}

/** Something that an agent wants to do in a turn, and what of that kind was sent back before. */
export interface Matter {
  readonly agent: Agent;
  readonly current: ReviewedTurn;
  readonly subject: ReviewSubject;
  readonly restarts: number;
  /** Whether it stands whatever a review would say. */
  readonly isFinal?: boolean;
}

/** Judges what somebody asks to have reviewed; undefined: nobody does, or no review runs, which is on record. */
export function* judge({ desk, options }: Bench, matter: Matter, kind: Kind): Operation<Ruling | undefined> {
  const { agent, subject, restarts, isFinal = false } = matter;
  const { effort, applying, breaches } = matter.current;
  if (subject.asked.length === 0) return undefined;
  if (effort === "min" || isFinal) {
    const reason = effort === "min" ? "effort" : "final";
    yield* desk.record(agent, { type: "review:skipped", ...subject, reason });
    return undefined;
  }
  const key = keyOf(subject);
  const ruling = yield* review(desk, {
    ...kind,
    agent,
    subject,
    applying,
    effort,
    restarts,
    limit: kind.limits[effort],
    remembered: breaches.get(key),
    timeoutMs: options.timeoutMs,
    modelAt: (depth) => modelFor(options.models, kind.route, { effort, depth }),
  });
  if (ruling.type === "restart") breaches.set(key, { type: "breach", reasoning: ruling.reasoning });
  return ruling;
}
