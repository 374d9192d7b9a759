import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";
import { ensure, type Operation, race, resource, sleep, until } from "effection";
import { renewing } from "./renewing.ts";
import type { McpEndpoint } from "./server-config.ts";

/** Bytes of one response to a message of ours. */
const LARGEST = 32 * 1024 * 1024;
/** Milliseconds that a server has to take note that its session is over. */
const GRACE = 1_000;

/** A server at a URL, as a transport, for as long as the scope: then its session is over, and no request goes on. */
export const useEndpoint = ({ url, headers = {} }: McpEndpoint): Operation<StreamableHTTPClientTransport> =>
  resource(function* (provide) {
    const transport: StreamableHTTPClientTransport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { ...headers } },
      fetch: renewing(answering((id) => transport.onmessage?.(unanswered(id)))),
      // what it would say by itself is of no use here, and timers would outlive the scope
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 0,
        maxReconnectionDelay: 0,
        reconnectionDelayGrowFactor: 1,
      },
    });
    yield* ensure(function* () {
      const over = transport.terminateSession().catch(() => {});
      yield* race([until(over), sleep(GRACE)]);
      yield* until(transport.close());
    });
    yield* provide(transport);
  });

/**
 * `fetch` that tells of a request whose stream is over: where the server is gone in the middle of a call, nobody else
 * would say so. What is cancelled is not read on, whatever the server does; an answer that never ends is cut off.
 */
function answering(over: (id: RequestId) => void): FetchLike {
  const open = new Map<RequestId, AbortController>();
  return async (url, init) => {
    const { id, cancels } = sentIn(init);
    if (cancels !== undefined) open.get(cancels)?.abort();
    if (id === undefined) return fetch(url, init);
    const cancelled = new AbortController();
    open.set(id, cancelled);
    const signals = [cancelled.signal, ...(init?.signal ? [init.signal] : [])];
    let body: ReadableStream<Uint8Array> | undefined;
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
      if (!response.ok || !response.body) return response;
      body = measured(response.body, () => {
        open.delete(id);
        setImmediate(() => over(id)); // by then what came before has been taken
      });
      return new Response(body, response);
    } finally {
      if (!body) open.delete(id);
    }
  };
}

/** The request that is sent, or the one that is taken back. */
function sentIn(init: RequestInit | undefined): { readonly id?: RequestId; readonly cancels?: RequestId } {
  if (init?.method !== "POST" || typeof init.body !== "string") return {};
  const message = JSON.parse(init.body) as JSONRPCMessage;
  if (!("method" in message)) return {};
  if ("id" in message) return { id: message.id };
  const { method, params } = message;
  return method === "notifications/cancelled" ? { cancels: params?.requestId as RequestId } : {};
}

function measured(body: ReadableStream<Uint8Array>, over: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let size = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        size += value?.length ?? 0;
        if (size > LARGEST) throw new Error(`its answer is longer than ${LARGEST} bytes`);
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
        await reader.cancel(error).catch(() => {});
      }
      over();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Nobody waits for it where the answer has come. */
const unanswered = (id: RequestId): JSONRPCMessage => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32_000, message: "the connection ended before the answer had come" },
});
