import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call } from "./in-process.ts";
import { docs, folderWith, pool, start } from "./pool.ts";

const question = "What is a guard, and how are retries limited?";
const corpus = ["--corpus", "docs"];

describe("pool run", () => {
  it("prints the brief to stdout and keeps it in reports/; everything else goes to stderr", async () => {
    const cwd = folderWith(docs);
    const { code, stdout, stderr } = await pool(["run", ...corpus, question], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("> A guard is a named predicate that may refuse a call before it runs.");
    expect(stdout).toContain("maxToolRetries, which is one by default");
    expect(stdout).toMatch(/`docs\/guards\.md`, lines? 3/);
    expect(stderr).toContain("research/0 starts: What is a guard?");
    expect(stderr).not.toContain("> A guard");
    const [json, markdown] = readdirSync(join(cwd, "reports")).sort();
    expect(readFileSync(join(cwd, "reports", markdown!), "utf8")).toBe(stdout);
    const brief = JSON.parse(readFileSync(join(cwd, "reports", json!), "utf8"));
    expect(brief).toMatchObject({ question, status: "complete" });
    expect(stderr).toContain(`Saved reports/${markdown} and reports/${json}.`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: there must be none.
    expect(stdout + stderr).not.toMatch(/\u001b/);
  });

  it("prints events with --json, one a line, the result last", async () => {
    const cwd = folderWith({
      ...docs,
      "harness.yml": `question: ${question}\ntools: { corpus: { path: docs } }\n`,
    });
    const { code, stdout, stderr } = await pool(["run", "--json", "--quiet"], { cwd });
    expect(code).toBe(0);
    expect(stderr).toBe("");
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const result = lines.pop();
    expect(result).toMatchObject({ type: "result", status: "completed", exitCode: 0, question });
    expect(result.brief.sections.length).toBeGreaterThan(0);
    expect(result.reports).toHaveLength(2);
    const types = new Set(lines.map(({ type }) => type));
    for (const type of [
      "pool:opened",
      "agent:spawned",
      "call:dispatched",
      "call:admitted",
      "agent:ended",
      "pool:closed",
    ])
      expect(types).toContain(type);
    expect(new Set(lines.map(({ run }) => run))).toEqual(new Set([result.run]));
  });

  it("reads the question from standard input for -", async () => {
    const { code, stdout } = await call(["run", ...corpus, "-q", "-"], {
      cwd: folderWith(docs),
      stdin: `${question}\n`,
    });
    expect(code).toBe(0);
    expect(stdout).toContain("named predicate");
  });

  it("says so when it found nothing", async () => {
    const { code, stdout } = await call(["run", ...corpus, "-q", "¿Cuántos habitantes tiene Montevideo?"], {
      cwd: folderWith(docs),
    });
    expect(code).toBe(0);
    expect(stdout).toContain("Nothing was found");
  });

  it("goes on when its reader leaves", async () => {
    const cwd = folderWith(docs);
    const running = start(["run", "--json", ...corpus, question], { cwd });
    running.process.stdout!.destroy();
    const { code, stderr } = await running.ended;
    expect(stderr).not.toContain("EPIPE");
    expect(code).toBe(0);
    expect(readdirSync(join(cwd, "reports"))).toHaveLength(2);
  });

  it("loses nothing when reports/ cannot be written", async () => {
    const cwd = folderWith({ ...docs, reports: "not a folder" });
    const { code, stdout, stderr } = await call(["run", ...corpus, "-q", question], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("named predicate");
    expect(stderr).toMatch(/^reports\/.*\.md could not be written: .*The brief is on stdout only\.\n$/);
  });

  it("takes colours where it is told to, and none where NO_COLOR is set", async () => {
    const cwd = folderWith(docs);
    const [forced, none] = await Promise.all([
      call(["run", ...corpus, question], { cwd, env: { FORCE_COLOR: "1" } }),
      call(["run", ...corpus, question], { cwd, env: { FORCE_COLOR: "1", NO_COLOR: "1" } }),
    ]);
    expect(forced.stderr).toContain("\u001b[2m");
    expect(none.stderr).not.toContain("\u001b");
  });
});

it("leaves no file behind but the reports and the index", async () => {
  const cwd = folderWith(docs);
  await call(["run", ...corpus, "-q", question], { cwd });
  expect(readdirSync(cwd).sort()).toEqual([".pool", "docs", "node_modules", "reports"]);
  expect(readdirSync(join(cwd, "reports")).filter((name) => name.endsWith(".part"))).toEqual([]);
  expect(existsSync(join(cwd, "docs/.pool"))).toBe(false);
  writeFileSync(
    join(cwd, "docs/new.md"),
    "# Grants\n\nA grant is an authorisation to call a protected tool.\n",
  );
  const { stdout } = await call(["run", ...corpus, "-q", "What is a grant?"], { cwd });
  expect(stdout).toContain("A grant is an authorisation");
});
