import { dedup, defineTool, type Tool } from "@agentpool/core";
import { z } from "zod";

/** Documents in memory, by path. */
export type Documents = { readonly [path: string]: string };

const titleOf = (path: string, body: string): string => /^# (.+)$/m.exec(body)?.[1] ?? path;

/** `search` and `read` over documents in memory: a passage is a line, a hit shares a word of four letters. */
export function documentTools(documents: Documents): Tool[] {
  return [
    defineTool({
      name: "search",
      description: "Searches.",
      parameters: z.object({ query: z.string() }),
      hooks: {
        beforeDispatch: [dedup("query_dedup", ({ query }) => query, { message: "Searched before." })],
      },
      execute: ({ query }) => {
        const wanted = query.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
        const hits = Object.entries(documents).flatMap(([path, body]) =>
          body.split("\n").flatMap((line, at) => {
            const score = wanted.filter((word) => line.toLowerCase().includes(word)).length;
            const title = titleOf(path, body);
            return score === 0
              ? []
              : [{ path, title, lines: [at + 1, at + 1], snippet: line.slice(0, 80), score }];
          }),
        );
        return { query, hits: hits.sort((a, b) => b.score - a.score), total: hits.length };
      },
    }),
    defineTool({
      name: "read",
      description: "Reads.",
      parameters: z.object({
        path: z.string(),
        from: z.number().int().optional(),
        to: z.number().int().optional(),
      }),
      execute: ({ path, from = 1, to = 1_000_000 }) => {
        const body = documents[path];
        if (body === undefined) throw new Error(`no document "${path}"`);
        const lines = body.split("\n").slice(from - 1, to);
        return {
          path,
          title: titleOf(path, body),
          lines: [from, from + lines.length - 1],
          text: lines.join("\n"),
        };
      },
    }),
  ];
}
