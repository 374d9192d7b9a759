import type { GenerateRequest, Message, Model, Prefix, Prompt, Session, Turn } from "@agentpool/core";
import type { Operation } from "effection";
import { readTurn } from "../read-turn.ts";

const schema = (property: string) => ({
  type: "object",
  properties: { [property]: { type: "string" } },
  required: [property],
  additionalProperties: false,
});

/** The prefix all cases open: two tools, and a task that both fit. */
export const prefix: Prefix = {
  system: "You keep notes. Do what the last message asks, briefly.",
  tools: [
    { name: "note", description: "Writes down one note.", parameters: schema("text") },
    { name: "report", description: "Hands in the result.", parameters: schema("result") },
  ],
};

export const allowed = prefix.tools.map(({ name }) => name);

export const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

export const speak: GenerateRequest = { tools: allowed, toolChoice: "none" };
export const call = (tool: string): GenerateRequest => ({ tools: allowed, toolChoice: { tool } });

/** A session that was asked something. */
export function* asked(model: Model, text = "Say that you are ready."): Operation<Session> {
  const session = yield* model.open(prefix);
  yield* session.append([user(text)]);
  return session;
}

export function* turnOf(session: Session, request: GenerateRequest): Operation<Turn> {
  return (yield* readTurn(session.generate(request))).turn;
}

/** Answers every call of a turn, as a pool would. */
export function* answer(session: Session, turn: Turn): Operation<void> {
  yield* session.append([
    {
      role: "tool",
      content: turn.calls.map(({ id, tool }) => ({
        type: "tool-result",
        toolCallId: id,
        toolName: tool,
        output: { type: "text", value: "Done." },
      })),
    },
  ]);
}

/** All text in a prompt, for finding markers in it. */
export const textIn = (prompt: Prompt): string => JSON.stringify(prompt);
