import { StoreError } from "./errors.ts";

/** Where a store is, as its URL says. */
export type StorePlace =
  | { readonly type: "sqlite"; readonly path: string; readonly durable: boolean }
  | { readonly type: "postgres"; readonly url: string };

const ACCEPTED = "accepted are sqlite:PATH, postgres://… and none";

/** Reads a store's URL. Throws {@link StoreError} for one that is none. */
export function storePlace(url: string): StorePlace {
  const [, scheme = "", rest = ""] = /^([a-z]+):(.*)$/s.exec(url) ?? [];
  if (scheme === "sqlite") {
    const [path = "", query = ""] = rest.split("?", 2);
    const parameters = [...new URLSearchParams(query)];
    const unknown = parameters.find(([name, value]) => name !== "durable" || value !== "true");
    if (path === "") throw bad(url, "no path follows sqlite:");
    if (path.startsWith("//"))
      throw bad(url, "a path follows sqlite: directly, as in sqlite:.pool/runs.db or sqlite:/data/runs.db");
    if (unknown) throw bad(url, `${unknown[0]} is not a setting of it; there is durable=true`);
    return { type: "sqlite", path, durable: parameters.length > 0 };
  }
  if (scheme === "postgres" || scheme === "postgresql") {
    if (!URL.canParse(url)) throw bad(url, "it is no URL");
    return { type: "postgres", url };
  }
  throw bad(url, scheme === "" ? "it names no kind of store" : `${scheme} is no kind of store`);
}

const bad = (url: string, why: string): StoreError =>
  new StoreError("url", `store: found ${JSON.stringify(withoutPassword(url))}: ${why}; ${ACCEPTED}.`);

/** A URL as it may be shown or recorded: `…` in place of its passwords, also where they should have been escaped. */
export const withoutPassword = (url: string): string =>
  url.replace(/(:\/\/[^:/?#@]*:).*@/s, "$1…@").replace(/([?&](?:ssl)?password=)[^&#]*/gi, "$1…");
