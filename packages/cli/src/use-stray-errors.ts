import { type Operation, resource, withResolvers } from "effection";

/**
 * Settles with the first error that nobody waits for: of a promise that a tool or a program left behind, of a callback.
 * Node would end the process there, with a stack trace, and nothing would be put away.
 */
export const useStrayErrors = (): Operation<Operation<Error>> =>
  resource(function* (provide) {
    const stray = withResolvers<Error>();
    const onError = (error: unknown) =>
      stray.resolve(error instanceof Error ? error : new Error(String(error)));
    process.on("unhandledRejection", onError);
    process.on("uncaughtException", onError);
    try {
      yield* provide(stray.operation);
    } finally {
      process.removeListener("unhandledRejection", onError);
      process.removeListener("uncaughtException", onError);
    }
  });
