import type { Message, Prompt } from "@agentpool/core";
import { foldSpace } from "../text/passages.ts";

/** The text of a user's message. */
export const userText = (message: Message): string =>
  message.role === "user"
    ? message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n")
    : "";

/** A JSON object in a message, bare or fenced; undefined where there is none. */
export function jsonIn(text: string): Record<string, unknown> | undefined {
  const fenced = /```json\s*\n([\s\S]*?)\n\s*```/.exec(text)?.[1];
  for (const part of [fenced, text]) {
    if (part === undefined || !part.trim().startsWith("{")) continue;
    try {
      const value: unknown = JSON.parse(part);
      if (typeof value === "object" && value !== null && !Array.isArray(value)) {
        return value as Record<string, unknown>;
      }
    } catch {
      // Not JSON after all.
    }
  }
  return undefined;
}

const asks = /[?？]|^\s*(?:what|which|who|whom|whose|when|where|why|how)\b/i;

/**
 * What the session is asked now: the latest user message that asks something; else the latest that does not merely
 * follow a tool's result, where the harness speaks. A line `Question: …` in it says which part is the question.
 */
export function taskOf(messages: Prompt): string {
  const users = messages.flatMap((message, at) =>
    message.role === "user" ? [{ text: userText(message), follows: messages[at - 1]?.role }] : [],
  );
  const given = users.filter(({ follows }) => follows !== "tool");
  const found =
    given.findLast(({ text }) => asks.test(text)) ??
    given.at(-1) ??
    users.findLast(({ text }) => asks.test(text)) ??
    users.at(-1);
  return questionIn(found?.text ?? "");
}

/** The question in a message: what a label names, else the paragraphs that ask, else the last one. */
export function questionIn(text: string): string {
  const labelled = /^\s*(?:question|task)\s*:\s*(.+(?:\n(?!\s*\n).+)*)/im.exec(text)?.[1];
  if (labelled !== undefined) return foldLines(labelled);
  const paragraphs = text
    .replace(/```[\s\S]*?```/g, "")
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== "" && !/^\s*[{[]/.test(paragraph));
  const asking = paragraphs.filter((paragraph) => /[?？]/.test(paragraph));
  return foldLines((asking.length > 0 ? asking : paragraphs.slice(-1)).join("\n"));
}

/** Line ends are kept: they may separate questions. */
const foldLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => foldSpace(line))
    .filter((line) => line !== "")
    .join("\n");
