import type { Tool } from "@agentpool/core";
import { type Corpus, corpusTools, useCorpus } from "@agentpool/tools";
import type { Operation } from "effection";
import type { Harness } from "./harness.ts";
import { loadProgram } from "./load-program.ts";
import { useServers } from "./mcp-servers.ts";
import { ownBriefs } from "./own-briefs.ts";
import type { HarnessProgram } from "./program.ts";

/** What a harness works with: its program, its documents, and the tools of both and of its MCP servers. */
export interface HarnessTools {
  readonly program: HarnessProgram | undefined;
  readonly corpus: Corpus | undefined;
  readonly tools: readonly Tool[];
  /** What of them cannot be used, and why. */
  readonly notices: readonly string[];
}

export interface UseToolsOptions {
  /** Told while documents are read into their index. */
  readonly onReading?: (done: number, total: number) => void;
  /** Told what becomes of MCP servers that end before their scope. */
  readonly onNotice?: (message: string) => void;
  /** Whether MCP servers are started and reached. Default true. */
  readonly servers?: boolean;
}

/**
 * The tools of a harness, for as long as the scope.
 *
 * Throws `ConfigurationError` where its program cannot be loaded, it has no document, or a server cannot be used.
 */
export function* useTools(
  harness: Harness,
  { onReading, onNotice, servers = true }: UseToolsOptions = {},
): Operation<HarnessTools> {
  const program = yield* loadProgram(harness);
  const served = servers
    ? yield* useServers(harness, onNotice ? { onNotice } : {})
    : { tools: [], notices: [] };
  const corpus =
    harness.corpus &&
    (yield* useCorpus({
      ...harness.corpus,
      ignore: ownBriefs(harness.corpus.paths),
      progress: onReading,
    }));
  const tools = [...(corpus ? corpusTools(corpus) : []), ...(program?.tools ?? []), ...served.tools];
  return { program, corpus, tools, notices: [...served.notices, ...(corpus?.notices ?? [])] };
}
