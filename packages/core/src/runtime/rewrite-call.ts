import type { Operation } from "effection";
import { readAnswer } from "../decisions/answers.ts";
import { copy } from "../decisions/copy.ts";
import { words } from "../decisions/words.ts";
import type { Outcome } from "../values/call.ts";
import type { RewriteAnswer } from "../values/hooks.ts";
import type { Args } from "../values/json.ts";
import { askHook } from "./ask-hooks.ts";
import { type Call, infoOf } from "./call-state.ts";
import { metaOf } from "./inquiry.ts";

/** What a call becomes. */
export type Rewrite =
  | { readonly type: "none" }
  | { readonly type: "rewritten"; readonly tool: string; readonly args: Args }
  | { readonly type: "failed"; readonly outcome: Outcome };

/** What is the call? The first hook that answers says so, and both forms are on record. */
export function* rewriteCall(call: Call): Operation<Rewrite> {
  const { agent, bound, args } = call;
  for (const hook of bound.hooks) {
    if (!hook.rewrite) continue;
    const asked = yield* askHook(hook, {
      agent,
      call: call.id,
      moment: "rewrite",
      input: () => ({
        agent: agent.view,
        call: infoOf(call),
        run: agent.pool.run.id,
        source: bound.tool.source ?? "local",
        meta: metaOf(bound),
      }),
      read: (given) => readRewrite(given, args.args),
    });
    if (asked.type === "failed" && hook.onError !== "proceed") {
      const message = words.hookError(hook.name ?? "rewrite");
      return { type: "failed", outcome: { type: "refused", guard: "hook_error", message } };
    }
    if (asked.type === "answered") return rewritten(call, asked.answer);
  }
  return { type: "none" };
}

/** The new form, taken from the answer as it is now. Throws where it cannot be read. */
function readRewrite(given: unknown, before: Args): RewriteAnswer | undefined {
  const answer = readAnswer<RewriteAnswer>(given, { rewrite: isRewrite });
  if (!answer) return undefined;
  const { type, tool, args, mode } = answer;
  return { type, tool, args: copy(mode === "merge" ? { ...before, ...args } : args), mode };
}

const isRewrite = ({ tool, args, mode }: RewriteAnswer): boolean =>
  (tool === undefined || typeof tool === "string") &&
  typeof args === "object" &&
  args !== null &&
  !Array.isArray(args) &&
  (mode === "replace" || mode === "merge");

function rewritten(call: Call, { tool = call.tool, args, mode }: RewriteAnswer): Rewrite {
  call.agent.pool.run.emit({
    type: "call:rewritten",
    agent: call.agent.key,
    call: call.id,
    tool: call.tool,
    mode,
    from: { tool: call.tool, args: call.args.args },
    to: { tool, args: copy(args) },
  });
  return { type: "rewritten", tool, args };
}
