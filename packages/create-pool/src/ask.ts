import { resolve } from "node:path";
import { cancel, confirm, intro, isCancel, select, text } from "@clack/prompts";
import { DEFAULT_FOLDER, type Given } from "./choices.ts";
import { Cancelled } from "./errors.ts";
import type { Io } from "./io.ts";
import { DEFAULT_MODEL, providers, whyNoModel } from "./model.ts";
import { PACKAGE_MANAGERS, type PackageManager } from "./package-manager.ts";
import { nameOf } from "./project-name.ts";
import { whyNotThere } from "./target.ts";
import type { Template } from "./templates.ts";

/** Where questions are asked. */
interface Terminal {
  readonly input: Io["stdin"];
  readonly output: Io["stdout"];
}

export interface Asking {
  readonly io: Io;
  readonly templates: readonly Template[];
  readonly packageManager: PackageManager;
}

/** Asks for what no flag has given. Throws {@link Cancelled} on ctrl-c. */
export async function ask(given: Given, { io, templates, packageManager }: Asking): Promise<Given> {
  const terminal: Terminal = { input: io.stdin, output: io.stdout };
  const answered = answersOf(terminal);
  intro("A project for pools of agents", terminal);
  const folder = given.folder ?? (await answered(text(folderQuestion(io.cwd, given.name, terminal))));
  const template = given.template ?? (await answered(select<string>(templateQuestion(templates, terminal))));
  const model = given.model ?? (await answered(select<string>(modelQuestion(terminal))));
  const named = model === "" ? await answered(text(nameOfModelQuestion(terminal))) : model;
  const manager =
    given.packageManager ??
    (await answered(select<PackageManager>(packageManagerQuestion(packageManager, terminal))));
  const git = given.git ?? (await answered(confirm({ message: "Make it a git repository?", ...terminal })));
  return { ...given, folder: folder.trim(), template, model: named.trim(), packageManager: manager, git };
}

const folderQuestion = (cwd: string, name: string | undefined, terminal: Terminal) => {
  const otherwise = name ?? DEFAULT_FOLDER;
  return {
    message: "What is it called? Its folder gets that name.",
    placeholder: otherwise,
    defaultValue: otherwise,
    validate(value: string | undefined) {
      const folder = value?.trim() || otherwise;
      const why = whyNotThere(resolve(cwd, folder));
      if (why !== undefined) return `${folder}: ${why}.`;
      return name === undefined ? messageOf(() => nameOf(folder, cwd)) : undefined;
    },
    ...terminal,
  };
};

const templateQuestion = (templates: readonly Template[], terminal: Terminal) => ({
  message: "Which template?",
  options: templates.map(({ name, description }) => ({ value: name, hint: description })),
  ...terminal,
});

const modelQuestion = (terminal: Terminal) => ({
  message: "Which model? harness.yml can name another at any time.",
  options: [
    { value: DEFAULT_MODEL, hint: "embedded, no key, no server: it quotes" },
    ...Object.values(providers).map(({ example, hint }) => ({ value: example, hint })),
    { value: "", label: "another", hint: "provider/model" },
  ],
  ...terminal,
});

const nameOfModelQuestion = (terminal: Terminal) => ({
  message: "Its name?",
  validate: (value: string | undefined) => whyNoModel(value?.trim() ?? ""),
  ...terminal,
});

const packageManagerQuestion = (calling: PackageManager, terminal: Terminal) => ({
  message: "Which package manager?",
  options: PACKAGE_MANAGERS.map((value) => ({ value })),
  initialValue: calling,
  ...terminal,
});

/** What was answered. Ctrl-c gives a symbol in its place. */
const answersOf =
  (terminal: Terminal) =>
  async <T>(question: Promise<T>): Promise<Exclude<T, symbol>> => {
    const answer = await question;
    if (!isCancel(answer)) return answer as Exclude<T, symbol>;
    cancel("Nothing was written.", terminal);
    throw new Cancelled();
  };

function messageOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
