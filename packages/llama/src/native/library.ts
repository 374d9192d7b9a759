import { ConfigurationError } from "@agentpool/core";
import type { Llama, LlamaOptions } from "node-llama-cpp";

/** The library, which is loaded when the first model is. */
export type Library = typeof import("node-llama-cpp");

export interface Runtime {
  readonly library: Library;
  readonly llama: Llama;
  /** The last things it complained about. */
  readonly complaints: readonly string[];
}

const runtimes = new Map<string, Promise<Runtime>>();

/**
 * The library, started with a number of threads on a device: once for all models that run alike, for as long as the
 * process lives. One that could not be started is tried again.
 *
 * @throws ConfigurationError where it is not installed, or not for this machine.
 */
export function runtimeFor(
  options: { readonly threads: number; readonly gpu: NonNullable<LlamaOptions["gpu"]> },
  load: () => Promise<Library> = () => import("node-llama-cpp"),
): Promise<Runtime> {
  const key = JSON.stringify(options);
  const known = runtimes.get(key);
  if (known !== undefined) return known;
  const starting = start(options, load);
  runtimes.set(key, starting);
  starting.catch(() => runtimes.delete(key));
  return starting;
}

async function start(
  { threads, gpu }: Parameters<typeof runtimeFor>[0],
  load: () => Promise<Library>,
): Promise<Runtime> {
  let library: Library;
  try {
    library = await load();
  } catch (error) {
    throw new ConfigurationError(
      `model: llama:… runs through node-llama-cpp, which could not be loaded (${firstLine(error)}); install it with ` +
        "`npm install node-llama-cpp`, or use a model that needs none of it",
      { cause: error },
    );
  }
  const complaints: string[] = [];
  try {
    const llama = await library.getLlama({
      gpu,
      maxThreads: threads,
      build: "never",
      skipDownload: true,
      progressLogs: false,
      logLevel: library.LlamaLogLevel.warn,
      logger: (_, message) => {
        complaints.push(message.trim());
        complaints.splice(0, complaints.length - 20);
      },
    });
    return { library, llama, complaints };
  } catch (error) {
    throw new ConfigurationError(
      `model: llama:… found node-llama-cpp, but no binary of it that runs here (${process.platform} ${process.arch}, ` +
        `gpu: ${JSON.stringify(gpu)}): ${firstLine(error)}. Install it again without leaving out optional ` +
        "dependencies, or build it with `npx node-llama-cpp source download`",
      { cause: error },
    );
  }
}

const firstLine = (error: unknown): string =>
  String((error as Error | undefined)?.message ?? error).split("\n")[0]!;
