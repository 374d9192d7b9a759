import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { loadHarness } from "@agentpool/harness";
import { expect, it, onTestFinished } from "vitest";
import { main } from "../../packages/cli/src/index.ts";
import { blocksOf, type Page, pages, root } from "./pages.ts";

const readmes: readonly Page[] = [
  "README.md",
  ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`),
  ...["basic", "research"].map((name) => `templates/${name}/README.md`),
].map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }));

const all = [...pages, ...readmes];

/** What the help of a command says. */
async function helpOf(...command: string[]): Promise<string> {
  let text = "";
  const output = () =>
    new Writable({
      write(chunk, _, done) {
        text += String(chunk);
        done();
      },
    });
  const stdin = new PassThrough().end();
  await main([...command, "--help"], { cwd: root, env: {}, stdin, stdout: output(), stderr: output() });
  return text;
}

/** `pool` with what follows, as pages have it in their blocks and between backticks. */
const commandsOn = ({ text }: Page): string[] => {
  const lines = blocksOf(text)
    .filter(({ info }) => /^(sh|console)\b/.test(info))
    .flatMap(({ code }) => code.replaceAll("\\\n", " ").split("\n"));
  const inline = [...text.matchAll(/`((?:npx )?pool [^`\n]+)`/g)].map(([, command]) => command!);
  return [...lines, ...inline].flatMap((line) => {
    const command = /(?:^|[\s(;|&])(?<!create )pool ((?:[a-z]+ ?).*)$/.exec(line.replace(/\s#.*$/, ""))?.[1];
    return command ? [command.split(/ (?:\||&&|>) /)[0]!] : [];
  });
};

it("names commands and flags that are there", async () => {
  const known = new Map<string, ReadonlySet<string>>();
  for (const [, name] of (await helpOf()).matchAll(/^ {2}([a-z]+) [[<(]/gm)) {
    const help = `${await helpOf(name!)}${name === "models" ? await helpOf("models", "pull") : ""}`;
    known.set(
      name!,
      new Set(
        [...help.matchAll(/^ {2}(?:(-\w), )?(--[\w-]+)/gm)].flatMap(([, short, long]) => [
          short ?? "",
          long!,
        ]),
      ),
    );
  }
  expect(known.size).toBeGreaterThan(10);
  const commands = all.flatMap((page) => commandsOn(page).map((command) => ({ page: page.name, command })));
  expect(commands.length).toBeGreaterThan(60);
  const wrong = commands.flatMap(({ page, command }) => {
    const name = /^[a-z]+/.exec(command)![0];
    const flags = known.get(name);
    if (!flags) return [`${page}: pool ${name} is no command`];
    const words = command.replace(/"[^"]*"|'[^']*'/g, "x").split(/\s+/);
    return words
      .filter((word) => /^-{1,2}[a-z]/.test(word) && !flags.has(word.split("=")[0]!))
      .map((word) => `${page}: pool ${name} has no ${word}`);
  });
  expect(wrong).toEqual([]);
});

it("shows files of harness.yml that can be loaded", () => {
  const cwd = mkdtempSync(join(tmpdir(), "pool-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const files = all.flatMap(({ name, text }) =>
    blocksOf(text)
      .filter(
        ({ info, code }) =>
          info === "yaml" &&
          /^(model|models|tools|defaults|policy|question|providers|store|program):/m.test(code),
      )
      .map(({ code, line }) => ({ place: `${name}:${line}`, code })),
  );
  expect(files.length).toBeGreaterThan(10);
  const wrong = files.flatMap(({ place, code }) => {
    writeFileSync(join(cwd, "harness.yml"), code);
    try {
      loadHarness({ cwd, env: { ANTHROPIC_API_KEY: "x", OPENAI_API_KEY: "x" } });
      return [];
    } catch (error) {
      // guards of a program are known once its module is there
      const lines = (error as Error).message
        .split("\n")
        .filter((line) => !line.includes("is not a guard of this harness"));
      return lines.length > 0 ? [`${place}: ${lines.join("; ")}`] : [];
    }
  });
  expect(wrong).toEqual([]);
});
