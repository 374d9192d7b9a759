import {
  type Agent,
  type RecordedReview,
  type ReviewDesk,
  type ReviewFailure,
  type Rule,
  useClock,
} from "@agentpool/core";
import type { Operation } from "effection";
import { consultTwice } from "./consult-twice.ts";
import { excerptOf } from "./conversation.ts";
import { modelFor, type ReviewAt } from "./models.ts";
import type { Options } from "./options.ts";
import { describeRules } from "./prompts/describe.ts";
import { RULES_SYSTEM } from "./prompts/words.ts";
import { isAbout, isConditional } from "./rules.ts";
import { matchForm, readMatch } from "./verdict.ts";

/**
 * Which rules apply to an agent's turn: all that have a condition are put to one model at once, with the conversation
 * as it stands. Where nobody can say, all of them apply: more is reviewed, not less.
 */
export function* matchRules(
  desk: ReviewDesk,
  options: Options,
  {
    agent,
    turn,
    rules,
    at,
  }: {
    readonly agent: Agent;
    readonly turn: number;
    readonly rules: readonly Rule[];
    readonly at: ReviewAt;
  },
): Operation<readonly Rule[]> {
  const possible = possibleRules(desk, agent, rules);
  const conditional = possible.filter(isConditional);
  if (conditional.length === 0) return possible;
  const known = desk.recall(agent, turn, 0, isMatch);
  if (known) return possible.filter((rule) => !isConditional(rule) || known.matched.includes(rule.title));
  const model = modelFor(options.models, "review.rules", at);
  if (!model) return possible;
  const named = conditional.map((rule, index) => ({ id: `r${index + 1}`, rule }));
  const clock = yield* useClock();
  const since = clock.now();
  const { answer, usage } = yield* consultTwice(desk, agent, {
    as: "rules",
    model,
    system: RULES_SYSTEM,
    timeoutMs: options.timeoutMs,
    text: describeRules(named, {
      task: agent.task,
      conversation: excerptOf(desk.conversation(agent, "now"), options.tokensFor(model)),
    }),
    form: matchForm,
    read: (text) =>
      readMatch(
        text,
        named.map(({ id }) => id),
      ),
  });
  const failure: ReviewFailure | undefined = answer.type === "failed" ? answer.failure : undefined;
  const matched =
    answer.type === "failed"
      ? conditional
      : named.flatMap(({ id, rule }) => (answer.value.includes(id) ? [rule] : []));
  yield* desk.record(agent, {
    type: "review:matched",
    turn,
    checked: conditional.map(({ title }) => title),
    matched: matched.map(({ title }) => title),
    failure,
    model: model.id,
    usage,
    cost: desk.costOf(model, usage),
    ms: clock.now() - since,
  });
  return possible.filter((rule) => !conditional.includes(rule) || matched.includes(rule));
}

/** The rules that can apply to an agent: those about tools that it does not have cannot. */
export function possibleRules(desk: ReviewDesk, agent: Agent, rules: readonly Rule[]): readonly Rule[] {
  const having = desk.tools(agent);
  return rules.filter((rule) => isAbout(rule, having));
}

const isMatch = (review: RecordedReview): review is Extract<RecordedReview, { type: "review:matched" }> =>
  review.type === "review:matched";
