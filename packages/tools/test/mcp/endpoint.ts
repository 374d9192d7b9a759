import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { type Operation, resource, until } from "effection";
// @ts-expect-error: a program in plain JavaScript, which node runs as it is
import { shop } from "./shop.mjs";

export interface Endpoint {
  readonly url: string;
  /** Headers of every request, in order. */
  readonly received: IncomingMessage["headers"][];
  /** Sessions that clients have ended. */
  readonly ended: string[];
  /** Answers what comes next by itself: true where it did. */
  before: ((request: IncomingMessage, response: ServerResponse, body: string) => boolean) | undefined;
  /** Knows no session any more. */
  forget(): void;
  /** Cuts every connection, and takes no more. */
  stop(): Promise<void>;
}

/** The shop over streamable HTTP, on this machine alone, for as long as the scope. */
export const useEndpoint = (options: { readonly log?: string } = {}): Operation<Endpoint> =>
  resource(function* (provide) {
    const sessions = new Map<string, StreamableHTTPServerTransport>();
    const received: IncomingMessage["headers"][] = [];
    const ended: string[] = [];
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      received.push(request.headers);
      let body = "";
      for await (const chunk of request) body += chunk;
      if (endpoint.before?.(request, response, body)) return;
      const id = request.headers["mcp-session-id"];
      let transport = typeof id === "string" ? sessions.get(id) : undefined;
      if (typeof id === "string" && !transport) return void response.writeHead(404).end("no such session");
      if (!transport) {
        const made = new StreamableHTTPServerTransport({
          sessionIdGenerator: () => randomUUID(),
          onsessioninitialized: (session) => void sessions.set(session, made),
          onsessionclosed: (session) => void ended.push(session),
        });
        await shop(options).connect(made);
        transport = made;
      }
      await transport.handleRequest(request, response, body === "" ? undefined : JSON.parse(body));
    };
    const server: Server = createServer(
      (request, response) => void answer(request, response).catch(() => {}),
    );
    yield* until(new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
    const stop = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    const { port } = server.address() as AddressInfo;
    const endpoint: Endpoint = {
      url: `http://127.0.0.1:${port}/mcp`,
      received,
      ended,
      before: undefined,
      forget: () => sessions.clear(),
      stop,
    };
    try {
      yield* provide(endpoint);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
