import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdirSync, renameSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { ensure, type Operation, scoped, until } from "effection";
import { ggufFile } from "../providers/gguf-file.ts";
import { PartialFile } from "./partial-file.ts";
import { ask, type Published, published, refuseUnlessOk } from "./published.ts";
import { PullError } from "./pull-error.ts";

export interface Pulling {
  readonly url: string;
  /** Where it is put. */
  readonly to: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What its SHA-256 has to be. Default: what the server says. */
  readonly sha256: string | undefined;
  readonly onBytes: (done: number, total: number | undefined) => void;
}

/** A file that was fetched, or was there. */
export interface PulledFile {
  readonly path: string;
  readonly size: number;
  /** Of what is on the disk. */
  readonly sha256: string;
  /** The digest was held against one that was published or given. */
  readonly verified: boolean;
  readonly fetched: boolean;
}

/** Fetches one file, or goes on with what is there of it. Halted, it keeps what it has. */
export function* pullFile(pulling: Pulling): Operation<PulledFile> {
  const { url, to, headers } = pulling;
  const known = yield* scoped(() => published(url, headers));
  const wanted = pulling.sha256?.toLowerCase() ?? known.sha256;
  if (existsSync(to)) return yield* alreadyThere(to, wanted, known);
  mkdirSync(dirname(to), { recursive: true });
  const part = new PartialFile(`${to}.part`);
  yield* until(part.take(known.etag));
  checkRoom(to, (known.size ?? 0) - part.size);
  if (known.size === undefined || part.size < known.size) yield* fetchInto(part, pulling, known);
  const sha256 = part.hash.digest("hex");
  if (known.size !== undefined && part.size !== known.size) {
    part.forget();
    throw new PullError(
      `${url} has ${known.size} bytes, and ${part.size} came; it was thrown away: fetch it again`,
    );
  }
  if (wanted !== undefined && sha256 !== wanted) {
    part.forget();
    throw new PullError(
      `${url} came with the SHA-256 ${sha256}, and ${wanted} was expected; it was thrown away: fetch it again`,
    );
  }
  refuseOther(part);
  renameSync(part.path, to);
  part.done();
  return { path: to, size: part.size, sha256, verified: wanted !== undefined, fetched: true };
}

function* alreadyThere(to: string, wanted: string | undefined, { size }: Published): Operation<PulledFile> {
  const sha256 = yield* until(digestOf(to));
  const has = statSync(to).size;
  if ((wanted !== undefined && sha256 !== wanted) || (size !== undefined && has !== size))
    throw new PullError(
      `${to} is there, and is another file than the one that is published; move it away, or give --to`,
    );
  return { path: to, size: has, sha256, verified: wanted !== undefined, fetched: false };
}

/** Times that a connection may break without a byte in between. */
const mostBreaks = 2;
/** Milliseconds without a byte after which a connection counts as broken. */
const silence = 60_000;

/** Reads to the end, on connections that may break as long as each brings something. */
function* fetchInto(part: PartialFile, pulling: Pulling, known: Published): Operation<void> {
  for (let breaks = 0; ; ) {
    const before = part.size;
    const broken = yield* scoped(() => connection(part, pulling, known));
    if (broken === undefined) return;
    breaks = part.size > before ? 0 : breaks + 1;
    if (breaks > mostBreaks)
      throw new PullError(
        `${broken.message}; ${part.size} bytes are kept: the same command goes on from there`,
        {
          cause: broken,
        },
      );
  }
}

/** One connection: undefined where it came to the file's end. */
function* connection(
  part: PartialFile,
  { url, headers, onBytes }: Pulling,
  known: Published,
): Operation<Error | undefined> {
  const leaving = new AbortController();
  const quiet = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(
      () => quiet.abort(new Error(`${new URL(url).host} has been silent for a minute`)),
      silence,
    );
  };
  const signal = AbortSignal.any([leaving.signal, quiet.signal]);
  const working = (async () => {
    heard();
    const response = await ask(url, {
      signal,
      headers: part.size === 0 ? headers : { ...headers, range: `bytes=${part.size}-` },
    });
    // Whole where it cannot be had from the middle.
    if (response.status === 416) part.restart();
    else refuseUnlessOk(response, url);
    if (response.status === 200) part.restart();
    const length = response.headers.get("content-length");
    const total = known.size ?? (length === null ? undefined : part.size + Number(length));
    if (response.status === 416 || response.body === null) throw new Error(`${url} cannot be continued`);
    onBytes(part.size, total);
    const read = (size: number) => {
      heard();
      onBytes(size, total);
    };
    await part.add(response.body as unknown as AsyncIterable<Uint8Array>, read);
    if (total !== undefined && part.size < total)
      throw new Error(`${new URL(url).host} ended the connection`);
  })();
  // The file is closed before anybody goes on, also where this is halted.
  yield* ensure(() => until(working.catch(() => {})));
  try {
    yield* until(working);
    return undefined;
  } catch (error) {
    if (error instanceof PullError && part.size === 0) throw error;
    return quiet.signal.aborted ? (quiet.signal.reason as Error) : (error as Error);
  } finally {
    clearTimeout(timer);
    leaving.abort();
  }
}

function checkRoom(to: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dirname(to));
  if (bavail * bsize >= bytes) return;
  throw new PullError(
    `${dirname(to)} has room for ${Math.floor((bavail * bsize) / 1e6)} MB, and ${Math.ceil(bytes / 1e6)} MB are to come; ` +
      "make room, or give --to",
  );
}

/** A page in place of a file is not kept. */
function refuseOther(part: PartialFile): void {
  try {
    ggufFile(part.path);
  } catch (error) {
    part.forget();
    throw new PullError(`what came is no model: ${(error as Error).message}`, { cause: error });
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
