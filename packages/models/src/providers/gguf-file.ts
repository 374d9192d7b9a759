import { closeSync, openSync, readSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { ConfigurationError } from "@agentpool/core";

/**
 * The absolute path of a model file. A path starts from `cwd`, and `~/` from the home folder.
 *
 * @throws ConfigurationError where there is no such file, or it is not GGUF.
 */
export function ggufFile(path: string, cwd = process.cwd()): string {
  const file = resolve(cwd, path.replace(/^~(?=\/)/, homedir()));
  const refuse = (found: string) => new ConfigurationError(`model: llama:${path}: ${found}`);
  if (path.trim() === "") throw refuse("names no file; for example llama:models/smollm2.gguf");
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined)
    throw refuse(
      `there is no file ${file}; \`pool models pull hf:<user>/<repository>/<file>.gguf\` fetches one`,
    );
  if (!stats.isFile()) throw refuse(`${file} is a folder; takes a model file in the GGUF format`);
  const start = firstBytes(file);
  if (start.toString("latin1") === "GGUF") return file;
  throw refuse(
    `${file} is no GGUF file: it starts with ${describe(start)}, not with "GGUF". Models in other formats have to be ` +
      "converted; look for a version of it with GGUF in its name",
  );
}

function firstBytes(file: string): Buffer {
  const start = Buffer.alloc(4);
  const descriptor = openSync(file, "r");
  try {
    return start.subarray(0, readSync(descriptor, start, 0, 4, 0));
  } finally {
    closeSync(descriptor);
  }
}

function describe(start: Buffer): string {
  if (start.length === 0) return "nothing (it is empty)";
  const text = start.toString("latin1");
  return /^[\x20-\x7e]+$/.test(text) ? JSON.stringify(text) : `the bytes ${start.toString("hex")}`;
}
