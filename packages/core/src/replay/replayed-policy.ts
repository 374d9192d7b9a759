import { type BoundTool, guardNames } from "../decisions/bind.ts";
import { selects } from "../decisions/names.ts";
import { words } from "../decisions/words.ts";
import type { ToolLifecycleHooks } from "../values/hooks.ts";
import type { Fate } from "./fate.ts";
import type { GuardReplay } from "./guard-replay.ts";
import type { RecordedFate } from "./recorded-calls.ts";
import type { ReplayedAgent } from "./replayed-agent.ts";

type Settings = Omit<GuardReplay, "tools" | "hooks" | "guards" | "ownTurns">;

/** What a run itself allows, whatever its guards say. Of what is not set, the record's decision stands. */
export class ReplayedPolicy {
  readonly #settings: Settings;
  /** Names of those who judge steps and returns. */
  readonly #judges: readonly string[];

  constructor(settings: Settings, hooks: readonly ToolLifecycleHooks[]) {
    this.#settings = settings;
    const judging = hooks.flatMap((hook) => [
      ...(hook.onPropose ? [hook.name ?? "onPropose"] : []),
      ...(hook.onReturn ? [hook.name ?? "onReturn"] : []),
    ]);
    const guards = new Set(guardNames(hooks));
    this.#judges = ["review", "onPropose", "onReturn", ...judging].filter((name) => !guards.has(name));
  }

  /** Why a call is dead at its first gates; undefined: it is not. */
  forbids(recorded: RecordedFate, bound: BoundTool): Fate | undefined {
    const { deny, grants, had } = this.#settings;
    const written =
      recorded.identity === undefined ? [] : [{ name: recorded.named, identity: recorded.identity }];
    const selected = (patterns: readonly string[]) =>
      patterns.some((pattern) => [bound, ...written].some((form) => selects(pattern, form)));
    const denied = isRefusedBy(recorded, "deny");
    if (deny ? selected(deny) || (denied && had && !selected(had.deny)) : denied)
      return refused("deny", words.denied(bound.name));
    const rejected = isRefusedBy(recorded, "auth_reject");
    const isProtected = bound.tool.protected === true || rejected;
    if (grants ? isProtected && !grants.some((grant) => selects(grant, bound)) : rejected)
      return refused("auth_reject", words.protected(bound.name));
    return undefined;
  }

  /** Whether those who judge steps and returns kept it: a reviewer, a hook. Nobody asks them here. */
  isJudged({ fate }: RecordedFate): boolean {
    if (fate.type !== "refused") return false;
    return this.#judges.some(
      (name) =>
        fate.guard === name || (fate.guard === "hook_error" && fate.message === words.hookError(name)),
    );
  }

  /** Why a person is asked in any case; undefined: the run does not say so. */
  asks({ asked }: RecordedFate, bound: BoundTool): string | undefined {
    const { requireApproval, had } = this.#settings;
    const said = words.approvalAsked(bound.name);
    const selected = (patterns: readonly string[]) => patterns.some((pattern) => selects(pattern, bound));
    const then = asked === said;
    const now = requireApproval
      ? selected(requireApproval) || (then && had && !selected(had.requireApproval))
      : then;
    return now ? said : undefined;
  }

  /** Which limit a call is beyond, before it runs; undefined: none. */
  limits(recorded: RecordedFate, { name }: BoundTool, agent: ReplayedAgent): Limit | undefined {
    const { maxToolCalls, maxCallsPerTool = {} } = this.#settings;
    const most = Object.hasOwn(maxCallsPerTool, name) ? maxCallsPerTool[name] : undefined;
    const then = isRefusedBy(recorded, "limit") ? recorded.fate : undefined;
    const ofTool = then !== undefined && "message" in then && then.message?.startsWith(`${name} `) === true;
    if (maxToolCalls !== undefined ? agent.reserved >= maxToolCalls : then && !ofTool)
      return {
        ends: maxToolCalls !== undefined,
        fate: then && !ofTool ? then : refused("limit", words.callLimit(maxToolCalls ?? 0)),
      };
    if (most !== undefined ? agent.reservedOf(name) >= most : ofTool)
      return {
        ends: false,
        fate: then && ofTool ? then : refused("limit", words.toolLimit(name, most ?? 0)),
      };
    return undefined;
  }
}

export interface Limit {
  readonly fate: Fate;
  /** The agent reports then, and takes no further turn. */
  readonly ends: boolean;
}

export const isRefusedBy = ({ fate }: RecordedFate, guard: string): boolean =>
  fate.type === "refused" && fate.guard === guard;

const refused = (guard: string, message: string): Fate => ({ type: "refused", guard, message });
