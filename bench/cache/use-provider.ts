import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Operation, resource, until, useScope } from "effection";
import type { SentBody } from "./sent-body.ts";

/** A server on this machine that answers requests in Anthropic's format; gives its address. */
export const useProvider = (answer: (body: SentBody) => Operation<string>): Operation<string> =>
  resource(function* (provide) {
    const scope = yield* useScope();
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as SentBody;
      try {
        const events = await scope.run(() => answer(body));
        response.writeHead(200, { "content-type": "text/event-stream" }).end(events);
      } catch {
        response.destroy();
      }
    });
    yield* until(new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
    try {
      yield* provide(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
