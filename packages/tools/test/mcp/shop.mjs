// A server of a shop, built on the protocol's own library: what tests are served by.
import { appendFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

const text = (said) => ({ content: [{ type: "text", text: said }] });

/** `log`: a file that every call and every cancellation is written to. */
export function shop({ log } = {}) {
  const note = (line) => log && appendFileSync(log, `${line}\n`);
  const server = new McpServer({ name: "shop", version: "1.0.0" });
  server.registerTool(
    "get_order",
    {
      description: "Looks an order up.",
      inputSchema: { order: z.number().int() },
      annotations: { readOnlyHint: true },
    },
    ({ order }) => {
      note(`get_order ${order}`);
      return text(`Order ${order} has shipped.`);
    },
  );
  const cancelOrder = server.registerTool(
    "cancel_order",
    {
      description: "Cancels an order. It cannot be undone.",
      inputSchema: { order: z.number().int() },
      annotations: { destructiveHint: true },
    },
    ({ order }) => {
      note(`cancel_order ${order}`);
      return text(`${order} is cancelled.`);
    },
  );
  const noteIt = server.registerTool(
    "note",
    { description: "Notes something.", inputSchema: { text: z.string() } },
    (args) => {
      note(`note ${args.text}`);
      return text("Noted.");
    },
  );
  server.registerTool("stock", { description: "What is there.", outputSchema: { pens: z.number() } }, () => ({
    ...text('{"pens": 3}'),
    structuredContent: { pens: 3 },
  }));
  server.registerTool("poster", { description: "A picture." }, () => ({
    content: [
      { type: "text", text: "The poster:" },
      { type: "image", mimeType: "image/png", data: Buffer.from("picture").toString("base64") },
      { type: "resource_link", uri: "file:///poster.txt", name: "poster.txt" },
      { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "Hello." } },
    ],
  }));
  server.registerTool("refund", { description: "Gives money back." }, () => ({
    ...text("The till is empty."),
    isError: true,
  }));
  server.registerTool("environment", { description: "What it was given." }, () =>
    text(
      JSON.stringify({
        names: Object.keys(process.env).sort(),
        cwd: process.cwd(),
        token: process.env.TOKEN,
      }),
    ),
  );
  server.registerTool("count", { description: "Counts, slowly." }, async ({ _meta, sendNotification }) => {
    for (const progress of [1, 2, 3]) {
      const params = { progressToken: _meta.progressToken, progress, total: 3, message: "counted" };
      await sendNotification({ method: "notifications/progress", params });
      await server.server.ping(); // the client has heard it
    }
    return text("Three.");
  });
  server.registerTool("wait", { description: "Never comes back." }, ({ signal }) => {
    note("wait");
    return new Promise(() => {
      signal.addEventListener("abort", () => note("cancelled"));
    });
  });
  server.registerTool(
    "clear_out",
    { description: "Nothing can be cancelled any more; things are sold." },
    () => {
      cancelOrder.remove(); // each says by itself that the tools have changed
      noteIt.update({ description: "Notes nothing." });
      server.registerTool("sell", { description: "Sells something." }, () => text("Sold."));
      return text("Cleared.");
    },
  );
  server.registerTool("die", { description: "Ends the server." }, () => {
    note("die");
    process.exit(3);
  });
  return server;
}
