import { join, resolve } from "node:path";
import { ConfigurationError } from "@agentpool/core";
import type { Operation } from "effection";
import { modelUri } from "./model-uri.ts";
import { type PulledFile, pullFile } from "./pull-file.ts";

export interface PullOptions {
  /** The folder it is put into. Default `models`. */
  readonly to?: string;
  /** What the SHA-256 of its bytes has to be, in hex. Default: what the server publishes, where it does. */
  readonly sha256?: string;
  /** Told as bytes come: of which file, how many it has, and how many there are. */
  readonly onBytes?: (file: string, done: number, total: number | undefined) => void;
  /** `HF_ENDPOINT` and `HF_TOKEN` are read. Default: the process' environment. */
  readonly env?: { readonly [variable: string]: string | undefined };
}

/** A model that is on the disk. */
export interface PulledModel {
  /** Its file, which `llama:` takes; of a model in parts the first. */
  readonly path: string;
  readonly files: readonly PulledFile[];
}

/**
 * Fetches a model file from [Hugging Face](https://huggingface.co/models?library=gguf) or from an address, verifies its
 * digest, and puts it into a folder. What was fetched before a halt or a broken connection is kept, and gone on from.
 *
 * ```ts
 * const { path } = yield* pullModel("hf:bartowski/SmolLM2-360M-Instruct-GGUF/SmolLM2-360M-Instruct-Q8_0.gguf");
 * const model = resolveModel(`llama:${path}`);
 * ```
 *
 * @throws ConfigurationError for what names no model file; {@link PullError} where it cannot be had.
 */
export function* pullModel(uri: string, options: PullOptions = {}): Operation<PulledModel> {
  const { to = "models", sha256, onBytes, env = process.env } = options;
  const endpoint = env.HF_ENDPOINT?.trim() || undefined;
  const { urls, hub } = modelUri(uri, endpoint === undefined ? {} : { endpoint });
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256))
    throw new ConfigurationError(`sha256: got ${JSON.stringify(sha256)}; takes 64 digits in hex`);
  if (sha256 !== undefined && urls.length > 1)
    throw new ConfigurationError(`sha256: ${uri} has ${urls.length} parts, and one digest is of one file`);
  const token = env.HF_TOKEN?.trim();
  const headers: Record<string, string> = hub && token ? { authorization: `Bearer ${token}` } : {};
  const files: PulledFile[] = [];
  for (const url of urls) {
    const name = decodeURIComponent(new URL(url).pathname.split("/").at(-1)!);
    files.push(
      yield* pullFile({
        url,
        to: join(resolve(to), name),
        headers,
        sha256,
        onBytes: (done, total) => onBytes?.(name, done, total),
      }),
    );
  }
  return { path: files[0]!.path, files };
}
