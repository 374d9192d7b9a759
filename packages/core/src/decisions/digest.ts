import { createHash } from "node:crypto";
import type { Args } from "../values/json.ts";

/**
 * What an approval is bound to: SHA-256 of a call's identity and arguments, in hexadecimal. The order of keys makes no
 * difference; every character does: white space and line ends mean something in code and in commands.
 */
export const digestOf = (identity: string, args: Args): string =>
  createHash("sha256")
    .update(`${identity}\n${JSON.stringify(args, inOrder)}`)
    .digest("hex");

const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** An approval's id: short enough to type, and another one for another call or other arguments. */
export const approvalId = (run: string, call: string, digest: string): string =>
  createHash("sha256").update(`${run}\n${call}\n${digest}`).digest("hex").slice(0, 10);
