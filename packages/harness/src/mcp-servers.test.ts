import { describe, expect, it } from "vitest";
import { folderWith } from "./folder-with.testing.ts";
import { loadHarness } from "./load-harness.ts";
import { mcpServersOf } from "./mcp-servers.ts";

const loaded = (servers: string, local?: string) => {
  const cwd = folderWith({
    "harness.yml": `tools:\n  mcp:\n    servers:\n${servers}`,
    ...(local === undefined ? {} : { "harness.local.yml": `tools:\n  mcp:\n    servers:\n${local}` }),
  });
  return loadHarness({ cwd });
};

describe("an MCP server in harness.yml", () => {
  it("is a program, in the file's folder, with what the environment has in the place of names", () => {
    const harness = loaded(`      files:
        command: node
        args: [server.js, "--key=\${FILES_KEY}"]
        env: { TOKEN: "\${FILES_TOKEN}", LEVEL: debug }
        consequential: all
`);
    const env = { FILES_KEY: "k", FILES_TOKEN: "t" };
    expect(mcpServersOf(harness, env)).toEqual([
      {
        name: "files",
        command: "node",
        args: ["server.js", "--key=k"],
        secrets: ["k"],
        env: { TOKEN: "t", LEVEL: "debug" },
        cwd: harness.cwd,
        consequential: "all",
      },
    ]);
    expect(JSON.stringify(harness.config)).not.toContain('"t"');
  });

  it("or is reached at a URL", () => {
    const harness = loaded(
      `      tickets: { url: "http://127.0.0.1:1/mcp?key=\${T}", headers: { authorization: "Bearer \${T}" } }\n`,
    );
    expect(mcpServersOf(harness, { T: "t" })).toEqual([
      {
        name: "tickets",
        url: "http://127.0.0.1:1/mcp?key=t",
        headers: { authorization: "Bearer t" },
        secrets: ["t"],
      },
    ]);
  });

  it("is made of all files: a local one may say where it is", () => {
    const harness = loaded(
      "      files: { command: node, tools: [read] }\n",
      "      files: { command: deno }\n",
    );
    expect(mcpServersOf(harness, {})).toMatchObject([{ command: "deno", tools: ["read"] }]);
  });

  it("holds back what any of the files does: a local one takes nothing of it back", () => {
    const harness = loaded(
      "      files: { command: node, protected: [write] }\n",
      "      files: { protected: [move] }\n",
    );
    expect(mcpServersOf(harness, {})).toMatchObject([{ protected: ["move", "write"] }]);
  });

  it("that needs what the environment does not have is an error with the place of each", () => {
    const harness = loaded(`      files: { command: node, args: ["\${A}"], env: { TOKEN: "\${B}" } }\n`);
    expect(() => mcpServersOf(harness, { A: "" })).toThrow(
      /harness\.yml:4:\d+: tools\.mcp\.servers\.files\.args names \$\{A\}, and the environment has no A\.[^\n]*\nharness\.yml:4:\d+: tools\.mcp\.servers\.files\.env\.TOKEN names \$\{B\}/,
    );
  });

  it.each([
    ["{ tools: [a] }", /tools\.mcp\.servers\.files says neither what program the server is \(command\) nor/],
    ['{ command: node, url: "http://127.0.0.1:1" }', /files\.url stands beside command/],
    ["{ command: node, headers: { a: b } }", /files\.headers stands beside command, where it means nothing/],
    [
      '{ url: "http://127.0.0.1:1", cwd: a, env: {} }',
      /files\.cwd stands beside url, where it means nothing/,
    ],
  ])("that cannot be meant is an error with its place: %s", (server, message) => {
    expect(() => loaded(`      files: ${server}\n`)).toThrow(message);
    expect(() => loaded(`      files: ${server}\n`)).toThrow(/^harness\.yml:4:/);
  });

  it("has a name that can stand in the names of tools", () => {
    expect(() => loaded('      "a__b": { command: node }\n')).toThrow(
      /servers\.a__b is no name for a server/,
    );
  });
});
