import { expect, it } from "vitest";
import { configOnRecord } from "./config-on-record.ts";
import type { HarnessConfig } from "./harness.ts";

const config = (more: object) => ({ model: "extractive", ...more }) as unknown as HarnessConfig;

it("a configuration on record has no value of an environment or a header, unless it names a variable", () => {
  const servers = {
    files: { command: "node", args: ["server.js"], env: { KEY: "abc", TOKEN: `$\{TOKEN}` } },
    tickets: {
      url: "https://a:b@tickets.example/mcp",
      headers: { authorization: `Bearer $\{TOKEN}`, "x-key": "k" },
    },
  };
  expect(
    configOnRecord(
      config({
        tools: { mcp: { servers } },
        providers: { openai: { headers: { "x-key": "abc" } } },
        store: "postgres://me:secret@db.example/runs",
      }),
    ),
  ).toEqual({
    model: "extractive",
    tools: {
      mcp: {
        servers: {
          files: { command: "node", args: ["server.js"], env: { KEY: "(hidden)", TOKEN: `$\{TOKEN}` } },
          tickets: {
            url: "https://a:…@tickets.example/mcp",
            headers: { authorization: `Bearer $\{TOKEN}`, "x-key": "(hidden)" },
          },
        },
      },
    },
    providers: { openai: { headers: { "x-key": "(hidden)" } } },
    store: "postgres://me:…@db.example/runs",
  });
});
