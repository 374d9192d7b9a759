import type { Message, Prompt } from "@agentpool/core";
import type { Before } from "../question/self-contained.ts";
import { questionIn, userText } from "./task.ts";

/**
 * The question before the one that is asked now, where it was answered in words: a conversation that goes on, such as a
 * follow-up on a finished run.
 */
export function beforeOf(messages: Prompt): Before | undefined {
  const answered = messages.findLastIndex(
    (message, at) =>
      isSaid(message) && messages[at - 1]?.role === "user" && messages[at + 1]?.role === "user",
  );
  if (answered < 1) return undefined;
  const question = questionIn(userText(messages[answered - 1]!));
  return /[?？]/.test(question) ? { question, sources: sourcesIn(textOf(messages[answered]!)) } : undefined;
}

/** An answer in words, and no call. */
const isSaid = (message: Message): boolean =>
  message.role === "assistant" &&
  textOf(message) !== "" &&
  !message.content.some(({ type }) => type === "tool-call");

const textOf = (message: Message): string =>
  message.role === "assistant"
    ? message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n")
    : "";

/** What the quotations of a brief come from, as words: `yuan-dynasty.md` is `yuan dynasty`. */
const sourcesIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(/^> — `([^`]+)`/gm)].map(([, path]) =>
      path!
        .replace(/^.*\//, "")
        .replace(/\.\w+$/, "")
        .replace(/[-_]+/g, " "),
    ),
  ),
];
