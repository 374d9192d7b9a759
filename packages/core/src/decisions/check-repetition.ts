import { ConfigurationError } from "../values/errors.ts";
import { defaultRepetition, type RepetitionLimits } from "../values/repetition.ts";
import type { Tool } from "../values/tool.ts";
import { checkList } from "./check-tools.ts";
import { unknownName } from "./names.ts";

/** Throws where what is said about repetition cannot be. Names the place, what was found and what is accepted. */
export function checkRepetition(
  repetition: false | Partial<RepetitionLimits> | undefined,
  tools: readonly Tool[],
): void {
  if (repetition === undefined || repetition === false) return;
  if (typeof repetition !== "object" || repetition === null)
    throw new ConfigurationError(
      `repetition: found ${JSON.stringify(repetition)}; accepted are false and { warn, stop, exempt }.`,
    );
  for (const key of Object.keys(repetition))
    if (!Object.hasOwn(defaultRepetition, key))
      throw new ConfigurationError(`repetition.${unknownName("limit", key, Object.keys(defaultRepetition))}`);
  for (const key of ["warn", "stop"] as const) {
    const value: unknown = repetition[key];
    if (value !== undefined && !(typeof value === "number" && value >= 1))
      throw new ConfigurationError(
        `repetition.${key}: found ${typeof value === "number" ? value : JSON.stringify(value)}; accepted are numbers of turns from 1.`,
      );
  }
  checkList("repetition.exempt", repetition.exempt);
  const names = tools.map(({ name }) => name);
  for (const name of repetition.exempt ?? [])
    if (!names.includes(name))
      throw new ConfigurationError(`repetition.exempt: ${unknownName("tool", name, names)}`);
}
