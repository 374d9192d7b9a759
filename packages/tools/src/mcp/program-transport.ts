import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { getDefaultEnvironment } from "@modelcontextprotocol/sdk/client/stdio.js";
import { deserializeMessage, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import spawn from "cross-spawn";
import { ensure, type Operation, race, resource, sleep, withResolvers } from "effection";
import { Lines } from "./lines.ts";
import { running, signalGroup } from "./process-group.ts";
import type { McpProgram } from "./server-config.ts";

/** Bytes of one message. */
const LARGEST = 32 * 1024 * 1024;
/** Characters of what it said on stderr that are kept, to say why it ended. */
const TAIL = 2_000;
/** Milliseconds from one way of asking it to end to the next. */
const GRACE = 1_000;

/** A program that is a server, as a transport, for as long as the scope: then it, and all that it started, is gone. */
export const useProgram = (program: McpProgram): Operation<ProgramTransport> =>
  resource(function* (provide) {
    const transport = new ProgramTransport(program);
    yield* ensure(() => transport.end());
    yield* provide(transport);
  });

/**
 * Messages to and from a program, a line each. It runs in a process group of its own, so that a ctrl-c in the terminal
 * does not end it while the run winds down, and what it started can be ended with it.
 */
export class ProgramTransport implements Transport {
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  onmessage?: Transport["onmessage"];
  readonly #program: McpProgram;
  readonly #lines = new Lines(LARGEST);
  readonly #gone = withResolvers<void>();
  #child: ChildProcess | undefined;
  #said = "";
  #ending: string | undefined;

  constructor(program: McpProgram) {
    this.#program = program;
  }

  /** How it ended, in words; undefined while it runs. */
  get ending(): string | undefined {
    return this.#ending;
  }

  *untilGone(): Operation<string> {
    yield* this.#gone.operation;
    return this.#ending ?? "without having begun";
  }

  /** The end of what it said on stderr. */
  get said(): string {
    return this.#said.trim();
  }

  start(): Promise<void> {
    const { command, args = [], env, cwd } = this.#program;
    return new Promise((resolve, reject) => {
      const child = spawn(command, [...args], {
        env: { ...getDefaultEnvironment(), ...env },
        stdio: "pipe",
        windowsHide: true,
        detached: process.platform !== "win32",
        ...(cwd === undefined ? {} : { cwd }),
      });
      this.#child = child;
      child.on("spawn", () => {
        running.add(child);
        resolve();
      });
      child.on("error", (error) => {
        if (child.pid === undefined) this.#gone.resolve();
        reject(cwd === undefined || existsSync(cwd) ? error : new Error(`its cwd, ${cwd}, is no folder`));
      });
      child.on("exit", (code, signal) => {
        this.#over(signal ? `by ${signal}` : `with exit code ${code}`);
        running.delete(child);
        this.#gone.resolve();
      });
      child.on("close", () => this.#close());
      child.stdin?.on("error", (error) => this.onerror?.(error));
      child.stdout?.on("data", (chunk: Buffer) => this.#take(chunk));
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        this.#said = `${this.#said}${text}`.slice(-TAIL);
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) return Promise.reject(new Error("Not connected"));
    return new Promise((resolve, reject) => {
      stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): Promise<void> {
    this.#child?.stdin?.end();
    return Promise.resolve();
  }

  /** Asks it to end, as the protocol has it by the end of its input, then by signals; waits until it is gone. */
  *end(): Operation<void> {
    const child = this.#child;
    if (!child) return;
    child.stdin?.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (yield* race([this.#isGone(), later()])) break;
      signalGroup(child, signal);
    }
    yield* this.#gone.operation;
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    this.#close();
  }

  *#isGone(): Operation<boolean> {
    yield* this.#gone.operation;
    return true;
  }

  #close(): void {
    this.onclose?.();
    this.onclose = undefined;
  }

  #take(chunk: Buffer): void {
    try {
      for (const line of this.#lines.take(chunk)) this.#hear(line);
    } catch (error) {
      this.#over(`because ${(error as Error).message}`);
    }
  }

  #hear(line: string): void {
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (error) {
      this.onerror?.(error as Error); // a line that is no message
    }
  }

  #over(ending: string): void {
    this.#ending ??= ending;
    signalGroup(this.#child!, "SIGKILL"); // and what it started and left behind
  }
}

function* later(): Operation<boolean> {
  yield* sleep(GRACE);
  return false;
}
