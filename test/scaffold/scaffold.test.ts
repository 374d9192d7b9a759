import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Packed, packAll, root } from "./packed.ts";
import { shell, succeed } from "./shell.ts";

// Everything here is real: packages are packed as they would be published, the packed create-pool writes projects, npm
// installs them (from the tarballs, and the registry for everybody else's packages), and their commands run.

const scratch = mkdtempSync(join(tmpdir(), "agentpool-scaffold-"));
const tarballs = join(scratch, "packages");
let packed: readonly Packed[] = [];

/** Whether npm can install here at all. */
const registry = (await shell("npm", ["view", "effection", "version"], { cwd: scratch })).code === 0;
if (!registry)
  console.warn("npm cannot reach its registry: no project is installed here, and those tests are skipped.");

beforeAll(async () => {
  packed = await packAll(tarballs);
}, 300_000);
// several installed projects: on a busy disk that takes a while
afterAll(() => rmSync(scratch, { recursive: true, force: true }), 120_000);

const published = readdirSync(join(root, "packages"));

describe.each(published)("what is published of packages/%s", (short) => {
  const it_ = () => packed.find(({ name }) => name.replace("@agentpool/", "") === short)!;

  it("is a package with its licence, what it is for, and nothing of the workspace", () => {
    const { files, manifest, folder } = it_();
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
    expect(readFileSync(join(folder, "LICENSE"), "utf8")).toBe(readFileSync(join(root, "LICENSE"), "utf8"));
    expect(manifest).toMatchObject({ type: "module", license: "Apache-2.0", engines: { node: ">=20.19" } });
    expect(manifest.description).toMatch(/\w/);
    const text = readFileSync(join(folder, "package.json"), "utf8");
    expect(text).not.toContain("workspace:");
    expect(text, "publishConfig.exports is exports without @agentpool/source").not.toContain(
      "@agentpool/source",
    );
    for (const [name, version] of Object.entries(manifest.dependencies ?? {}))
      if (name.startsWith("@agentpool/")) expect([name, version]).toEqual([name, manifest.version]);
  });

  it("has the files that its exports and commands name, with types, and no others", () => {
    const { files, manifest, folder } = it_();
    const targets = Object.values(manifest.exports ?? {}).flatMap((target) =>
      typeof target === "string" ? [target] : Object.values(target),
    );
    for (const target of targets) expect(files).toContain(target.replace("./", ""));
    for (const target of Object.values(manifest.exports ?? {}))
      if (typeof target !== "string") expect(Object.keys(target)[0]).toBe("types");
    for (const command of Object.values(manifest.bin ?? {})) {
      expect(files).toContain(command);
      expect(readFileSync(join(folder, command), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    }
    const known =
      /^(LICENSE|README\.md|package\.json|dist\/.+|bin\/[^/]+\.js|hooks\/.+\.js|worker\/.+\.js|schema\/.+\.json|templates\/.+)$/;
    expect(files.filter((file) => !known.test(file))).toEqual([]);
    const inDist = files.filter((file) => file.startsWith("dist/"));
    expect(inDist.filter((file) => !/\.(js|d\.ts)$/.test(file) || /\.(test|testing)\./.test(file))).toEqual(
      [],
    );
    for (const file of inDist.filter((name) => name.endsWith(".js")))
      expect(inDist).toContain(file.replace(/\.js$/, ".d.ts"));
  });

  it("satisfies publint", async () => {
    const { tarball, manifest } = it_();
    const file = readFileSync(tarball);
    const { messages } = await publint({
      pack: { tarball: file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer },
    });
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([]);
  });
});

describe("the templates that are published", () => {
  const shipped = () => packed.find(({ name }) => name === "create-pool")!;

  it("are those of the workspace, without what running them leaves", () => {
    const { files } = shipped();
    const names = new Set(files.flatMap((file) => /^templates\/([^/]+)\//.exec(file)?.[1] ?? []));
    expect([...names]).toEqual(readdirSync(join(root, "templates")));
    for (const name of names) {
      expect(files).toContain(`templates/${name}/_gitignore`);
      expect(files.filter((file) => /node_modules|reports|\.pool|plans/.test(file))).toEqual([]);
    }
  });

  it("want the packages that are published with them", () => {
    const { folder, manifest } = shipped();
    for (const name of readdirSync(join(folder, "templates"))) {
      const text = readFileSync(join(folder, "templates", name, "package.json"), "utf8");
      expect(text).not.toContain("workspace:");
      expect(text).toContain(`"@agentpool/core": "^${manifest.version}"`);
    }
  });
});

const pnpm = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).packageManager as string;
const installs = {
  npm: ["npm", "install", "--prefer-offline", "--no-audit", "--no-fund"],
  // Strict about what a package may import: what it does not name, it does not find.
  pnpm: ["npx", "-y", pnpm, "install", "--prefer-offline"],
} as const;

/** A project from a template, written by the packed create-pool and installed. */
async function project(template: string, installer: keyof typeof installs): Promise<string> {
  const creator = packed.find(({ name }) => name === "create-pool")!.tarball;
  const name = `my-${template}`;
  const exec = ["exec", "--yes", "--prefer-offline", `--package=${creator}`, "--", "create-pool"];
  await succeed("npm", [...exec, name, "--template", template, "--yes"], { cwd: scratch });
  const folder = join(scratch, name);
  // Ours are not in the registry: they come from the tarballs.
  await succeed(process.execPath, [join(root, "scripts/use-tarballs.mjs"), folder, tarballs], {
    cwd: scratch,
  });
  const [command, ...args] = installs[installer];
  await succeed(command, args, { cwd: folder });
  return folder;
}

describe.skipIf(!registry).concurrent("a scaffolded project (installs from the package registry)", () => {
  it("from basic gives a brief, and its guard decides what is quoted", { timeout: 300_000 }, async () => {
    const cwd = await project("basic", "npm");
    const first = await succeed("npm", ["start", "--silent"], { cwd });
    expect(first.stderr).toContain("read refused by no_drafts");
    expect(first.stdout).toContain("run again once");
    expect(first.stdout).not.toContain("five times");
    expect(readdirSync(join(cwd, "reports"))).toHaveLength(2);

    change(cwd, "guards: {}", "guards: { no_drafts: false }");
    const second = await succeed("npm", ["start", "--silent"], { cwd });
    expect(second.stderr).not.toContain("refused");
    expect(second.stdout).toContain("five times");

    const tests = await succeed("npm", ["test"], { cwd });
    expect(tests.stdout).toMatch(/^# pass 1$/m);
    await succeed("npm", ["run", "check"], { cwd });
  });

  it("from research goes as the page to start with says", { timeout: 300_000 }, async () => {
    const cwd = await project("research", "pnpm");
    const [brief, before, after] = shown("text");
    const first = await succeed("npm", ["start", "--silent"], { cwd });
    expect(linesOf(first.stdout)).toEqual(expect.arrayContaining(brief!));
    expect(linesOf(first.stderr)).toEqual(expect.arrayContaining(before!));
    expect(first.stdout).toContain(" 0 refusals ");
    expect(readdirSync(join(cwd, "plans"))).toHaveLength(1);

    const [[from, to]] = shown("diff") as [[string, string]];
    change(cwd, from.slice(1), to.slice(1));
    const second = await succeed("npm", ["start", "--silent"], { cwd });
    for (const line of after!) expect(second.stderr).toContain(line);
    expect(second.stdout).toMatch(/ [1-9]\d* refusals /);
    const quotation = brief!.find((line) => line.startsWith("> "))!;
    expect(second.stdout).not.toContain(quotation);

    const tests = await succeed("npm", ["test"], { cwd });
    expect(tests.stdout).toMatch(/^# fail 0$/m);
    await succeed("npm", ["run", "check"], { cwd });
  });
});

/** Lines of what a run printed, without the time that stands before each line of progress. */
const linesOf = (text: string): string[] =>
  text.split("\n").map((line) => line.replace(/^ *\d+\.\d s {2}/, ""));

/** The blocks of one kind on the page to start with, by lines. */
const shown = (info: string): string[][] =>
  [
    ...readFileSync(join(root, "docs/start-here.md"), "utf8").matchAll(
      new RegExp(`^\`\`\`${info}\\n(.*?)\\n\`\`\`$`, "gms"),
    ),
  ].map(([, code]) => code!.split("\n"));

/** Changes harness.yml where it says exactly this. */
function change(cwd: string, from: string, to: string): void {
  const file = join(cwd, "harness.yml");
  const text = readFileSync(file, "utf8");
  expect(text).toContain(from);
  writeFileSync(
    file,
    text.replace(from, () => to),
  );
}
