import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { create, filesIn, folderWith, small } from "./call.ts";

const read = (...parts: string[]) => readFileSync(join(...parts), "utf8");

describe("without a terminal", () => {
  it("nothing is asked, and a whole project is written", async () => {
    const cwd = folderWith();
    const { code, stdout, stderr } = await create(["mine"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(filesIn(join(cwd, "mine"))).toEqual([
      ".gitignore",
      "README.md",
      "harness.yml",
      "package.json",
      "src/deep/code.ts",
    ]);
    expect(JSON.parse(read(cwd, "mine/package.json"))).toEqual({ name: "mine", private: true });
    expect(read(cwd, "mine/README.md")).toBe("# mine\n\n# Not the title\n");
    expect(read(cwd, "mine/src/deep/code.ts")).toBe("export const $1 = '$&';\n");
    for (const step of ["cd mine", "npm install", "npm start", "npm test"]) expect(stdout).toContain(step);
  });

  it("a folder, a template, a model, a package manager and a name can be given", async () => {
    const cwd = folderWith();
    const flags =
      "--name @me/other --template second --model ollama/qwen3:8b --package-manager pnpm --no-git".split(" ");
    const { code, stdout } = await create(["apps/mine", ...flags], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(read(cwd, "apps/mine/package.json")).name).toBe("@me/other");
    expect(existsSync(join(cwd, "apps/mine/.git"))).toBe(false);
    for (const step of ["cd apps/mine", "pnpm install", "pnpm test", "needs a local Ollama"])
      expect(stdout).toContain(step);
  });

  it("the model stands in its line of harness.yml, and nothing else of it changes", async () => {
    const cwd = folderWith();
    await create(["mine", "--model", "anthropic/claude-haiku-4-5"], { cwd });
    expect(read(cwd, "mine/harness.yml")).toBe(
      "question: Why?\nmodel: anthropic/claude-haiku-4-5 # its key: ANTHROPIC_API_KEY, in the environment\n" +
        "tools: { corpus: { path: ./docs } }\n",
    );
  });

  it("the package manager that called is the one that is named", async () => {
    const env = { npm_config_user_agent: "pnpm/10.34.9 npm/? node/v20.20.2 linux x64" };
    expect((await create(["mine"], { cwd: folderWith(), env })).stdout).toContain("pnpm install");
  });

  it("a path with spaces is quoted in what to do next", async () => {
    const { stdout } = await create(["my things/mine"], { cwd: folderWith() });
    expect(stdout).toContain('cd "my things/mine"');
  });

  it("the working folder itself will do, when it is empty", async () => {
    const parent = folderWith();
    const cwd = join(parent, "here");
    mkdirSync(cwd);
    const { code, stdout } = await create(["."], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(read(cwd, "package.json")).name).toBe("here");
    expect(stdout).not.toContain("cd ");
  });

  it("the project is a repository of its own, unless it is in one", async () => {
    const cwd = folderWith();
    await create(["mine"], { cwd });
    expect(existsSync(join(cwd, "mine/.git"))).toBe(true);
    await create(["mine/inner"], { cwd });
    expect(existsSync(join(cwd, "mine/inner/.git"))).toBe(false);
    expect(spawnSync("git", ["log"], { cwd: join(cwd, "mine") }).status).not.toBe(0);
  });
});

describe("nothing is overwritten", () => {
  it("a folder with something in it is refused, naming what", async () => {
    const cwd = folderWith({ "mine/thesis.md": "ten years" });
    const { code, stderr } = await create(["mine"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain("thesis.md");
    expect(filesIn(cwd)).toEqual(["mine/thesis.md"]);
  });

  it("a file in the folder's place is refused", async () => {
    const cwd = folderWith({ mine: "a file" });
    const { code, stderr } = await create(["mine"], { cwd });
    expect({ code, kept: read(cwd, "mine") }).toEqual({ code: 2, kept: "a file" });
    expect(stderr).toContain("it is a file");
  });

  it("a fresh repository counts as empty", async () => {
    const cwd = folderWith({ "mine/.git/HEAD": "ref: refs/heads/main\n" });
    expect((await create(["mine"], { cwd })).code).toBe(0);
    expect(read(cwd, "mine/.git/HEAD")).toBe("ref: refs/heads/main\n");
  });

  it("a write that fails halfway leaves nothing", async () => {
    const templates = folderWith(small);
    symlinkSync("nowhere", join(templates, "plain/src/gone.ts"));
    const cwd = folderWith();
    const { code, stderr } = await create(["apps/mine"], { cwd, templates });
    expect(code).toBe(1);
    expect(stderr).toMatch(/nothing was left behind: ENOENT/);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe("what cannot be used is said, with what can, and nothing is written", () => {
  it.each([
    [["--template", "advanced"], "takes plain or second"],
    [["--model", "gpt-5"], "anthropic/claude-haiku-4-5"],
    [["--package-manager", "cargo"], "Allowed choices are npm, pnpm, yarn"],
    [["--name", "No Good"], "no-good would do"],
    [["--modle", "x"], "Did you mean --model?"],
    [["two", "folders"], "too many arguments"],
  ])("%j", async (flags, message) => {
    const cwd = folderWith();
    const { code, stderr } = await create(["mine", ...flags], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("help teaches: every flag, every template, examples, exit codes", async () => {
    const { code, stdout } = await create(["--help"], { cwd: folderWith() });
    expect(code).toBe(0);
    const flags = ["--name", "--template", "--model", "--package-manager", "--no-git", "--install", "--yes"];
    for (const text of [...flags, "nothing much", "npm create pool", "Exit codes"])
      expect(stdout).toContain(text);
  });
});

describe("--install", () => {
  const withNpm = (script: string) => {
    const bin = folderWith({ npm: `#!/bin/sh\n${script}\n` });
    chmodSync(join(bin, "npm"), 0o755);
    return bin;
  };
  const run = async (script: string) => {
    const cwd = folderWith();
    const path = process.env.PATH;
    process.env.PATH = `${withNpm(script)}:${path}`;
    try {
      return { cwd, ...(await create(["mine", "--install"], { cwd })) };
    } finally {
      process.env.PATH = path;
    }
  };

  it.skipIf(process.platform === "win32")("runs the package manager in the project", async () => {
    const { cwd, code, stdout } = await run('echo "$@" > installed');
    expect(code).toBe(0);
    expect(read(cwd, "mine/installed")).toBe("install\n");
    expect(stdout).not.toContain("npm install");
  });

  it.skipIf(process.platform === "win32")("that fails leaves the project, and says so", async () => {
    const { cwd, code, stdout, stderr } = await run("exit 3");
    expect(code).toBe(1);
    expect(stderr).toContain("npm install failed. The project is there");
    expect(stdout).toContain("npm install");
    expect(existsSync(join(cwd, "mine/package.json"))).toBe(true);
  });
});

describe("on a terminal", () => {
  const enter = "\r";
  const down = "\u001b[B";
  const ctrlC = "\u0003";

  it("asks for name, template, model, package manager and git", async () => {
    const cwd = folderWith();
    const { code, stdout } = await create([], {
      cwd,
      typed: [
        ["What is it called", `mine${enter}`],
        ["Which template", down + enter],
        ["Which model", down + enter],
        ["Which package manager", down + enter],
        ["git repository", `n${enter}`],
      ],
    });
    expect(code).toBe(0);
    expect(JSON.parse(read(cwd, "mine/package.json")).name).toBe("mine");
    expect(existsSync(join(cwd, "mine/harness.yml"))).toBe(false);
    expect(existsSync(join(cwd, "mine/.git"))).toBe(false);
    expect(stdout).toContain("pnpm install");
    expect(stdout).toContain("ANTHROPIC_API_KEY");
  });

  it("asks only for what no flag has given", async () => {
    const cwd = folderWith();
    const args = ["mine", "-t", "plain", "-m", "extractive", "-p", "npm"];
    const { code, stdout } = await create(args, { cwd, typed: [["git repository", enter]] });
    expect(code).toBe(0);
    expect(stdout).not.toContain("Which");
  });

  it("asks again for a folder that is not empty", async () => {
    const cwd = folderWith({ "taken/thesis.md": "ten years" });
    const args = ["-t", "plain", "-m", "extractive", "-p", "npm", "--no-git"];
    const { code } = await create(args, {
      cwd,
      typed: [
        ["What is it called", `taken${enter}`],
        ["it is not empty", `-2${enter}`],
      ],
    });
    expect(code).toBe(0);
    expect(existsSync(join(cwd, "taken-2/package.json"))).toBe(true);
  });

  it("--yes asks nothing", async () => {
    const cwd = folderWith();
    const { code, stdout } = await create(["--yes"], { cwd, typed: [] });
    expect(code).toBe(0);
    expect(stdout).not.toContain("?");
    expect(existsSync(join(cwd, "my-pool/package.json"))).toBe(true);
  });

  it("ctrl-c writes nothing", async () => {
    const cwd = folderWith();
    const { code } = await create(["mine"], { cwd, typed: [["Which template", ctrlC]] });
    expect(code).toBe(130);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("a wrong flag is told before anything is asked", async () => {
    const cwd = folderWith({ "mine/thesis.md": "ten years" });
    const { code, stdout } = await create(["mine"], { cwd, typed: [] });
    expect(code).toBe(2);
    expect(stdout).toBe("");
  });
});

it("an unwritable place is said in words", async () => {
  const cwd = folderWith({ file: "" });
  writeFileSync(join(cwd, "file"), "x");
  const { code, stderr } = await create(["file/below"], { cwd });
  expect(code).toBe(1);
  expect(stderr).toMatch(/nothing was left behind/);
});
