import type { Operation } from "effection";
import { isMessage, readAnswer } from "../decisions/answers.ts";
import { words } from "../decisions/words.ts";
import type { Outcome } from "../values/call.ts";
import type { ProposeAnswer, ToolLifecycleHooks } from "../values/hooks.ts";
import type { Turn } from "../values/model.ts";
import type { AgentState } from "./agent-state.ts";
import { askHook } from "./ask-hooks.ts";
import { type Call, infoOf } from "./call-state.ts";

/** What those who judge a step said together. */
export type Judgement =
  /** Nobody judges steps here. */
  | { readonly type: "unjudged" }
  /** The calls go on, one after another. */
  | { readonly type: "passed"; readonly todos: readonly string[] }
  | { readonly type: "restarted"; readonly reasoning: string }
  /** Nobody can vouch for the calls: they don't run. */
  | { readonly type: "refused"; readonly outcome: Outcome };

/** Steps an agent may have sent back, over its whole task. */
const MOST_RESTARTS = 10;

/** May the calls that would run go forward, as a set? The harness's hooks are asked, then those of the step's tools. */
export function* proposeStep(agent: AgentState, turn: Turn, calls: readonly Call[]): Operation<Judgement> {
  const judges = judgesOf(agent, calls);
  if (judges.length === 0 || calls.length === 0) return { type: "unjudged" };
  const todos: string[] = [];
  let restart: string | undefined;
  let failed: ToolLifecycleHooks | undefined;
  for (const hook of judges) {
    const asked = yield* askHook(hook, {
      agent,
      moment: "onPropose",
      input: () => ({
        agent: agent.view,
        run: agent.pool.run.id,
        turn: agent.turns,
        attempt: agent.attempt,
        reasoning: turn.reasoning,
        text: turn.text,
        calls: calls.map(infoOf),
      }),
      read: readProposal,
    });
    if (asked.type === "failed" && hook.onError !== "proceed") failed ??= hook;
    if (asked.type !== "answered") continue;
    if (asked.answer.type === "restart") restart ??= asked.answer.reasoning;
    else if (asked.answer.todo !== undefined) todos.push(asked.answer.todo);
  }
  if (failed) return refused("hook_error", words.hookError(failed.name ?? "onPropose"));
  if (restart === undefined) return { type: "passed", todos };
  if (agent.restarts >= MOST_RESTARTS) return refused("limit", words.restarts(MOST_RESTARTS));
  return { type: "restarted", reasoning: restart };
}

function judgesOf(agent: AgentState, calls: readonly Call[]): readonly ToolLifecycleHooks[] {
  const judges = new Set<ToolLifecycleHooks>();
  for (const hook of agent.pool.hooks) if (hook.onPropose) judges.add(hook);
  for (const { bound } of calls) for (const hook of bound.hooks) if (hook.onPropose) judges.add(hook);
  return [...judges];
}

/** A bare proceed abstains; one with a todo does not. */
function readProposal(given: unknown): ProposeAnswer | undefined {
  const answer = given as ProposeAnswer | undefined | null;
  if (answer?.type === "proceed" && isMessage(answer.todo)) return answer;
  return readAnswer<ProposeAnswer>(given, {
    proceed: () => true,
    restart: ({ reasoning }) => isMessage(reasoning),
  });
}

const refused = (guard: "hook_error" | "limit", message: string): Judgement => ({
  type: "refused",
  outcome: { type: "refused", guard, message },
});
