import { readFileSync } from "node:fs";

/** What a stage says to its model: the text of `prompts/<stage>.md`. */
export const prompt = (stage: "scout" | "plan" | "inquiry" | "section"): string =>
  readFileSync(new URL(`../prompts/${stage}.md`, import.meta.url), "utf8").trim();
