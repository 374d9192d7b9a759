import { Worker } from "node:worker_threads";
import { type Statement, UnmetError } from "./engine.ts";

/** What a writer needs to open the database as its owner did. */
export interface WriterData {
  readonly path: string;
  readonly busy: number;
  readonly pragmas: string;
}

/** What the thread says about one transaction, in the order in which they were given to it. */
type Answer =
  | { readonly unmet: number | undefined; readonly failed?: undefined }
  | { readonly failed: { readonly message: string; readonly code?: string } };

interface Waiting {
  readonly statements: readonly Statement[];
  resolve(): void;
  reject(error: Error): void;
}

/**
 * Writes in a thread of its own, one transaction after another. The thread is started with the first of them: who only
 * reads needs none.
 */
export class SqliteWriter {
  readonly #data: WriterData;
  readonly #waiting: Waiting[] = [];
  #worker: Worker | undefined;
  /** Why the thread is gone. */
  #broken: Error | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(data: WriterData) {
    this.#data = data;
  }

  write(statements: readonly Statement[]): Promise<void> {
    if (this.#broken) return Promise.reject(this.#broken);
    return new Promise((resolve, reject) => {
      this.#start().postMessage(statements);
      // what could not be given to it has no answer: the next one is not for it
      this.#waiting.push({ statements, resolve, reject });
    });
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    // two folders up both from where the source is and from where it is built to
    const file = new URL("../../worker/sqlite-writer.js", import.meta.url);
    const worker = new Worker(file, { workerData: this.#data, execArgv: [] });
    worker.on("message", (answer: Answer) => this.#answered(answer));
    worker.on("error", (error) => this.#broke(error));
    this.#ended = new Promise((resolve) => {
      worker.once("exit", () => {
        this.#broke(new Error("the thread that writes has ended"));
        resolve();
      });
    });
    this.#worker = worker;
    return worker;
  }

  #answered(answer: Answer): void {
    const { statements, resolve, reject } = this.#waiting.shift()!;
    if (answer.failed) reject(Object.assign(new Error(answer.failed.message), { code: answer.failed.code }));
    else if (answer.unmet !== undefined) reject(new UnmetError(statements[answer.unmet]!));
    else resolve();
  }

  /** Nothing is answered any more. */
  #broke(error: Error): void {
    this.#broken ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** What was given to it is written first. */
  async close(): Promise<void> {
    this.#worker?.postMessage("close");
    await this.#ended;
  }
}
