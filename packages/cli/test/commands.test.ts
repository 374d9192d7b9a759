import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { call } from "./in-process.ts";
import { folderWith } from "./pool.ts";

describe("help", () => {
  it.each([
    [["--help"], ["pool run --corpus docs", "harness.yml", "NO_COLOR", "Exit codes: 0 done"]],
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
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) [[<(]/gm)].map(([, name]) => name);
    const recorded = [
      "resume",
      "fork",
      "ask",
      "runs",
      "show",
      "trace",
      "guards",
      "export",
      "prune",
      "approvals",
      "approve",
      "deny",
    ];
    expect(commands).toEqual(["run", "config", "models", ...recorded, "completion", "help"]);
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
      "policy: { deny: [shell] }\ntools: { web: {} }",
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
      /^store: "sqlite:.pool\/runs.db" +# default$/m,
    ])
      expect(stdout).toMatch(line);
    expect(stdout).not.toContain("secret");
    expect(stderr).toContain(
      "tools.web got a map, but tools for the web are not built yet. Take the key out;",
    );
  });

  it("prints them as JSON for programs", async () => {
    const { stdout } = await call(["config", "--json"], { cwd: folderWith(files) });
    expect(JSON.parse(stdout)).toContainEqual({ key: "model", value: "a/b", from: ["harness.yml:1:8"] });
  });
});

describe("pool completion", () => {
  const offered = async (...words: string[]) => {
    const { stdout } = await call(["completion", "bash"], { cwd: folderWith({}) });
    const typed = `COMP_WORDS=(pool ${words.join(" ")}); COMP_CWORD=${words.length}; _pool; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", `${stdout}\n${typed}`], { encoding: "utf8" })
      .trim()
      .split("\n");
  };

  it("completes commands and the flags of each in bash", async () => {
    expect(await offered("co")).toEqual(["config", "completion"]);
    expect(await offered("run", "--q")).toEqual(["--quiet"]);
    expect(await offered("config", "--q")).toEqual([""]);
    expect(await offered("models", "p")).toEqual(["pull"]);
    expect(await offered("models", "pull", "--sh")).toEqual(["--sha256"]);
    expect(await offered("models", "--c")).toEqual([""]);
  });

  it("completes what a flag or an argument takes, where that is one of a few", async () => {
    expect(await offered("run", "--effort", "m")).toEqual(["min", "medium", "max"]);
    expect(await offered("completion", "''")).toEqual(["bash", "zsh", "fish"]);
    expect(await offered("help", "ru")).toEqual(["run", "runs"]);
    const cwd = folderWith({});
    expect((await call(["completion", "zsh"], { cwd })).stdout).toContain(
      "--effort[how hard to try]:value:(min low medium high max)",
    );
    expect((await call(["completion", "fish"], { cwd })).stdout).toContain(
      "-l effort -x -a 'min low medium high max' -d 'how hard to try'",
    );
  });

  it("knows zsh and fish too, and says so for another shell", async () => {
    const cwd = folderWith({});
    expect((await call(["completion", "zsh"], { cwd })).stdout).toContain("#compdef pool");
    expect((await call(["completion", "fish"], { cwd })).stdout).toContain("-l quiet -s q");
    expect((await call(["completion", "fish"], { cwd })).stdout).toContain(
      "-n '__fish_seen_subcommand_from models' -a pull",
    );
    expect(await call(["completion", "tcsh"], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Allowed choices are bash, zsh, fish"),
    });
  });
});
