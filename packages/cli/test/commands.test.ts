import { describe, expect, it } from "vitest";
import { call } from "./in-process.ts";
import { folderWith } from "./pool.ts";

describe("help", () => {
  it.each([
    [["--help"], ["pool run --corpus docs", "harness.yml", "Exit codes: 0 done"]],
    [
      ["run", "--help"],
      ["--budget", "--json", "Ctrl-c once"],
    ],
    [
      ["config", "--help"],
      ["Maps merge, lists replace", "POOL_MODEL"],
    ],
    [["help", "run"], ["pool run --json"]],
  ])("of %j teaches, on stdout", async (args, texts) => {
    const { code, stdout, stderr } = await call(args, { cwd: folderWith({}) });
    expect(code).toBe(0);
    expect(stderr).toBe("");
    for (const text of texts) expect(stdout).toContain(text);
  });

  it("lists no command that is not there", async () => {
    const { stdout } = await call(["--help"], { cwd: folderWith({}) });
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) [[(]/gm)].map(([, name]) => name);
    expect(commands).toEqual(["run", "config", "help"]);
  });

  it.each([
    [[], "Usage: pool"],
    [["rnu"], "unknown command 'rnu'"],
  ])("is offered on stderr for %j, with exit code 2", async (args, text) => {
    const { code, stdout, stderr } = await call(args, { cwd: folderWith({}) });
    expect(stderr).toContain(text);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  it("gives the version", async () => {
    const { code, stdout } = await call(["--version"], { cwd: folderWith({}) });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  });
});

describe("pool config", () => {
  const files = {
    "harness.yml": [
      "model: a/b",
      "providers: { openai-compatible: { baseURL: 'http://me:secret@127.0.0.1', headers: { authorization: secret } } }",
      "defaults: { guards: { url_dedup: { scope: cohort } } }",
      "policy: { deny: [shell], requireApproval: [pay] }",
    ].join("\n"),
    "harness.local.yml": "policy: { deny: [wire] }\n",
  };

  it("prints each value with where it came from, and no secret", async () => {
    const args = ["config", "--budget", "maxTurns=3", "--grant", "pay"];
    const { code, stdout, stderr } = await call(args, { cwd: folderWith(files), env: { POOL_MODEL: "c/d" } });
    expect(code).toBe(0);
    for (const line of [
      /^model: "c\/d" +# POOL_MODEL$/m,
      /^defaults\.guards\.url_dedup\.scope: "cohort" +# harness\.yml:3:43$/m,
      /^defaults\.budget\.maxTurns: 3 +# --budget maxTurns=3$/m,
      /^defaults\.budget\.maxToolCalls: 50 +# default$/m,
      /^policy\.deny: \["wire","shell"\] +# harness\.local\.yml:1:17, harness\.yml:4:17$/m,
      /^policy\.grants: \["pay"\] +# --grant$/m,
      /^store: "none" +# default$/m,
    ])
      expect(stdout).toMatch(line);
    expect(stdout).not.toContain("secret");
    expect(stderr).toContain(
      "policy.requireApproval got a list, but approvals by people cannot be used yet.",
    );
  });

  it("prints them as JSON for programs", async () => {
    const { stdout } = await call(["config", "--json"], { cwd: folderWith(files) });
    expect(JSON.parse(stdout)).toContainEqual({ key: "model", value: "a/b", from: ["harness.yml:1:8"] });
  });
});
