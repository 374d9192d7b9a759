import { ConfigurationError } from "@agentpool/core";

/** A model file somewhere on the net. */
export interface ModelUri {
  /** Where each of its files is fetched: one, or all parts of a model that was split. */
  readonly urls: readonly string[];
  /** Where it comes from is Hugging Face, or what stands in for it: its token may be sent there. */
  readonly hub: boolean;
}

export interface HubAccess {
  /** Default `https://huggingface.co`. */
  readonly endpoint?: string;
}

/**
 * Reads where a model file is: `hf:<user>/<repository>/<file>.gguf`, with `#<revision>` at its end where it is not
 * `main`; or an address with http. Of a model in parts (`…-00001-of-00003.gguf`) any part names all of them.
 *
 * @throws ConfigurationError for anything else.
 */
export function modelUri(text: string, { endpoint = "https://huggingface.co" }: HubAccess = {}): ModelUri {
  if (/^https?:\/\//.test(text)) {
    const url = parsed(text) ?? refuse(text);
    if (!/\.gguf$/i.test(url.pathname)) refuse(text);
    const hub = url.origin === parsed(endpoint)?.origin;
    return {
      urls: partsOf(url.pathname).map((path) => Object.assign(new URL(url), { pathname: path }).href),
      hub,
    };
  }
  const [, user, repository, file, revision = "main"] =
    /^(?:hf|huggingface):(?:\/\/)?([\w.-]+)\/([\w.-]+)\/([^#]+\.gguf)(?:#([\w./-]+))?$/i.exec(text) ??
    refuse(text);
  const base = `${endpoint.replace(/\/+$/, "")}/${user}/${repository}/resolve/${encodeURIComponent(revision)}`;
  const escaped = file!.split("/").map(encodeURIComponent).join("/");
  return { urls: partsOf(escaped).map((path) => `${base}/${path}`), hub: true };
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function partsOf(path: string): string[] {
  const [, start, count, end] = /^(.*-)\d{5}-of-(\d{5})(\.gguf)$/i.exec(path) ?? [];
  if (count === undefined) return [path];
  return Array.from(
    { length: Number(count) },
    (_, at) => `${start}${String(at + 1).padStart(5, "0")}-of-${count}${end}`,
  );
}

function refuse(text: string): never {
  throw new ConfigurationError(
    `got ${JSON.stringify(text)}; takes hf:<user>/<repository>/<file>.gguf, or the address of a .gguf file, for example ` +
      "hf:bartowski/SmolLM2-360M-Instruct-GGUF/SmolLM2-360M-Instruct-Q8_0.gguf",
  );
}
