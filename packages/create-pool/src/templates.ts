import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "./errors.ts";

export interface Template {
  readonly name: string;
  /** What its package.json says that it is. */
  readonly description: string;
  readonly folder: string;
}

/** Where the templates are: beside `dist` and `src`. */
export const TEMPLATES = fileURLToPath(new URL("../templates", import.meta.url));

/** The templates in a folder. The first is the default. */
export function templatesIn(folder: string): Template[] {
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, folder: join(folder, name) }))
    .filter((template) => existsSync(join(template.folder, "package.json")))
    .map((template) => {
      const { description = "" } = JSON.parse(
        readFileSync(join(template.folder, "package.json"), "utf8"),
      ) as {
        description?: string;
      };
      return { ...template, description };
    });
}

export function templateNamed(name: string, templates: readonly Template[]): Template {
  const found = templates.find((template) => template.name === name);
  if (found) return found;
  const names = templates.map((template) => template.name).join(" or ");
  throw new UsageError(`--template: got "${name}", and takes ${names}.`);
}
