import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { onTestFinished } from "vitest";
import { main } from "../src/main.ts";

/** A folder with these files, gone when the test ends. */
export function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "create-pool-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Two small templates, as create-pool ships them. */
export const small = {
  "plain/package.json": '{ "name": "template-plain", "description": "nothing much", "private": true }',
  "plain/README.md": "# template-plain\n\n# Not the title\n",
  "plain/harness.yml":
    "question: Why?\nmodel: extractive # the default\ntools: { corpus: { path: ./docs } }\n",
  "plain/_gitignore": "node_modules/\n",
  "plain/src/deep/code.ts": "export const $1 = '$&';\n",
  "second/package.json": '{ "name": "template-second", "description": "the other" }',
};

export interface Called {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Calling {
  readonly cwd: string;
  readonly templates?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What is typed, each once the terminal has shown its text. */
  readonly typed?: readonly (readonly [shown: string, keys: string])[];
}

/** `create-pool`, called as a function; with `typed` on a terminal. */
export async function create(
  args: readonly string[],
  { cwd, templates = folderWith(small), env = {}, typed }: Calling,
): Promise<Called> {
  const collected = { stdout: "", stderr: "" };
  const stdin = Object.assign(new PassThrough(), { isTTY: typed !== undefined, setRawMode: () => stdin });
  const waiting = [...(typed ?? [])];
  let seen = 0;
  const into = (name: "stdout" | "stderr") =>
    new Writable({
      write(chunk, _, done) {
        collected[name] += String(chunk);
        done();
        const [next] = waiting;
        const at = next === undefined ? -1 : collected.stdout.indexOf(next[0], seen);
        if (next === undefined || at === -1) return;
        waiting.shift();
        seen = at + next[0].length;
        // The question is drawn before its keys are listened to.
        setImmediate(() => stdin.write(next[1]));
      },
    });
  const stdout = Object.assign(into("stdout"), { isTTY: typed !== undefined, columns: 100, rows: 40 });
  const code = await main(args, { cwd, env, stdin, stdout, stderr: into("stderr") }, templates);
  return { code, ...collected };
}

/** Every file below a folder, `.git` left out. */
export const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !join(entry.parentPath, entry.name).includes(`${join(folder, ".git")}/`),
    )
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
