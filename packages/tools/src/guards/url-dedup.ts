import { canonicalUrl, dedup, type ToolGuard } from "@agentpool/core";

export interface UrlDedupOptions {
  /** The argument that holds the URL. Default `url`. */
  readonly argument?: string;
  /** Whether the order of query parameters matters. Default `sorted`: it does not. */
  readonly query?: "ordered" | "sorted";
  /** Names or identities of the tools it gates. Default: on a tool's own hooks that tool, else every tool. */
  readonly tools?: readonly string[];
}

/**
 * `url_dedup`: a guard for tools that have a URL. A page that was read is not fetched again, however its URL is
 * written (case of the host, default port, fragment, trailing slash). A call without a URL is never blocked.
 *
 * ```ts
 * defineTool({ name: "fetch_page", hooks: { beforeDispatch: [urlDedup()] }, … });
 * ```
 */
export const urlDedup = ({ argument = "url", query = "sorted", tools }: UrlDedupOptions = {}): ToolGuard =>
  dedup("url_dedup", (args) => canonicalUrl(args[argument], { query }), {
    ...(tools ? { tools } : {}),
    message: "This page was read already. Use what it said, or try a different source.",
  });
