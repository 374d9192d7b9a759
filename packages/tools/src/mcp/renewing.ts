import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";

const SESSION = "mcp-session-id";

/**
 * `fetch` that begins a new session where the server has forgotten ours, as it says with 404: nothing of what it was
 * sent has been done, so that it is sent again in the new one. As
 * [the protocol has it](https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#session-management).
 */
export function renewing(ask: FetchLike): FetchLike {
  let hello: string | undefined;
  let renewal: { readonly of: string; readonly session: Promise<string | undefined> } | undefined;
  return async (url, init) => {
    if (typeof init?.body !== "string") return ask(url, init);
    if (isHello(init.body)) hello = init.body;
    const response = await ask(url, init);
    const headers = new Headers(init.headers);
    const forgotten = headers.get(SESSION);
    if (response.status !== 404 || forgotten === null || hello === undefined) return response;
    // calls that find it forgotten at once begin one session together
    if (renewal?.of !== forgotten) renewal = { of: forgotten, session: begin(ask, url, init, hello) };
    const session = await renewal.session;
    if (session === undefined) {
      renewal = undefined;
      return response;
    }
    await response.body?.cancel();
    headers.set(SESSION, session);
    const again = await ask(url, { ...init, headers });
    const answer = new Response(again.body, again);
    answer.headers.set(SESSION, session);
    return answer;
  };
}

/** The session that a server begins; undefined where it begins none. */
async function begin(
  ask: FetchLike,
  url: string | URL,
  init: RequestInit,
  hello: string,
): Promise<string | undefined> {
  try {
    const headers = new Headers(init.headers);
    headers.delete(SESSION);
    const begun = await ask(url, { ...init, headers, body: hello });
    const session = begun.ok ? begun.headers.get(SESSION) : null;
    await begun.body?.cancel();
    if (session === null) return undefined;
    headers.set(SESSION, session);
    const ready = await ask(url, { ...init, headers, body: READY });
    await ready.body?.cancel();
    return ready.ok ? session : undefined;
  } catch {
    return undefined;
  }
}

const READY = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });

const isHello = (body: string): boolean =>
  (JSON.parse(body) as { readonly method?: unknown }).method === "initialize";
