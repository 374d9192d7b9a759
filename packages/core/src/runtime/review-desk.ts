import type { Operation } from "effection";
import { copy } from "../decisions/copy.ts";
import { spentBy } from "../decisions/spend.ts";
import type { Agent } from "../values/agent.ts";
import { ConfigurationError } from "../values/errors.ts";
import type { ToolLifecycleHooks } from "../values/hooks.ts";
import type {
  RecordedReview,
  ReviewedInput,
  ReviewHappening,
  ReviewingInput,
  ReviewSubject,
} from "../values/review.ts";
import type { ReviewDesk } from "../values/reviewer.ts";
import { type AgentState, stateOf } from "./agent-state.ts";
import { askHook } from "./ask-hooks.ts";
import { consult } from "./consult.ts";
import { Transcript } from "./transcript.ts";

/** What pools lend to those who review for them. It has no state: an agent knows its pool. */
export const reviewDesk: ReviewDesk = {
  conversation(agent, upTo) {
    const { session, step } = known(agent);
    if (!(session instanceof Transcript)) return [];
    return session.upTo(upTo === "step" ? step?.mark : undefined);
  },
  instructions(agent) {
    const { pool, options } = known(agent);
    return [pool.prefix.system, ...pool.instructions, options.system ?? ""].filter(
      (text) => text.trim() !== "",
    );
  },
  tools(agent) {
    const { pool, options } = known(agent);
    return pool.prefix.tools.flatMap((schema) => {
      const bound = options.tools.get(schema.name);
      return bound ? [{ ...schema, identity: bound.identity }] : [];
    });
  },
  consult: (agent, how, body) => consult(known(agent), how, body),
  costOf: ({ price }, usage) => price && spentBy(usage, price).cost,
  recorded(agent, turn) {
    const turns = known(agent).past?.turns;
    const found: RecordedReview[] = [];
    for (let attempt = 0; turns?.has(`${turn}.${attempt}`); attempt++)
      found.push(...turns.get(`${turn}.${attempt}`)!.reviews);
    return found;
  },
  recall(agent, turn, attempt, is) {
    const reviews = known(agent).past?.turns.get(`${turn}.${attempt}`)?.reviews;
    const at = reviews?.findIndex(is) ?? -1;
    return at < 0 ? undefined : (reviews!.splice(at, 1)[0] as Extract<RecordedReview, ReturnType<typeof is>>);
  },
  *record(view, happening) {
    const agent = known(view);
    agent.pool.run.emit({ ...happening, agent: agent.key });
    yield* show(agent, happening);
  },
};

function known(agent: Agent): AgentState {
  const state = stateOf(agent);
  if (!state) throw new ConfigurationError("review: that is not an agent of this run.");
  return state;
}

/** Those who observe reviews are shown one as it begins and as it ends. Nothing that they do stops it. */
function* show(agent: AgentState, happening: ReviewHappening): Operation<void> {
  const { type } = happening;
  if (type === "review:matched" || type === "review:skipped") return;
  const { calls } = happening;
  const moment = type === "review:started" ? "onReviewing" : "onReviewed";
  for (const hook of observersOf(agent, happening))
    if (hook[moment])
      yield* askHook(hook, {
        agent,
        call: calls[0]?.id,
        moment,
        input: () => (type === "review:started" ? begun(agent, happening) : ended(agent, happening)),
        read: () => undefined,
      });
}

/** The harness's hooks, then those of the tools that are called. */
function observersOf({ pool, options }: AgentState, { calls }: ReviewSubject): Iterable<ToolLifecycleHooks> {
  const observers = new Set(pool.hooks);
  for (const { tool } of calls) for (const hook of options.tools.get(tool)?.hooks ?? []) observers.add(hook);
  return observers;
}

const begun = (agent: AgentState, subject: ReviewSubject): ReviewingInput => ({
  agent: agent.view,
  run: agent.pool.run.id,
  subject: subject.subject,
  turn: subject.turn,
  attempt: subject.attempt,
  asked: copy(subject.asked),
  calls: copy(subject.calls),
  report: copy(subject.report),
});

function ended(
  agent: AgentState,
  review: Extract<ReviewHappening, { type: "review:passed" | "review:restarted" | "review:failed" }>,
): ReviewedInput {
  return {
    ...begun(agent, review),
    passed: review.type === "review:passed",
    todo: review.type === "review:passed" ? review.todo : undefined,
    adjustedReasoning: review.type === "review:passed" ? undefined : review.adjustedReasoning,
    error: review.type === "review:failed" ? { problem: review.problem, message: review.message } : undefined,
  };
}
