import type { ChatWrapper, LlamaText } from "node-llama-cpp";
import type { Library } from "../native/library.ts";

/** A text that may hold control tokens. */
export type Text = LlamaText;

/** How a chat template writes what is not plain text. */
export interface Syntax {
  /** What opens a call; the tool's name follows. */
  readonly callStart: Text;
  /** As the model writes it, and other ways in which it may. */
  readonly callStarts: readonly string[];
  /** Between a tool's name and its arguments. */
  beforeArguments(tool: string): string;
  /** What closes a call, and what opens the next where several may be made in one turn. */
  afterCall(tool: string): Text;
  readonly nextCall: Text | undefined;
  readonly reasoning: ReasoningSyntax | undefined;
  /** The form of calls is the template's own, not one that was made up for it. */
  readonly native: boolean;
}

export interface ReasoningSyntax {
  readonly start: Text;
  readonly end: Text;
  /** Who begins it: the template in every turn, we in every turn, or the model when it likes. */
  readonly begunBy: "template" | "us" | "model";
}

/** The syntax of a template, from what the library knows of it. */
export function syntaxOf({ settings }: ChatWrapper, library: Library): Syntax {
  const { LlamaText, ChatWrapper } = library;
  const { call, parallelism } = settings.functions;
  const section = parallelism?.call;
  const text = (value: string | Text | undefined): Text => LlamaText(value ?? "");
  const filled = (value: string | Text | undefined, tool: string): Text =>
    text(value).mapValues((part) =>
      typeof part === "string" ? part.replaceAll("{{functionName}}", tool) : part,
    );
  const callStart = LlamaText([text(section?.sectionPrefix), text(call.prefix)]);
  const others = [section?.sectionPrefix, ...(section?.sectionPrefixAlternateMatches ?? [])].flatMap(
    (before) =>
      [call.prefix, ...(call.prefixAlternateMatches ?? [])].map((prefix) =>
        LlamaText([text(before), text(prefix)]),
      ),
  );
  const starts = [callStart, ...others].map(plain).filter((start) => start.trim() !== "");
  const madeUp = plain(text(ChatWrapper.defaultSettings.functions.call.prefix));
  return {
    callStart,
    callStarts: [...new Set(starts)],
    beforeArguments: (tool) => plain(filled(call.paramsPrefix, tool)),
    afterCall: (tool) => filled(call.suffix, tool),
    nextCall: section && LlamaText([text(section.betweenCalls), text(call.prefix)]),
    reasoning: reasoningIn(settings, text),
    native: plain(text(call.prefix)) !== madeUp,
  };
}

function reasoningIn(
  { segments }: ChatWrapper["settings"],
  text: (value: string | Text | undefined) => Text,
): ReasoningSyntax | undefined {
  const thought = segments?.thought;
  if (thought === undefined) return undefined;
  const end = text(thought.suffix);
  if (plain(end).trim() === "") return undefined;
  const { prefix } = thought;
  if (typeof prefix === "object" && "type" in prefix) return { start: text(""), end, begunBy: "template" };
  return { start: text(prefix), end, begunBy: thought.openOnResponseStart ? "us" : "model" };
}

/** A text as it reads. Tokens without a text of their own are left out. */
export const plain = (text: Text): string =>
  text.values
    .map((part) => {
      if (typeof part === "string") return part;
      return part.toJSON().type === "specialTokensText" ? part.value : "";
    })
    .join("");
