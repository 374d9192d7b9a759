import type { PoolEvent } from "@agentpool/core";
import type { Attributes } from "@opentelemetry/api";

/** What an event says as a moment of a span; undefined: it is none. No text that anybody wrote or read is in it. */
export function momentOf(event: PoolEvent): Attributes | undefined {
  switch (event.type) {
    case "call:parked":
    case "call:resumed":
      return { ...callOf(event), "agentpool.reason": event.reason };
    case "call:refused":
    case "call:cancelled":
    case "call:substituted":
      return { ...callOf(event), "agentpool.guard": event.guard };
    case "approval:requested":
      return {
        ...callOf({ call: event.call, tool: event.approval.tool }),
        "agentpool.approval.id": event.approval.id,
      };
    case "approval:decided":
      return {
        "gen_ai.tool.call.id": event.call,
        "agentpool.approval.id": event.approval,
        "agentpool.approval.decision": event.decision.type,
      };
    case "approval:void":
      return { "gen_ai.tool.call.id": event.call, "agentpool.approval.id": event.approval };
    case "turn:restarted":
      return { "agentpool.turn": event.turn, "agentpool.hook": event.by, "agentpool.moment": event.moment };
    case "review:skipped":
      return {
        "agentpool.turn": event.turn,
        "agentpool.review.subject": event.subject,
        "agentpool.reason": event.reason,
      };
    case "hook:error":
      return {
        ...(event.call === undefined ? {} : { "gen_ai.tool.call.id": event.call }),
        "agentpool.hook": event.hook,
        "agentpool.moment": event.moment,
        "agentpool.verdict": event.verdict,
        "error.type": event.error,
      };
    case "model:limited":
      return {
        "gen_ai.request.model": event.model,
        "agentpool.reason": event.reason,
        "agentpool.after_ms": event.afterMs,
      };
    case "model:fallback":
      return { "agentpool.from": event.from, "agentpool.to": event.to };
    case "budget:exhausted":
      return { "agentpool.budget": event.budget, "agentpool.limit": event.limit };
    default:
      return undefined;
  }
}

const callOf = ({ call, tool }: { readonly call: string; readonly tool: string }): Attributes => ({
  "gen_ai.tool.name": tool,
  "gen_ai.tool.call.id": call,
});
