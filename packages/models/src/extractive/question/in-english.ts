import { words } from "../text/words.ts";

/** Words that English sentences have and those of its neighbours have not. */
const english = new Set(
  "the of is are were did does do what which who whom whose when where why how many much and to for with that this it".split(
    " ",
  ),
);
const fewest = 3;

/** Whether a text may be English: short ones always may. */
export function inEnglish(text: string): boolean {
  const all = words(text.slice(0, 2_000));
  return all.length < fewest || all.some(({ plain }) => english.has(plain));
}
