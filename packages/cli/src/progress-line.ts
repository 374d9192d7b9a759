import type { Exit, PoolEvent } from "@agentpool/core";
import { callLabel } from "./call-label.ts";
import { oneLine } from "./printable.ts";
import { waitsFor } from "./waits.ts";
import { counted, lasting } from "./words.ts";

/** How an agent ended, in words. */
export const ENDS: Readonly<Record<Exit, string>> = {
  returned: "done",
  text: "done",
  max_turns: "out of turns",
  max_calls: "out of calls",
  context: "out of context",
  budget: "out of budget",
  deadline: "out of time",
  repetition: "stopped: it went round in circles",
  invalid_output: "its answer does not fit",
  model_error: "its model failed",
  cancelled: "cut short",
};

/** An event as one line of plain progress; undefined for what is too small to say. */
export function progressLine(event: PoolEvent): string | undefined {
  switch (event.type) {
    case "agent:spawned":
      return `${event.agent} starts: ${oneLine(event.task)}`;
    case "agent:ended": {
      const { exit, reason, turns, toolCallCount, refusals } = event.result;
      const counts = [counted(turns, "turn"), counted(toolCallCount, "call")];
      if (refusals.length > 0) counts.push(`${refusals.length} refused`);
      return `${event.agent} ends: ${ENDS[exit]}${reason ? ` (${oneLine(reason)})` : ""}; ${counts.join(", ")}`;
    }
    case "call:dispatched":
      return `${event.agent} ${callLabel(event.tool, event.args, 140)}${event.attempt > 0 ? ` (attempt ${event.attempt + 1})` : ""}`;
    case "call:refused":
      return `${event.agent} ${event.tool} refused by ${event.guard}: ${oneLine(event.message)}`;
    case "call:cancelled":
      return `${event.agent} ${event.tool} called off by ${event.guard}: ${oneLine(event.message)}`;
    case "call:withdrawn":
      return `${event.agent} ${event.tool} withdrawn: ${oneLine(event.message)}`;
    case "call:substituted":
      return `${event.agent} ${event.tool} answered by ${event.guard} in its place`;
    case "call:parked": {
      const time = event.until === undefined ? "" : `, ${lasting(event.until - event.at)}`;
      return `${event.agent} ${event.tool} ${waitsFor(event.reason)}${time}`;
    }
    case "call:progress":
      return `${event.agent} ${event.tool}: ${oneLine(event.message)}`;
    case "call:settled":
      return event.outcome.type === "error"
        ? `${event.agent} ${event.tool} failed: ${oneLine(event.outcome.message)}`
        : undefined;
    case "model:limited":
      return `${event.agent} waits for ${limitOf(event)}, ${lasting(event.afterMs)}${saidBy(event)}`;
    case "hook:error":
      return `${event.agent} hook ${event.hook} failed at ${event.moment} (${event.error}): ${event.verdict}`;
    case "hook:warning":
      return `${event.agent} hook ${event.hook}: ${oneLine(event.message)}`;
    case "budget:exhausted":
      return `${event.agent ?? "the run"} has used its ${event.budget} (${event.limit})`;
    case "budget:threshold":
      return `the run has used ${Math.round(event.share * 100)} % of its ${event.budget} (${event.limit})`;
    case "model:fallback":
      return `${event.agent ? `${event.agent} ` : ""}goes on with ${event.to} in place of ${event.from}: ${oneLine(event.reason)}`;
    case "review:passed":
      return `${event.agent} passes the review of its ${event.subject}${event.todo ? `; still to do: ${oneLine(event.todo)}` : ""}`;
    case "review:restarted":
      return `${event.agent} has its ${event.subject} sent back (${event.restarts} of ${event.limit}): ${oneLine(event.adjustedReasoning)}`;
    case "review:failed":
      return `${event.agent} does not get its ${event.subject} through its review (${event.problem}): ${oneLine(event.message)}`;
    case "review:skipped":
      return `${event.agent} is not reviewed: ${event.reason === "effort" ? "its effort is min" : "it is at its end"}`;
    case "review:matched":
      return event.matched.length > 0
        ? `${event.agent} keeps to: ${oneLine(event.matched.join("; "))}${event.failure ? " (nobody could say whether they apply)" : ""}`
        : undefined;
    case "notice":
      return `${event.agent ? `${event.agent} ` : ""}${oneLine(event.message, 300)}`;
    default:
      return undefined;
  }
}

/** A model that cannot be asked right now, and why; records of long ago know rate limits alone. */
const limitOf = ({ model, reason = "rate_limit" }: Extract<PoolEvent, { type: "model:limited" }>): string =>
  reason === "rate_limit" ? `${model}'s rate limit` : `${model}, which is ${reason}`;

/** What was said about it, without the model's name, which stands before it already. */
function saidBy({ model, message = "" }: Extract<PoolEvent, { type: "model:limited" }>): string {
  const said = message.startsWith(`${model}: `) ? message.slice(model.length + 2) : message;
  return said === "" ? "" : `: ${oneLine(said)}`;
}
