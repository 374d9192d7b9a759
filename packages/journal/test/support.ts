import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentPool, dedup, defineTool, type PoolEvent, parallel } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { type Operation, resource } from "effection";
import { z } from "zod";

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
    return { page, text: `${page} `.repeat(400) };
  },
  hooks: { beforeDispatch: [dedup("page_dedup", (args) => args.page)] },
});

/** Events of a small run: two agents that read the same pages, a repetition that is refused, a page that is broken. */
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
