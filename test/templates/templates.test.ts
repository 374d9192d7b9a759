import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { shell } from "../scaffold/shell.ts";

const templates = fileURLToPath(new URL("../../templates", import.meta.url));

// As members of the workspace: with the packages' source, and whatever their own test command runs.
describe.each(readdirSync(templates))("the template %s", (name) => {
  const cwd = join(templates, name);
  const read = (file: string) => readFileSync(join(cwd, file), "utf8");
  const manifest = JSON.parse(read("package.json"));

  it("passes its own tests", { timeout: 120_000 }, async () => {
    const [command, ...args] = manifest.scripts.test.split(" ");
    expect(command).toBe("node");
    const { code, stdout, stderr } = await shell(
      process.execPath,
      ["--conditions=@agentpool/source", ...args],
      { cwd },
    );
    expect({ code, failed: /^# fail (\d+)$/m.exec(stdout)?.[1], stdout, stderr }).toMatchObject({
      code: 0,
      failed: "0",
    });
  });

  it("starts on the embedded engine, over documents of its own, and with a question", () => {
    const harness = read("harness.yml");
    expect(harness).toMatch(/^model: extractive\b/m);
    expect(harness).toMatch(/^question: \w/m);
    expect(readdirSync(join(cwd, "docs")).length).toBeGreaterThan(2);
    expect(manifest.scripts.start).toBe("pool run");
  });

  it("names every package that it imports", () => {
    const files = ["src", "scenarios"]
      .filter((folder) => existsSync(join(cwd, folder)))
      .flatMap((folder) => readdirSync(join(cwd, folder)).map((file) => join(folder, file)));
    const imported = files.flatMap((file) =>
      [...read(file).matchAll(/from "([^".][^"]*)"/g)].map(([, specifier]) => specifier!),
    );
    const wanted = new Set(imported.filter((specifier) => !specifier.startsWith("node:")));
    expect(wanted.size).toBeGreaterThan(0);
    expect(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })).toEqual(
      expect.arrayContaining([...wanted]),
    );
  });
});

it("basic can be read in one go: its code, its test and its harness.yml have under 100 lines", () => {
  const files = ["src/harness.ts", "src/harness.test.ts", "harness.yml"];
  const lines = files.map(
    (file) => readFileSync(join(templates, "basic", file), "utf8").split("\n").length - 1,
  );
  expect(lines.reduce((sum, count) => sum + count)).toBeLessThan(100);
  expect(readdirSync(join(templates, "basic/src"))).toHaveLength(2);
});
