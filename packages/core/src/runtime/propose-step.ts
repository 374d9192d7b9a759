import type { Operation } from "effection";
import { isMessage, readAnswer } from "../decisions/answers.ts";
import { words } from "../decisions/words.ts";
import type { Outcome } from "../values/call.ts";
import type { ProposeAnswer, ToolLifecycleHooks } from "../values/hooks.ts";
import type { Turn } from "../values/model.ts";
import type { ReviewNote } from "../values/review.ts";
import type { AgentState } from "./agent-state.ts";
import { type Asked, askHook } from "./ask-hooks.ts";
import { type Call, infoOf } from "./call-state.ts";
import { type Restart, restartBy } from "./restart.ts";

/** What those who judge a step said together. */
export type Judgement =
  /** Nobody judged it. */
  | { readonly type: "unjudged" }
  /** The calls go on, one after another. */
  | { readonly type: "passed"; readonly todos: readonly string[]; readonly reviews: readonly ReviewNote[] }
  | Restart
  /** Nobody can vouch for the calls: they don't run. */
  | { readonly type: "refused"; readonly outcome: Outcome };

/**
 * May the calls that would run go forward, as a set? The harness's hooks are asked, then those of the step's tools.
 * Reviewers come last, and only where everybody else lets it go on: nobody pays for a review of a step that is dead.
 */
export function* proposeStep(agent: AgentState, turn: Turn, calls: readonly Call[]): Operation<Judgement> {
  const { reviewers } = agent.pool;
  const judges = judgesOf(agent, calls);
  if (calls.length === 0) return UNJUDGED;
  const heard = new Heard();
  for (const hook of judges) heard.take(hook, yield* askJudge(agent, hook, turn, calls));
  for (const hook of reviewers)
    if (hook.onPropose && heard.goesOn) heard.take(hook, yield* askJudge(agent, hook, turn, calls));
  return heard.judgement(agent, judges.length > 0);
}

const UNJUDGED: Judgement = { type: "unjudged" };

const askJudge = (
  agent: AgentState,
  hook: ToolLifecycleHooks,
  turn: Turn,
  calls: readonly Call[],
): Operation<Asked<ProposeAnswer>> =>
  askHook(hook, {
    agent,
    moment: "onPropose",
    input: () => ({
      agent: agent.view,
      run: agent.pool.run.id,
      turn: agent.turns,
      attempt: agent.attempt,
      restarts: agent.restarts.onPropose.get(hook) ?? 0,
      reasoning: turn.reasoning,
      text: turn.text,
      calls: calls.map(infoOf),
    }),
    read: readProposal,
  });

/** What was said so far: a refusal wins over a restart, the first restart wins, todos add up. */
class Heard {
  readonly #todos: string[] = [];
  readonly #reviews: ReviewNote[] = [];
  #answered = false;
  #restart: { readonly by: ToolLifecycleHooks; readonly reasoning: string } | undefined;
  #refusal: { readonly guard: string; readonly message: string } | undefined;

  get goesOn(): boolean {
    return this.#restart === undefined && this.#refusal === undefined;
  }

  take(hook: ToolLifecycleHooks, asked: Asked<ProposeAnswer>): void {
    if (asked.type === "failed" && hook.onError !== "proceed")
      this.#refusal ??= { guard: "hook_error", message: words.hookError(hook.name ?? "onPropose") };
    if (asked.type !== "answered") return;
    this.#answered = true;
    const { answer } = asked;
    if (answer.type === "refuse")
      this.#refusal ??= { guard: hook.name ?? "onPropose", message: answer.message };
    if (answer.type === "restart") this.#restart ??= { by: hook, reasoning: answer.reasoning };
    if (answer.type !== "proceed") return;
    if (answer.todo !== undefined) this.#todos.push(answer.todo);
    if (answer.review) this.#reviews.push(answer.review);
  }

  judgement(agent: AgentState, judged: boolean): Judgement {
    if (this.#refusal) return { type: "refused", outcome: { type: "refused", ...this.#refusal } };
    if (this.#restart) return restartBy(agent, "onPropose", this.#restart.by, this.#restart.reasoning);
    if (!judged && !this.#answered) return UNJUDGED;
    return { type: "passed", todos: this.#todos, reviews: this.#reviews };
  }
}

function judgesOf(agent: AgentState, calls: readonly Call[]): readonly ToolLifecycleHooks[] {
  const judges = new Set<ToolLifecycleHooks>();
  for (const hook of agent.pool.hooks) if (hook.onPropose) judges.add(hook);
  for (const { bound } of calls) for (const hook of bound.hooks) if (hook.onPropose) judges.add(hook);
  return [...judges];
}

/** A bare proceed abstains; one with a todo or a review does not. */
function readProposal(given: unknown): ProposeAnswer | undefined {
  const answer = given as ProposeAnswer | undefined | null;
  if (answer?.type === "proceed" && (isMessage(answer.todo) || answer.review)) return answer;
  return readAnswer<ProposeAnswer>(given, {
    proceed: () => true,
    restart: ({ reasoning }) => isMessage(reasoning),
    refuse: ({ message }) => isMessage(message),
  });
}
