import type { Choices } from "./choices.ts";
import { needsOf } from "./model.ts";
import { scriptOf } from "./package-manager.ts";

/** What to do with the project that was written. `folder` is where it is, from the working folder. */
export function nextSteps(
  { template, model, packageManager }: Choices,
  { folder, installed }: { readonly folder: string; readonly installed: boolean },
): string {
  const steps = [
    ...(folder === "" ? [] : [[`cd ${quoted(folder)}`]]),
    ...(installed ? [] : [[`${packageManager} install`]]),
    [scriptOf(packageManager, "start"), "a brief on what harness.yml asks"],
    [scriptOf(packageManager, "test"), "with a scripted model: no key, no network"],
  ];
  const width = Math.max(...steps.map(([step]) => step!.length)) + 3;
  const needs = needsOf(model);
  return [
    `Wrote the template ${template}${folder === "" ? "" : ` to ${folder}`}. Next:`,
    "",
    ...steps.map(([step, what]) => `  ${what === undefined ? step : step!.padEnd(width) + what}`),
    ...(needs === undefined ? [] : ["", `${needs}.`]),
    "",
    "Put your documents into docs/, and set the model, the guards and the limits in harness.yml.",
    "",
  ].join("\n");
}

const quoted = (path: string): string => (/^[\w./@~-]+$/.test(path) ? path : `"${path}"`);
