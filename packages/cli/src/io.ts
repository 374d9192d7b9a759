import type { Readable, Writable } from "node:stream";
import type { Output } from "./output.ts";

/** What a command reads from and writes to: the process's own, in `pool`. */
export interface Io {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & Tty;
  /** What was asked for, and nothing else. */
  readonly stdout: Writable & Tty;
  /** Everything that is said on the way. */
  readonly stderr: Writable & Tty;
}

interface Tty {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** The same with its outputs opened, as commands use it. */
export interface Console extends Io {
  readonly out: Output;
  readonly err: Output;
}
