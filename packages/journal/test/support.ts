import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentPool, dedup, defineTool, type PoolEvent, parallel } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { type Operation, resource, scoped, until } from "effection";
import { z } from "zod";
import type { RunJournal, Store } from "../src/index.ts";

/** A folder that goes with its scope. */
export const useFolder = (): Operation<string> =>
  resource(function* (provide) {
    const folder = mkdtempSync(join(tmpdir(), "agentpool-journal-"));
    try {
      yield* provide(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

const read = defineTool({
  name: "read",
  description: "Reads a page.",
  parameters: z.object({ page: z.string() }),
  execute: ({ page }) => {
    if (page === "broken") throw new Error("it is broken");
    return { page, text: `${page} `.repeat(800) };
  },
  hooks: { beforeDispatch: [dedup("page_dedup", (args) => args.page)] },
});

/** A small run: two agents that read the same pages, a repetition that is refused, a page that is broken. */
export function* eventsOfRun(
  run: string,
  see: (event: PoolEvent) => void = () => {},
): Operation<PoolEvent[]> {
  const events: PoolEvent[] = [];
  const call = (page: string) => ({ tool: "read", args: { page } });
  yield* agentPool({
    run,
    model: scripted(() => [
      { calls: [call("a"), call("broken")] },
      { calls: [call("a"), call("b")] },
      { text: "Found it." },
    ]),
    tools: [read],
    orchestrate: parallel(["one", "two"]),
    onEvent(event) {
      events.push(event);
      see(event);
    },
  });
  return events;
}

/** The first entry of a run. */
export const started = (run: string, question = "Why?", at = 1_000) =>
  ({ type: "run:started", run, at, question, settings: {} }) as const;

/** A run that was recorded from its beginning to its end. */
export const recorded = (store: Store, run: string, at?: number): Operation<PoolEvent[]> =>
  scoped(function* () {
    const journal = yield* store.journal(run);
    journal.note(started(run, `What of ${run}?`, at));
    const events = yield* eventsOfRun(run, (event) => journal.append(event));
    journal.note({
      type: "run:ended",
      run,
      at: (at ?? 1_000) + 500,
      status: "completed",
      answer: "It is so.",
    });
    yield* flushed(journal);
    return events;
  });

export function* flushed(journal: RunJournal): Operation<void> {
  const written = journal.flush();
  if (written) yield* until(Promise.resolve(written));
}

/** What an operation throws. */
export function* caught(operation: Operation<unknown>): Operation<Error> {
  try {
    yield* scoped(() => operation);
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}
