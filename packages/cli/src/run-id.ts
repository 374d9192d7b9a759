import { randomBytes } from "node:crypto";

/** A name for a run that sorts by time and is safe as a file's: `20260131-142530-9f3a1c`. Local time. */
export function runId(now: Date, random: string = randomBytes(3).toString("hex")): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const time = `${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
  return `${day}-${time}-${random}`;
}
