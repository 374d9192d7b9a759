import { call, type Operation, useAbortSignal } from "effection";
import { PullError } from "./pull-error.ts";

/** What a server says about a file before it is fetched. */
export interface Published {
  /** Bytes. Undefined where it does not say. */
  readonly size: number | undefined;
  /** Its SHA-256, in hex. */
  readonly sha256: string | undefined;
  /** Changes when the file does. */
  readonly etag: string | undefined;
}

/** Redirects within one server, as of a repository that was renamed. */
const mostRedirects = 5;

/**
 * Asks for a file's size and digest. Hugging Face answers with a redirect to where the bytes are, which carries
 * [both](https://huggingface.co/docs/hub/api).
 *
 * @throws PullError where there is no such file, it may not be read, or nobody answers.
 */
export function* published(url: string, headers: Readonly<Record<string, string>>): Operation<Published> {
  const signal = yield* useAbortSignal();
  let at = url;
  for (let hop = 0; ; hop++) {
    const response = yield* call(() => ask(at, { method: "HEAD", redirect: "manual", headers, signal }));
    const linked = hex(response.headers.get("x-linked-etag"));
    const location = response.headers.get("location");
    const isRedirect = response.status >= 300 && response.status < 400 && location !== null;
    if (isRedirect && linked === undefined && hop < mostRedirects) {
      const next = new URL(location, at);
      if (next.origin !== new URL(at).origin) return { size: undefined, sha256: undefined, etag: undefined };
      at = next.href;
      continue;
    }
    if (!isRedirect) refuseUnlessOk(response, url);
    const length =
      response.headers.get("x-linked-size") ?? (isRedirect ? null : response.headers.get("content-length"));
    const etag = response.headers.get("etag");
    return {
      size: length === null ? undefined : Number(length),
      sha256: linked ?? (isRedirect ? undefined : hex(etag)),
      etag: linked ?? etag ?? undefined,
    };
  }
}

/** A digest out of an etag, where it is one. */
const hex = (etag: string | null): string | undefined =>
  /^(?:W\/)?"?([0-9a-f]{64})"?$/i.exec(etag ?? "")?.[1]?.toLowerCase();

export async function ask(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    const { cause, message } = error as Error;
    throw new PullError(
      `${new URL(url).origin} cannot be reached: ${(cause as Error | undefined)?.message || message}`,
      {
        cause: error,
      },
    );
  }
}

export function refuseUnlessOk(response: Response, url: string): void {
  if (response.ok) return;
  const { status } = response;
  if (status === 401 || status === 403)
    throw new PullError(
      `${url} may not be read (${status}): accept the model's terms on its page, and set HF_TOKEN to a token of yours ` +
        "(https://huggingface.co/settings/tokens)",
    );
  if (status === 404)
    throw new PullError(`there is no ${url}; look at the repository's files for the exact name`);
  throw new PullError(`${url} answered with ${status} ${response.statusText}`.trim());
}
