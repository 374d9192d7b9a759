import type { Operation } from "effection";
import { HOOK_DEADLINE } from "../decisions/bind.ts";
import { Allowance } from "../effects/allowance.ts";
import { bounded, isPending } from "../effects/bounded.ts";
import type { ToolLifecycleHooks } from "../values/hooks.ts";
import type { AgentState } from "./agent-state.ts";
import { hookFailed } from "./hook-failure.ts";

/** The moments that are functions. */
export type Moment = "afterExecute" | "beforeAdmit" | "afterAdmit" | "onResult" | "onReturn";

/** One question to the hooks of a moment. */
export interface Question<M extends Moment, T> {
  readonly agent: AgentState;
  readonly call?: string;
  readonly moment: M;
  /** The input: a fresh one for each hook, so that none sees what another did to it. */
  input(): Parameters<NonNullable<ToolLifecycleHooks[M]>>[0];
  /** What an answer means; undefined where it abstains. Throws where it is malformed. */
  read(answer: unknown): T | undefined;
}

/** Asks hooks in order; the first concrete answer wins. A hook that fails abstains, and an event says so. */
export function* askHooks<M extends Moment, T>(
  hooks: readonly ToolLifecycleHooks[],
  question: Question<M, T>,
): Operation<T | undefined> {
  for (const hook of hooks) {
    if (!hook[question.moment]) continue;
    const answer = yield* askHook(hook, question);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** Asks one hook. */
export function* askHook<M extends Moment, T>(
  hook: ToolLifecycleHooks,
  question: Question<M, T>,
): Operation<T | undefined> {
  const { agent, call, moment } = question;
  const { clock } = agent.pool.run;
  const since = clock.now();
  try {
    let answer = (hook[moment] as (input: unknown) => unknown).call(hook, question.input());
    if (isPending(answer))
      answer = yield* bounded(answer, new Allowance(clock, hook.timeoutMs ?? HOOK_DEADLINE));
    return question.read(answer);
  } catch (error) {
    hookFailed({ agent, call, hook: hook.name ?? "hook", moment, since }, error, "skipped");
    return undefined;
  }
}
