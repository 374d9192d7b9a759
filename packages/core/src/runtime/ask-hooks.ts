import type { Operation } from "effection";
import { HOOK_DEADLINE } from "../decisions/bind.ts";
import { Allowance } from "../effects/allowance.ts";
import { bounded, isPending } from "../effects/bounded.ts";
import type { ToolLifecycleHooks } from "../values/hooks.ts";
import type { AgentState } from "./agent-state.ts";
import { hookFailed } from "./hook-failure.ts";

/** The moments that are functions. */
export type Moment = Exclude<
  keyof ToolLifecycleHooks,
  "name" | "beforeDispatch" | "onError" | "timeoutMs" | "restarts"
>;

/** One question to the hooks of a moment. */
export interface Question<M extends Moment, T> {
  readonly agent: AgentState;
  readonly call?: string;
  readonly moment: M;
  /** Whether a hook that fails keeps from happening what it is asked about. Default: at {@link REFUSING} moments. */
  readonly refuses?: boolean;
  /** The input: a fresh one for each hook, so that none sees what another did to it. */
  input(): Parameters<NonNullable<ToolLifecycleHooks[M]>>[0];
  /** What an answer means; undefined where it abstains. Throws where it is malformed. */
  read(answer: unknown): T | undefined;
}

/** What one hook said. */
export type Asked<T> =
  | { readonly type: "answered"; readonly answer: T }
  | { readonly type: "abstained" }
  | { readonly type: "failed" };

/** Asks hooks in order; the first concrete answer wins. A hook that fails abstains, and an event says so. */
export function* askHooks<M extends Moment, T>(
  hooks: readonly ToolLifecycleHooks[],
  question: Question<M, T>,
): Operation<T | undefined> {
  for (const hook of hooks) {
    if (!hook[question.moment]) continue;
    const asked = yield* askHook(hook, question);
    if (asked.type === "answered") return asked.answer;
  }
  return undefined;
}

/** Moments at which a hook that fails keeps calls from running, unless it says otherwise. */
const REFUSING: ReadonlySet<Moment> = new Set(["rewrite", "onPropose"]);

/** Asks one hook. */
export function* askHook<M extends Moment, T>(
  hook: ToolLifecycleHooks,
  question: Question<M, T>,
): Operation<Asked<T>> {
  const { agent, call, moment, refuses = REFUSING.has(moment) } = question;
  const { clock } = agent.pool.run;
  const since = clock.now();
  try {
    let given = (hook[moment] as (input: unknown) => unknown).call(hook, question.input());
    if (isPending(given))
      given = yield* bounded(given, new Allowance(clock, hook.timeoutMs ?? HOOK_DEADLINE));
    const answer = question.read(given);
    return answer === undefined ? { type: "abstained" } : { type: "answered", answer };
  } catch (error) {
    const verdict = refuses && hook.onError !== "proceed" ? "refused" : "skipped";
    hookFailed({ agent, call, hook: hook.name ?? moment, moment, since }, error, verdict);
    return { type: "failed" };
  }
}
