import { estimateTokens, type Message, type Prompt } from "@agentpool/core";

/** Something that was said, as a reviewer is shown it. */
export interface Said {
  readonly by: "user" | "agent" | "tool";
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly tool: string; readonly args: unknown }[];
  /** The tool whose result it is. */
  readonly tool?: string;
  readonly result?: unknown;
}

/** A conversation cut to what a reviewer can hold: its beginning, where the task is, and its end. */
export interface Excerpt {
  readonly said: readonly Said[];
  /** Messages after the first that there was no room for. */
  readonly leftOut: number;
}

/** Text and results longer than this are cut, and say so. */
const LONGEST = 12_000;

export function excerptOf(messages: Prompt, tokens: number): Excerpt {
  const said = messages.flatMap(saidIn);
  const [first, ...rest] = said;
  if (!first) return { said: [], leftOut: 0 };
  let room = tokens - sizeOf(first);
  let from = rest.length;
  for (; from > 0; from--) {
    room -= sizeOf(rest[from - 1]!);
    if (room < 0) break;
  }
  return { said: [first, ...rest.slice(from)], leftOut: from };
}

const sizeOf = (said: Said): number => estimateTokens(JSON.stringify(said));

function saidIn(message: Message): readonly Said[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [{ by: "user", text: cut(textIn(message.content)) }];
    case "assistant":
      return [saidByAgent(message.content)];
    case "tool":
      return message.content.flatMap((part): Said[] =>
        part.type === "tool-result"
          ? [
              {
                by: "tool",
                tool: part.toolName,
                result: cutValue("value" in part.output ? part.output.value : null),
              },
            ]
          : [],
      );
  }
}

function saidByAgent(content: Extract<Message, { role: "assistant" }>["content"]): Said {
  const reasoning = content.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("\n");
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const calls = content.flatMap((part) =>
    part.type === "tool-call" ? [{ tool: part.toolName, args: cutValue(part.input) }] : [],
  );
  return {
    by: "agent",
    ...(reasoning ? { reasoning: cut(reasoning) } : {}),
    ...(text ? { text: cut(text) } : {}),
    ...(calls.length > 0 ? { calls } : {}),
  };
}

const textIn = (content: Extract<Message, { role: "user" }>["content"]): string =>
  content.map((part) => (part.type === "text" ? part.text : "[a file]")).join("\n");

const cut = (text: string): string =>
  text.length <= LONGEST
    ? text
    : `${text.slice(0, LONGEST)} [… ${text.length - LONGEST} characters left out]`;

/** A value as it is, or the beginning of its JSON where that is long. */
function cutValue(value: unknown): unknown {
  const json = JSON.stringify(value);
  return json === undefined || json.length <= LONGEST ? value : cut(json);
}
