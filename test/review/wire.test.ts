import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  agentPool,
  type ManualClock,
  manualClock,
  type PoolEvent,
  parallel,
  reportTool,
  useAgent,
} from "@agentpool/core";
import { reviewer } from "@agentpool/review";
import { all, type Operation, resource, run, scoped, spawn, until, withResolvers } from "effection";
import { describe, expect, it } from "vitest";
import { formats } from "../../packages/models/src/providers/formats.testing.ts";
import { refused, streamed, useWire } from "../../packages/models/src/providers/wire.testing.ts";
import { ask, ofType, playing, quiet, report } from "../scenarios/support.ts";
import { pass, reviewsIn, shop } from "./support.ts";

// Reviewers that are asked over HTTP by the real clients of their providers.

/** A server that says something for ever, and notes when its client has had enough. */
const useEndless = (head: readonly string[], more: string) =>
  resource<{ readonly url: string; readonly left: Promise<number> }>(function* (provide) {
    const left = withResolvers<number>();
    const server = createServer((request, response) => {
      request.resume();
      let sent = 0;
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of head) response.write(event);
      const goOn = () => {
        if (response.destroyed) return;
        sent += more.length;
        if (response.write(more)) setImmediate(goOn);
        else response.once("drain", goOn);
      };
      response.on("close", () => left.resolve(sent));
      goOn();
    });
    yield* until(new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
    const { port } = server.address() as AddressInfo;
    try {
      yield* provide({
        url: `http://127.0.0.1:${port}`,
        left: run(function* () {
          return yield* left.operation;
        }),
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

describe("a reviewer that talks for ever", () => {
  for (const [name, { model, events }] of Object.entries(formats))
    it(`is hung up on once its time is up, and the calls are refused: ${name}`, () =>
      run(function* () {
        const { tools, cancelled } = shop();
        const said = events({ text: "On the one hand; " });
        const head = said.slice(0, -2);
        const server = yield* useEndless(head, said.at(-1)!.includes("delta") ? said.at(-1)! : said.at(-2)!);
        const seen: PoolEvent[] = [];
        const result = yield* useAgent({
          model: playing(ask("cancel_order", { order: 1 }), report("Not cancelled.")),
          task: "Cancel it.",
          tools,
          terminal: reportTool,
          reviewer: reviewer({ models: model(server.url), timeoutMs: 300 }),
          onEvent: (event) => void seen.push(event),
        });
        expect(cancelled).toEqual([]);
        expect(result).toMatchObject({ exit: "returned", result: "Not cancelled." });
        expect(ofType(seen, "review:failed")).toMatchObject([
          { problem: "timed_out", message: expect.stringContaining("no answer within 300 ms") },
        ]);
        expect(yield* until(server.left)).toBeGreaterThan(0);
      }));
});

/** Time goes by as fast as it can, once it may: whatever waits for it, waits for one turn of the event loop. */
function* quickly<T>(clock: ManualClock, may: () => boolean, body: () => Operation<T>): Operation<T> {
  return yield* scoped(function* () {
    yield* spawn(function* () {
      for (;;) {
        yield* quiet;
        if (may()) clock.step();
      }
    });
    return yield* body();
  });
}

describe("pools that review at once with one provider", () => {
  for (const [status, reason] of [
    [429, "rate_limit"],
    [529, "overloaded"],
  ] as const)
    it(`share its pace: a ${status} holds both back, who say ${reason}, and both get their verdicts`, () =>
      run(function* () {
        const { model, events, words } = formats.anthropic;
        const clock = manualClock();
        const asked: number[] = [];
        const judge = yield* useWire(() => {
          asked.push(clock.now());
          return clock.now() < 30_000
            ? refused(status, { type: "error", error: { message: "later" } }, { "retry-after": "30" })
            : streamed(events({ text: pass().text, finish: words.stop }));
        });
        const pools = ["one", "two"].map((key) => {
          const { tools, cancelled } = shop();
          const seen: PoolEvent[] = [];
          const play = () =>
            agentPool({
              key,
              model: playing(ask("cancel_order", { order: 1 }), report()),
              orchestrate: parallel(["a", "b", "c", "d"]),
              tools,
              terminal: reportTool,
              // where time goes by this fast, everything seems to take for ever
              reviewer: reviewer({
                models: model(judge.url, { timeoutMs: Number.POSITIVE_INFINITY }),
                timeoutMs: Number.POSITIVE_INFINITY,
              }),
              clock,
              onEvent: (event) => void seen.push(event),
            });
          return { play, seen, cancelled };
        });
        const isHeldBack = ({ seen }: (typeof pools)[number]) => ofType(seen, "model:limited").length >= 4;
        yield* quickly(
          clock,
          () => pools.every(isHeldBack),
          () => all(pools.map(({ play }) => play())),
        );
        for (const { seen, cancelled } of pools) {
          expect(cancelled).toEqual([1, 1, 1, 1]);
          expect(reviewsIn(seen).filter(({ type }) => type === "review:passed")).toHaveLength(4);
          const waits = ofType(seen, "model:limited");
          expect(waits.length).toBeGreaterThan(0);
          expect(new Set(waits.map((wait) => wait.reason))).toEqual(new Set([reason]));
        }
        // nobody asked while it lasted, but those who were under way when it began
        expect(new Set(asked.filter((at) => at < 30_000))).toEqual(new Set([0]));
        expect(asked.filter((at) => at >= 30_000)).toHaveLength(8);
      }));
});
