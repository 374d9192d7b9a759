import { type Operation, resource, spawn, withResolvers } from "effection";
import { nameOf } from "./choose-tools.ts";
import { type Connection, useConnection } from "./connection.ts";
import { called, type McpServerConfig } from "./server-config.ts";
import { changesIn, inWords } from "./tool-changes.ts";

/** Times that a program is started again: one that ends at every call would be started for ever. */
const MOST_RESTARTS = 3;

/** A server that is there again where its program has ended, for the next call. */
export interface LastingConnection {
  /** What it listed when it was first reached. */
  readonly listed: readonly unknown[];
  /** The connection for a call: a new one where the last has ended, as often as that may be; else the last. */
  current(): Operation<Connection>;
  /** Whether a tool was among what it listed last, by the server's name for it. */
  has(tool: string): boolean;
}

type State =
  | { readonly type: "up"; readonly connection: Connection }
  /** It is started again when a call wants it. */
  | { readonly type: "down"; readonly want: () => void; readonly back: Operation<Connection> };

/**
 * A server, for as long as the scope. That it has ended, or that its tools have changed, is said once each time, with
 * what follows from it.
 *
 * @throws McpServerError where it cannot be reached at first.
 */
export const useLastingConnection = (
  server: McpServerConfig,
  onNotice: (message: string) => void,
): Operation<LastingConnection> =>
  resource(function* (provide) {
    let known: readonly unknown[] = [];
    const hears = (listed: readonly unknown[]): void => {
      const changes = changesIn(known, listed, server.tools ?? ["*"]);
      known = listed;
      if (changes) onNotice(`${called(server)} has changed its tools: ${inWords(changes)} ${FIXED}`);
    };
    const first = yield* useConnection(server, hears);
    known = first.listed;
    let state: State = { type: "up", connection: first };
    yield* spawn(function* () {
      let connection = first;
      for (let left = MOST_RESTARTS; ; left--) {
        const ending = yield* connection.untilGone();
        onNotice(`${called(server)} has ended (${ending}). ${left > 0 ? AGAIN : NO_MORE}`);
        if (left === 0) return;
        const wanted = withResolvers<void>();
        const back = withResolvers<Connection>();
        state = { type: "down", want: wanted.resolve, back: back.operation };
        yield* wanted.operation;
        try {
          connection = yield* useConnection(server, hears);
          hears(connection.listed);
        } catch (error) {
          onNotice(`${(error as Error).message} ${NO_MORE}`);
          state = { type: "up", connection };
          return back.resolve(connection);
        }
        state = { type: "up", connection };
        back.resolve(connection);
      }
    });
    yield* provide({
      listed: first.listed,
      *current() {
        if (state.type === "up") return state.connection;
        state.want();
        return yield* state.back;
      },
      has: (tool) => known.some((listed) => nameOf(listed) === tool),
    });
  });

const AGAIN = "It is started again for the next call of one of its tools.";
const FIXED = "A run goes on with the tools that it began with.";
const NO_MORE = "Its tools cannot be used in this run any more.";
