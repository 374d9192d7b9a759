import { ConfigurationError } from "@agentpool/core";

/** An MCP server that cannot be used: it cannot be reached, does not answer, or is not what was asked for. */
export class McpServerError extends ConfigurationError {
  /** Its name. */
  readonly server: string;
  constructor(server: string, message: string, options?: ErrorOptions) {
    super(message);
    this.server = server;
    if (options && "cause" in options) this.cause = options.cause;
  }
}
