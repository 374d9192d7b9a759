import { agentPool, defineTool, parallel, reportTool } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run } from "effection";
import { expect, test } from "vitest";
import { z } from "zod";
import { urlDedup } from "./url-dedup.ts";

const fetched = (urls: readonly string[]): Promise<string[]> =>
  run(function* () {
    const pages: string[] = [];
    const fetchPage = defineTool({
      name: "fetch_page",
      description: "Fetches a page.",
      parameters: z.object({ url: z.string() }),
      hooks: { beforeDispatch: [urlDedup()] },
      execute: ({ url }) => {
        pages.push(url);
        return "a page";
      },
    });
    const turns = urls.map((url) => ({ calls: [{ tool: "fetch_page", args: { url } }] }));
    yield* agentPool({
      model: scripted(() => [...turns, { calls: [{ tool: "report", args: { result: "done" } }] }]),
      system: "Fetch.",
      tools: [fetchPage],
      terminal: reportTool,
      orchestrate: parallel(["fetch"]),
    });
    return pages;
  });

test("a page is fetched once however its URL is written", async () => {
  const same = ["https://Example.com:443/a/?b=1&a=2#part", "https://example.com/a?a=2&b=1"];
  expect(await fetched(same)).toEqual(same.slice(0, 1));
  const other = ["https://example.com/a", "https://example.com/b", "http://example.com/a"];
  expect(await fetched(other)).toEqual(other);
});

test("a call without a URL is never blocked", async () => {
  expect(await fetched(["", " "])).toEqual(["", " "]);
});
