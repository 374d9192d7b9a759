/** A request in Anthropic's Messages format, as its client sends it. */
export interface SentBody {
  readonly system?: readonly SentBlock[];
  readonly tools?: readonly (SentBlock & {
    readonly name: string;
    readonly description?: string;
    readonly input_schema: object;
  })[];
  readonly messages: readonly {
    readonly role: "user" | "assistant";
    readonly content: readonly SentBlock[];
  }[];
  readonly tool_choice?: { readonly type: string; readonly name?: string };
}

export interface SentBlock {
  readonly type?: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
  readonly cache_control?: object;
}

/** A piece of a prompt, as a provider reads it: in order, and perhaps the end of what it is asked to keep. */
export interface Piece {
  readonly text: string;
  readonly tokens: number;
  readonly isBreakpoint: boolean;
}

/** What a provider reads, in the order it caches: tools, system, messages. */
export const piecesOf = ({ tools = [], system = [], messages }: SentBody): Piece[] => [
  ...tools.map(pieceOf),
  ...system.map(pieceOf),
  ...messages.flatMap(({ role, content }) => content.map((block) => pieceOf({ role, ...block }))),
];

function pieceOf({ cache_control, ...block }: SentBlock & { readonly role?: string }): Piece {
  const text = JSON.stringify(block);
  return { text, tokens: Math.ceil(Buffer.byteLength(text) / 4), isBreakpoint: cache_control !== undefined };
}
