import { type Choices, DEFAULT_FOLDER, type Given } from "./choices.ts";
import { checkedModel, DEFAULT_MODEL } from "./model.ts";
import type { PackageManager } from "./package-manager.ts";
import { nameOf } from "./project-name.ts";
import { type Template, templateNamed } from "./templates.ts";

/** Every choice, checked; defaults where nothing was said. Throws `UsageError` for what cannot be used. */
export function settle(
  given: Given,
  {
    cwd,
    templates,
    packageManager,
  }: { cwd: string; templates: readonly Template[]; packageManager: PackageManager },
): Choices {
  const folder = given.folder ?? given.name ?? DEFAULT_FOLDER;
  return {
    folder,
    name: nameOf(folder, cwd, given.name),
    template: templateNamed(given.template ?? templates[0]!.name, templates).name,
    model: checkedModel(given.model ?? DEFAULT_MODEL),
    packageManager: given.packageManager ?? packageManager,
    git: given.git ?? true,
    install: given.install ?? false,
  };
}
