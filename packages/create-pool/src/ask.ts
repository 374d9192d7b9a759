import { resolve } from "node:path";
import { cancel, confirm, intro, isCancel, select, text } from "@clack/prompts";
import { type Choices, DEFAULT_FOLDER, type Given } from "./choices.ts";
import { Cancelled } from "./errors.ts";
import { DEFAULT_MODEL, providers, whyNoModel } from "./model.ts";
import { PACKAGE_MANAGERS, type PackageManager } from "./package-manager.ts";
import { nameOf } from "./project-name.ts";
import { whyNotThere } from "./target.ts";
import type { Template } from "./templates.ts";

export interface Asking {
  readonly cwd: string;
  readonly templates: readonly Template[];
  readonly packageManager: PackageManager;
}

/** Asks for what no flag has given. Throws {@link Cancelled} on ctrl-c. */
export async function ask(given: Given, { cwd, templates, packageManager }: Asking): Promise<Given> {
  intro("A project for pools of agents");
  const folder = given.folder ?? (await askFolder(cwd, given.name));
  return {
    ...given,
    folder,
    template: given.template ?? (await answered(select(templateQuestion(templates)))),
    model: given.model ?? (await askModel()),
    packageManager:
      given.packageManager ??
      (await answered(
        select<PackageManager>({
          message: "Which package manager?",
          options: PACKAGE_MANAGERS.map((value) => ({ value })),
          initialValue: packageManager,
        }),
      )),
    git: given.git ?? (await answered(confirm({ message: "Make it a git repository?" }))),
  };
}

const askFolder = (cwd: string, name: string | undefined): Promise<string> =>
  answered(
    text({
      message: "What is it called? Its folder gets that name.",
      placeholder: name ?? DEFAULT_FOLDER,
      defaultValue: name ?? DEFAULT_FOLDER,
      validate: (value) => {
        const folder = value?.trim() || (name ?? DEFAULT_FOLDER);
        const why = whyNotThere(resolve(cwd, folder));
        if (why !== undefined) return `${folder}: ${why}.`;
        return name === undefined ? messageOf(() => nameOf(folder, cwd)) : undefined;
      },
    }),
  );

const templateQuestion = (templates: readonly Template[]) => ({
  message: "Which template?",
  options: templates.map(({ name, description }) => ({ value: name, hint: description })),
});

async function askModel(): Promise<Choices["model"]> {
  const chosen = await answered(
    select<string>({
      message: "Which model? harness.yml can name another at any time.",
      options: [
        { value: DEFAULT_MODEL, hint: "embedded, no key, no server: it quotes" },
        ...Object.values(providers).map(({ example, hint }) => ({ value: example, hint })),
        { value: "", label: "another", hint: "provider/model" },
      ],
    }),
  );
  if (chosen !== "") return chosen;
  const named = text({ message: "Its name?", validate: (value) => whyNoModel(value?.trim() ?? "") });
  return (await answered(named)).trim();
}

/** What was answered. Ctrl-c gives a symbol in its place. */
async function answered<T>(question: Promise<T>): Promise<Exclude<T, symbol>> {
  const answer = await question;
  if (!isCancel(answer)) return answer as Exclude<T, symbol>;
  cancel("Nothing was written.");
  throw new Cancelled();
}

function messageOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
