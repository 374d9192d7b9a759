import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { root } from "../scaffold/packed.ts";
import { succeed } from "../scaffold/shell.ts";

/** A repository with the manifests of this one, and its settings for releases. */
async function manifestsAlone(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "agentpool-release-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const members = ["packages", "templates"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name, "package.json")),
  );
  for (const file of ["package.json", "pnpm-workspace.yaml", ".changeset/config.json", ...members]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  const git = (...args: string[]) =>
    succeed("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: folder });
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", ".");
  await git("commit", "--quiet", "--message=all");
  return folder;
}

const versions = (folder: string) =>
  readdirSync(join(folder, "packages")).map(
    (name) =>
      (
        JSON.parse(readFileSync(join(folder, "packages", name, "package.json"), "utf8")) as {
          version: string;
        }
      ).version,
  );

it.each([
  ["minor", (major: number, minor: number, _: number) => `${major}.${minor + 1}.0`],
  ["patch", (major: number, minor: number, patch: number) => `${major}.${minor}.${patch + 1}`],
] as const)("a %s change of one package is one of all, with a changelog", async (level, next) => {
  const folder = await manifestsAlone();
  const [before] = versions(folder);
  writeFileSync(join(folder, ".changeset/new.md"), `---\n"@agentpool/core": ${level}\n---\n\nIt can fly.\n`);
  await succeed(process.execPath, [join(root, "node_modules/@changesets/cli/bin.js"), "version"], {
    cwd: folder,
  });
  const [major, minor, patch] = before!.split(".").map(Number);
  expect(new Set(versions(folder))).toEqual(new Set([next(major!, minor!, patch!)]));
  expect(readFileSync(join(folder, "packages/core/CHANGELOG.md"), "utf8")).toContain("It can fly.");
  for (const name of readdirSync(join(folder, "templates")))
    expect(readFileSync(join(folder, "templates", name, "package.json"), "utf8")).toBe(
      readFileSync(join(root, "templates", name, "package.json"), "utf8"),
    );
});
