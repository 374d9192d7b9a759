import { withoutPassword } from "@agentpool/journal";
import type { HarnessConfig } from "./harness.ts";
import { REFERENCE } from "./mcp-servers.ts";

/** What stands in place of a value that is not to be read. */
const HIDDEN = "(hidden)";

/** Maps whose values may be secrets. */
const CONFIDENTIAL = new Set(["env", "headers"]);

/**
 * A configuration as it may be put on record and shown: values of environments and headers are hidden, unless they only
 * name what stands in the environment; so are passwords in URLs.
 */
export const configOnRecord = (config: HarnessConfig): HarnessConfig => shown(config, false) as HarnessConfig;

function shown(value: unknown, isConfidential: boolean): unknown {
  if (typeof value === "string") return isConfidential ? withoutSecrets(value) : withoutPassword(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => shown(inner, isConfidential));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, shown(inner, isConfidential || CONFIDENTIAL.has(key))]),
  );
}

/** `Bearer ${TOKEN}` says nothing that is secret. */
const withoutSecrets = (text: string): string =>
  text.replace(/^\w+\s+/, "").replace(REFERENCE, "") === "" && text !== "" ? text : HIDDEN;
