import { sleepOn, useClock } from "@agentpool/core";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { type Operation, resource, spawn, withResolvers } from "effection";
import { listTools } from "./list-tools.ts";
import type { McpServerConfig } from "./server-config.ts";
import { within } from "./within.ts";

/** Milliseconds between two times that a server is asked: one may say at every moment that its tools have changed. */
const PAUSE = 1_000;

/** How a server is asked what it has. */
export interface ListingOptions {
  /** What it may take. */
  readonly timeoutMs: number;
  /** Told what it lists after a change; where that does not come about, what it listed before stands. */
  onListed(listed: readonly unknown[]): void;
}

/**
 * Gives the operation that asks a server what it has. From then on, whenever it says that its tools have changed, it is
 * asked again, once for all that it says meanwhile.
 */
export const useListing = (
  client: Client,
  server: McpServerConfig,
  { timeoutMs, onListed }: ListingOptions,
): Operation<Operation<readonly unknown[]>> =>
  resource(function* (provide) {
    const clock = yield* useClock();
    const asked = withResolvers<void>();
    let change = withResolvers<void>();
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => change.resolve());
    const ask = function* (): Operation<readonly unknown[]> {
      change = withResolvers<void>();
      return client.getServerCapabilities()?.tools ? yield* listTools(client, server) : [];
    };
    yield* spawn(function* () {
      yield* asked.operation;
      for (;;) {
        yield* change.operation;
        try {
          onListed(yield* within(timeoutMs, ask));
        } catch {
          // what it listed before stands; that it has ended, or answers no more, is said elsewhere
        }
        yield* sleepOn(clock, PAUSE);
      }
    });
    yield* provide({
      *[Symbol.iterator]() {
        const listed = yield* ask();
        asked.resolve();
        return listed;
      },
    });
  });
