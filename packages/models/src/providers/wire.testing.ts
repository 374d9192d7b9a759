import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createSignal, type Operation, resource, type Stream, until } from "effection";

/** A request as the server got it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The very bytes of the body. */
  readonly body: string;
}

/** What the server does about one request. */
export type Reply =
  | {
      readonly type: "refuse";
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body: unknown;
    }
  /** Server-sent events, then the end; or the connection is cut; or it stays open and silent. */
  | { readonly type: "stream"; readonly events: readonly string[]; readonly then: "end" | "cut" | "hang" }
  /** Not even headers. */
  | { readonly type: "hang" };

export interface Wire {
  readonly url: string;
  readonly received: readonly Received[];
  /** Requests whose client hung up. */
  readonly hangups: Stream<number, never>;
  /** Requests that begin to wait for a client that hangs up. */
  readonly waits: Stream<number, never>;
}

/** A reply, or what makes one; the last of them, if it makes one, answers all that follows. */
export type Replying = Reply | ((request: Received) => Reply);

/** A server on this machine that answers each request with the next reply, and records it. */
export function useWire(...replies: readonly Replying[]): Operation<Wire> {
  return resource(function* (provide) {
    const received: Received[] = [];
    const hangups = createSignal<number, never>();
    const waits = createSignal<number, never>();
    let at = 0;
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const got: Received = {
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8"),
      };
      received.push(got);
      const last = replies.at(-1);
      const replying = replies[at++] ?? (typeof last === "function" ? last : noneLeft);
      const reply = typeof replying === "function" ? replying(got) : replying;
      response.on("close", () => {
        if (!response.writableFinished) hangups.send(received.length);
      });
      if (answer(response, reply)) waits.send(received.length);
    });
    yield* until(new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
    try {
      const { port } = server.address() as AddressInfo;
      yield* provide({ url: `http://127.0.0.1:${port}`, received, hangups, waits });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
}

const noneLeft: Reply = { type: "refuse", status: 500, body: { error: { message: "no reply left" } } };

/** True where the client is left to wait. */
function answer(response: ServerResponse, reply: Reply): boolean {
  switch (reply.type) {
    case "refuse":
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
      response.end(JSON.stringify(reply.body));
      return false;
    case "hang":
      return true;
    case "stream":
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of reply.events) response.write(event);
      if (reply.then === "end") response.end();
      // What was written is sent before the connection breaks.
      if (reply.then === "cut") setImmediate(() => response.destroy());
      return reply.then === "hang";
  }
}

export const refused = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  type: "refuse",
  status,
  headers,
  body,
});

export const streamed = (events: readonly string[], then: "end" | "cut" | "hang" = "end"): Reply => ({
  type: "stream",
  events,
  then,
});

/** A call as a server streams it: its arguments in two pieces. */
export interface WireCall {
  readonly id: string;
  readonly tool: string;
  readonly input: string;
}

export interface WireTurn {
  readonly text?: string;
  readonly calls?: readonly WireCall[];
  /** The server's own word for why it ended; undefined: it never says. */
  readonly finish?: string;
  readonly usage?: { readonly input: number; readonly output: number; readonly cached: number };
}

const halves = (text: string): readonly [string, string] => {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
};

/** A turn in OpenAI's chat completions format. */
export function chatEvents({ text, calls = [], finish, usage = defaultUsage }: WireTurn): string[] {
  const chunk = (choices: unknown, more: object = {}) =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "served", choices, ...more })}\n\n`;
  const delta = (content: object, finish_reason: string | null = null) =>
    chunk([{ index: 0, delta: content, finish_reason }]);
  const events = [delta({ role: "assistant", content: "" })];
  if (text !== undefined) for (const content of halves(text)) events.push(delta({ content }));
  for (const [index, { id, tool, input }] of calls.entries()) {
    const [first, second] = halves(input);
    const start = { index, id, type: "function", function: { name: tool, arguments: first } };
    events.push(delta({ tool_calls: [start] }));
    events.push(delta({ tool_calls: [{ index, function: { arguments: second } }] }));
  }
  if (finish === undefined) return events;
  const counts = {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached },
  };
  return [...events, delta({}, finish), chunk([], { usage: counts }), "data: [DONE]\n\n"];
}

/** A turn in Anthropic's Messages format. */
export function messageEvents({ text, calls = [], finish, usage = defaultUsage }: WireTurn): string[] {
  const event = (type: string, more: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-haiku-4-5",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: usage.input - usage.cached,
      cache_read_input_tokens: usage.cached,
      cache_creation_input_tokens: 0,
      output_tokens: 1,
    },
  };
  const events = [event("message_start", { message })];
  let index = 0;
  const block = (content_block: object, deltas: readonly object[]) => {
    events.push(event("content_block_start", { index, content_block }));
    for (const delta of deltas) events.push(event("content_block_delta", { index, delta }));
    events.push(event("content_block_stop", { index }));
    index++;
  };
  if (text !== undefined) {
    block(
      { type: "text", text: "" },
      halves(text).map((piece) => ({ type: "text_delta", text: piece })),
    );
  }
  for (const { id, tool, input } of calls) {
    const deltas = halves(input).map((partial_json) => ({ type: "input_json_delta", partial_json }));
    block({ type: "tool_use", id, name: tool, input: {} }, deltas);
  }
  if (finish === undefined) return events.slice(0, -1);
  const end = { delta: { stop_reason: finish, stop_sequence: null }, usage: { output_tokens: usage.output } };
  return [...events, event("message_delta", end), event("message_stop", {})];
}

/** A turn in OpenAI's Responses format. Why it ended early is `finish`; `completed` where it did not. */
export function responseEvents({ text, calls = [], finish, usage = defaultUsage }: WireTurn): string[] {
  const event = (type: string, more: object) => `data: ${JSON.stringify({ type, ...more })}\n\n`;
  const events = [event("response.created", { response: { id: "resp_1", created_at: 1, model: "gpt" } })];
  let index = 0;
  const item = (added: { readonly id: string }, done: object, deltas: readonly object[]) => {
    const at = { output_index: index++ };
    events.push(event("response.output_item.added", { ...at, item: added }));
    for (const { type, ...delta } of deltas as { type: string }[]) {
      events.push(event(type, { ...at, item_id: added.id, ...delta }));
    }
    events.push(event("response.output_item.done", { ...at, item: { ...added, ...done } }));
  };
  if (text !== undefined) {
    const message = { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] };
    const pieces = halves(text).map((delta) => ({
      type: "response.output_text.delta",
      content_index: 0,
      delta,
    }));
    item(message, { status: "completed" }, pieces);
  }
  for (const { id, tool, input } of calls) {
    const call = { type: "function_call", id: `fc_${index}`, call_id: id, name: tool, arguments: "" };
    const pieces = halves(input).map((delta) => ({ type: "response.function_call_arguments.delta", delta }));
    item(call, { arguments: input, status: "completed" }, pieces);
  }
  if (finish === undefined) return events.slice(0, -1);
  const counts = {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
  };
  return finish === "completed"
    ? [...events, event("response.completed", { response: { usage: counts } })]
    : [
        ...events,
        event("response.incomplete", { response: { usage: counts, incomplete_details: { reason: finish } } }),
      ];
}

const defaultUsage = { input: 120, output: 15, cached: 0 };
