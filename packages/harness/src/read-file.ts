import { existsSync, readFileSync, statSync } from "node:fs";
import { HarnessError } from "./problem.ts";

const LARGEST = 1_000_000;

/** A harness file's text. Throws {@link HarnessError} for what cannot be a harness file. */
export function readHarnessFile(path: string, shown: string): string {
  const fail = (message: string): never => {
    throw new HarnessError([{ origin: { type: "file", file: shown, line: 1, column: 1 }, key: "", message }]);
  };
  if (!existsSync(path)) fail("there is no such file.");
  const stat = statSync(path);
  if (!stat.isFile()) fail("is not a file; a harness is a YAML file.");
  if (stat.size > LARGEST) fail(`has ${stat.size} bytes; a harness file has ${LARGEST} at most.`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof TypeError) return fail("is not UTF-8 text; save it as UTF-8.");
    return fail(`cannot be read: ${(error as Error).message}`);
  }
}
