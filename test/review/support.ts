import { defineTool, type Message, type PoolEvent, type Rule, type Tool } from "@agentpool/core";
import { type ScriptedModel, type ScriptedTurn, scripted } from "@agentpool/models";
import { z } from "zod";

/** What a reviewer answers. */
export const pass = (todo: string | null = null): ScriptedTurn => ({
  text: JSON.stringify({ passed: true, todo, adjustedReasoning: null }),
});
export const breach = (adjustedReasoning = "I may not do that. I report it."): ScriptedTurn => ({
  text: JSON.stringify({ passed: false, todo: null, adjustedReasoning }),
});
export const applies = (...ids: readonly string[]): ScriptedTurn => ({
  text: JSON.stringify({ applies: ids }),
});

/** A review's turns: a verdict, or what is said first and what is said when it is asked again. */
export type Session = ScriptedTurn | readonly ScriptedTurn[];

/** A reviewer that gives these verdicts, one a review; the last goes on for ever. */
export function judging(...sessions: readonly Session[]): ScriptedModel {
  let at = 0;
  return scripted(
    () => {
      const session = sessions[Math.min(at++, sessions.length - 1)]!;
      return Array.isArray(session) ? session : [session as ScriptedTurn];
    },
    { id: "judge" },
  );
}

/** Everything that a model was shown last, as text. */
export const shownTo = (model: ScriptedModel, at = -1): string =>
  JSON.stringify(model.requests.at(at)?.messages);

/** The texts of a conversation's last user message. */
export function lastText(messages: readonly Message[]): string {
  const last = messages.at(-1)!;
  return last.role === "user"
    ? last.content.map((part) => (part.type === "text" ? part.text : "")).join("")
    : "";
}

export type ReviewEvent = Extract<PoolEvent, { type: `review:${string}` }>;

export const reviewsIn = (events: readonly PoolEvent[]): ReviewEvent[] =>
  events.filter((event): event is ReviewEvent => event.type.startsWith("review:"));

/** The types of the events around reviews. */
export const course = (events: readonly PoolEvent[]): string[] => reviewsIn(events).map(({ type }) => type);

/** A shop: orders that can be looked at, and cancelled, which is hard to undo. */
export function shop(more: { readonly status?: string; readonly cancel?: Partial<Tool> } = {}) {
  const cancelled: number[] = [];
  const look = defineTool({
    name: "get_order",
    description: "Looks an order up.",
    parameters: z.object({ order: z.number() }),
    execute: ({ order }) => ({ order, status: more.status ?? "shipped" }),
  });
  const cancel: Tool = {
    ...defineTool({
      name: "cancel_order",
      description: "Cancels an order. It cannot be undone.",
      parameters: z.object({ order: z.number(), why: z.string().optional() }),
      consequential: true,
      execute: ({ order }) => {
        cancelled.push(order);
        return `${order} is cancelled`;
      },
    }),
    ...more.cancel,
  };
  return { look, cancel, cancelled, tools: [look, cancel] };
}

export const shipped: Rule = {
  title: "Shipped orders",
  content: "Only orders that have not shipped may be cancelled.",
};
