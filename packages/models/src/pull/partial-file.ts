import { createHash, type Hash } from "node:crypto";
import { createReadStream, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";

/** A file that is being fetched: its bytes so far, and of which file they are. */
export class PartialFile {
  readonly path: string;
  /** A digest of its bytes so far, once {@link take} has read them. */
  hash: Hash = createHash("sha256");
  size = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** Goes on with what was kept of the same file, and forgets what was kept of another. */
  async take(etag: string | undefined): Promise<void> {
    const kept = existsSync(this.path) && existsSync(this.#note) && readFileSync(this.#note, "utf8");
    if (etag === undefined || kept !== etag) this.forget();
    if (etag !== undefined) writeFileSync(this.#note, etag);
    this.hash = createHash("sha256");
    this.size = 0;
    if (!existsSync(this.path)) return;
    await pipeline(createReadStream(this.path), async (bytes) => {
      for await (const chunk of bytes) this.hash.update(chunk as Buffer);
    });
    this.size = statSync(this.path).size;
  }

  /** Adds bytes as they come, no faster than the disk takes them. What is counted is written. */
  async add(bytes: AsyncIterable<Uint8Array>, onBytes: (size: number) => void): Promise<void> {
    const file = await open(this.path, "a");
    try {
      for await (const chunk of bytes) {
        await file.writeFile(chunk);
        this.hash.update(chunk);
        this.size += chunk.length;
        onBytes(this.size);
      }
    } finally {
      await file.close();
    }
  }

  /** From the start again. */
  restart(): void {
    rmSync(this.path, { force: true });
    this.hash = createHash("sha256");
    this.size = 0;
  }

  forget(): void {
    this.restart();
    rmSync(this.#note, { force: true });
  }

  /** It is whole: its note is not needed any more. */
  done(): void {
    rmSync(this.#note, { force: true });
  }

  get #note(): string {
    return `${this.path}.etag`;
  }
}
