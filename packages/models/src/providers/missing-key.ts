import { ConfigurationError } from "@agentpool/core";

/** A model's key is not in the environment. In a list of models the next is used instead. */
export class MissingKeyError extends ConfigurationError {}
