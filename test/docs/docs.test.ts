import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { format, promisify } from "node:util";
import { afterAll, describe, expect, it, vi } from "vitest";
import { rowsOf } from "./comparison.ts";
import { anchorsOf, blocksOf, examplesOf, type Page, pageNamed, pages, proseOf, root } from "./pages.ts";
import { testTitles } from "./test-titles.ts";

// Programs are run as files of the workspace, where its packages are found.
const folder = mkdtempSync(join(fileURLToPath(new URL(".", import.meta.url)), ".programs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** Runs a program to its end; what it printed. */
async function outputOf(path: string): Promise<string> {
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...said) => {
    lines.push(`${format(...said)}\n`);
  });
  try {
    await import(path);
  } finally {
    log.mockRestore();
  }
  return lines.join("");
}

const named = <T>(values: readonly T[], name: (value: T) => string): [string, T][] =>
  values.map((value) => [name(value), value]);

describe("a program on a page", () => {
  it.each(named(pages.flatMap(examplesOf), ({ place }) => place))(
    "prints what the page says: %s",
    async (place, { code, prints }) => {
      expect(await outputOf(write(`${place.replace(/\W+/g, "-")}.ts`, code))).toBe(prints);
    },
  );

  it("of several files runs by the command that stands below them, and prints what the page says", async () => {
    const blocks = blocksOf(pageNamed("your-own-harness.md").text);
    const files = blocks.flatMap(({ above, code }) => {
      const name = /`([\w./-]+\.\w+)`:$/.exec(above)?.[1];
      return name ? [write(join("harness", name), code)] : [];
    });
    expect(files.length).toBe(3);
    const shell = blocks.find(({ info }) => info === "console")!.code;
    const [, command, prints] = /^\$ pool ([^\n]*)\n(.*)$/s.exec(shell)!;
    const pool = join(root, "packages/cli/bin/pool.js");
    const { stdout } = await promisify(execFile)(process.execPath, [pool, ...command!.split(" ")], {
      cwd: join(folder, "harness"),
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
    });
    expect(stdout).toBe(prints);
  });
});

describe("a page", () => {
  it.each(named(pages, ({ name }) => name))("links to what is there: %s", (_, page) => {
    expect(brokenLinksOf(page)).toEqual([]);
  });

  it.each(named(pages, ({ name }) => name))("begins with what it is about: %s", (_, { text }) => {
    expect(text).toMatch(/^# \S.+\n\n\S/);
  });

  it("is in the index, once, with what it is for", () => {
    const index = pageNamed("README.md").text;
    const listed = [...index.matchAll(/^- \[.+?\]\(([\w-]+\.md)\): .+$/gm)].map(([, name]) => name!).sort();
    expect(listed).toEqual(pages.map(({ name }) => name).filter((name) => name !== "README.md"));
  });
});

function brokenLinksOf(page: Page): string[] {
  const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [path = "", anchor] = link.split("#");
    if (!existsSync(join(root, "docs", path))) return true;
    if (anchor === undefined) return false;
    const target = path === "" ? page : pages.find(({ name }) => name === path);
    return !target || !anchorsOf(target).includes(anchor);
  });
}

describe("the comparison", () => {
  const rows = rowsOf(pageNamed("compare.md"));

  it("names tests that are there", () => {
    const titles = testTitles(root, fileURLToPath(import.meta.url));
    expect(titles.size).toBeGreaterThan(500);
    expect(rows.flatMap(({ tests }) => tests.filter((name) => !titles.has(name)))).toEqual([]);
  });

  it("has a test for each behaviour, or says what it waits for", () => {
    expect(rows.length).toBeGreaterThan(100);
    const bare = rows.filter(({ here, tests }) => tests.length === 0 && !/\bwaits? for\b/.test(here));
    expect(bare.map(({ behaviour }) => behaviour)).toEqual([]);
  });
});
