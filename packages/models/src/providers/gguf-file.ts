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
  const magic = start.subarray(0, 4);
  if (magic.toString("latin1") !== "GGUF") {
    throw refuse(
      `${file} is no GGUF file: it starts with ${describe(magic)}, not with "GGUF". Models in other formats have to ` +
        "be converted; look for a version of it with GGUF in its name",
    );
  }
  const wrong = wrongIn(start, stats.size);
  if (wrong !== undefined) throw refuse(`${file} ${wrong}`);
  return file;
}

/** Magic, version, and how many tensors and pieces of metadata follow. */
const headerBytes = 24;

function firstBytes(file: string): Buffer {
  const start = Buffer.alloc(headerBytes);
  const descriptor = openSync(file, "r");
  try {
    return start.subarray(0, readSync(descriptor, start, 0, headerBytes, 0));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * What is wrong with a header, by the format's
 * [specification](https://github.com/ggml-org/ggml/blob/master/docs/gguf.md). Readers take its counts on trust.
 */
function wrongIn(header: Buffer, size: number): string | undefined {
  if (header.length < headerBytes) return `is cut short: it has ${size} bytes; fetch it again`;
  const version = header.readUInt32LE(4);
  if (version !== 2 && version !== 3)
    return `is no GGUF file that can be read: its version is ${version}; takes 2 or 3`;
  const counts = [header.readBigUInt64LE(8), header.readBigUInt64LE(16)];
  if (counts.some((count) => count > size))
    return "is damaged: its header promises more than its bytes can hold; fetch it again";
  return undefined;
}

function describe(start: Buffer): string {
  if (start.length === 0) return "nothing (it is empty)";
  const text = start.toString("latin1");
  return /^[\x20-\x7e]+$/.test(text) ? JSON.stringify(text) : `the bytes ${start.toString("hex")}`;
}
