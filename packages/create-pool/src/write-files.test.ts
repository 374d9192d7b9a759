import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ProjectFile } from "./project-files.ts";
import { writeFiles } from "./write-files.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "create-pool-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

const file = (path: string, text = path): ProjectFile => ({ path, content: () => text });
const unreadable: ProjectFile = {
  path: "src/b.ts",
  content: () => readFileSync(join(tmpdir(), "there", "is", "no", "such", "file")),
};
/** Longer than any file's name may be. */
const unwritable = file(`${"x".repeat(300)}.md`);

describe("writing a project", () => {
  it("makes the folders that are missing, and every file", () => {
    const here = folder();
    writeFiles(join(here, "deep", "down"), [file("a.md"), file("src/b.ts")]);
    expect(readFileSync(join(here, "deep/down/src/b.ts"), "utf8")).toBe("src/b.ts");
  });

  it.each([
    ["read", unreadable],
    ["written", unwritable],
  ])("leaves nothing behind when a file cannot be %s, folders it made included", (_, broken) => {
    const here = folder();
    const write = () =>
      writeFiles(join(here, "deep/down"), [file("a.md"), file("src/a.ts"), broken, file("z.md")]);
    expect(write).toThrow(/ENOENT|ENAMETOOLONG/);
    expect(readdirSync(here)).toEqual([]);
  });

  it("keeps what was there before, when it fails", () => {
    const here = folder();
    mkdirSync(join(here, ".git"));
    writeFileSync(join(here, ".git", "HEAD"), "ref");
    expect(() => writeFiles(here, [file("a.md"), unwritable])).toThrow();
    expect(readdirSync(here)).toEqual([".git"]);
    expect(readFileSync(join(here, ".git", "HEAD"), "utf8")).toBe("ref");
  });

  it("never overwrites a file, nor takes it away", () => {
    const here = folder();
    writeFileSync(join(here, "b.md"), "mine");
    expect(() => writeFiles(here, [file("a.md"), file("b.md"), file("c.md")])).toThrow("EEXIST");
    expect(readFileSync(join(here, "b.md"), "utf8")).toBe("mine");
    expect(existsSync(join(here, "a.md"))).toBe(false);
  });

  it("leaves a folder into which somebody else has put something meanwhile", () => {
    const here = folder();
    const other: ProjectFile = {
      path: "src/b.ts",
      content() {
        writeFileSync(join(here, "mine/src/other.txt"), "other");
        throw new Error("broken");
      },
    };
    expect(() => writeFiles(join(here, "mine"), [file("src/a.ts"), other])).toThrow("broken");
    expect(readdirSync(join(here, "mine/src"))).toEqual(["other.txt"]);
  });
});
