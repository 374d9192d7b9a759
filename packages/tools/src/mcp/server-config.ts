import type { ServedConsequences } from "@agentpool/core";

/** A server that is a program: it is started, spoken to on its standard streams, and ended with the scope. */
export interface McpProgram {
  readonly command: string;
  readonly args?: readonly string[];
  /** Beside `PATH`, `HOME` and the like: nothing else of this process' environment gets there. */
  readonly env?: { readonly [name: string]: string };
  /** Where it runs. Default: the folder of this process. */
  readonly cwd?: string;
}

/** A server that is reached over [streamable HTTP](https://modelcontextprotocol.io/specification/draft/basic/transports). */
export interface McpEndpoint {
  readonly url: string;
  /** Sent with every request. */
  readonly headers?: { readonly [name: string]: string };
}

/** What is to be made of a server's tools. Tools are meant by the names that the server gives them, `*` for any part. */
export interface McpServerSettings {
  /** Letters, digits, `-` and single `_`: part of the names and identities of its tools. */
  readonly name: string;
  /** Default: all that it lists. */
  readonly tools?: readonly string[];
  /** Tools that run only where a run holds a grant for them. */
  readonly protected?: readonly string[];
  /** Which of its tools are consequential. Default: those that declare themselves destructive. */
  readonly consequential?: ServedConsequences;
  /** What it is given in confidence, beside the values of `env` and `headers`: left out of what it says in errors. */
  readonly secrets?: readonly string[];
  /** Milliseconds that a call may take. Default 120,000. */
  readonly timeoutMs?: number;
  /** Milliseconds until it has to have been reached, and to have listed its tools. Default 60,000. */
  readonly startTimeoutMs?: number;
}

/** An MCP server: where it is, and what is to be made of its tools. */
export type McpServerConfig = McpServerSettings & (McpProgram | McpEndpoint);

/** How a server is called in messages. */
export const called = ({ name }: McpServerSettings): string => `The MCP server "${name}"`;
