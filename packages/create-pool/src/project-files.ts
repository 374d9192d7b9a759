import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Choices } from "./choices.ts";
import { withModel } from "./model.ts";
import type { Template } from "./templates.ts";

export interface ProjectFile {
  /** From the project's folder. */
  readonly path: string;
  content(): string | Buffer;
}

/** npm leaves these out of packages, so templates have them under another name. */
const renamed: Readonly<Record<string, string>> = { _gitignore: ".gitignore" };

/** The files of a project: the template's own, with the name and the model put in. */
export function projectFiles(template: Template, choices: Pick<Choices, "name" | "model">): ProjectFile[] {
  return filesBelow(template.folder).map((path) => {
    const read = () => readFileSync(join(template.folder, path));
    const change = changes[path];
    return {
      path: renamed[path] ?? path,
      content: change === undefined ? read : () => change(read().toString("utf8"), choices, template),
    };
  });
}

type Change = (text: string, choices: Pick<Choices, "name" | "model">, template: Template) => string;

const changes: Readonly<Record<string, Change | undefined>> = {
  "package.json": (text, { name }) => {
    const { description: _, ...manifest } = JSON.parse(text) as Record<string, unknown>;
    return `${JSON.stringify({ ...manifest, name }, null, 2)}\n`;
  },
  "README.md": (text, { name }) => text.replace(/^# .*$/m, () => `# ${name}`),
  "harness.yml": (text, { model }) => withModel(text, model),
};

const filesBelow = (folder: string, at = ""): string[] =>
  readdirSync(join(folder, at), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = at === "" ? entry.name : join(at, entry.name);
      return entry.isDirectory() ? filesBelow(folder, path) : [path];
    });
