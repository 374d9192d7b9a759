import { createHash } from "node:crypto";
import type { Args } from "../values/json.ts";
import { canonicalJson } from "./canonical.ts";

/** What an approval is bound to: SHA-256 of a call's identity and arguments, in hexadecimal. */
export const digestOf = (identity: string, args: Args): string =>
  createHash("sha256")
    .update(`${identity}\n${canonicalJson(args)}`)
    .digest("hex");

/** An approval's id: short enough to type, and another one for another call or other arguments. */
export const approvalId = (run: string, call: string, digest: string): string =>
  createHash("sha256").update(`${run}\n${call}\n${digest}`).digest("hex").slice(0, 10);
