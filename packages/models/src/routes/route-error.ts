import { ConfigurationError } from "@agentpool/core";

/** Keys of `models` that can't be followed. */
export class RouteError extends ConfigurationError {
  /** The keys it is about, as they are written. */
  readonly routes: readonly string[];

  constructor(routes: readonly string[], message: string) {
    super(message);
    this.routes = routes;
  }
}
