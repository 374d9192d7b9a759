// A server that has something to research: it searches and reads, and gives structures.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const pages = {
  "emma.md": "# Emma\n\nEmma is a novel. It was written by Jane Austen and published in 1815.",
  "moby.md": "# Moby-Dick\n\nMoby-Dick is a novel by Herman Melville.",
};
const given = (structuredContent) => ({
  content: [{ type: "text", text: JSON.stringify(structuredContent) }],
  structuredContent,
});
const annotations = { readOnlyHint: true };

const library = new McpServer({ name: "library", version: "1.0.0" });
library.registerTool(
  "search",
  {
    description: "Searches the pages.",
    inputSchema: { query: z.string() },
    outputSchema: { hits: z.array(z.object({ path: z.string(), snippet: z.string() })) },
    annotations,
  },
  ({ query }) => {
    const words = query.toLowerCase().split(/\W+/);
    const hits = Object.entries(pages).filter(([, text]) =>
      words.some((word) => word && text.toLowerCase().includes(word)),
    );
    return given({ hits: hits.map(([path, text]) => ({ path, snippet: text.slice(0, 60) })) });
  },
);
library.registerTool(
  "read",
  {
    description: "Reads a page.",
    inputSchema: { path: z.string() },
    outputSchema: { path: z.string(), text: z.string() },
    annotations,
  },
  ({ path }) => given({ path, text: pages[path] ?? "There is no such page." }),
);
await library.connect(new StdioServerTransport());
