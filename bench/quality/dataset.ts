import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A question with the answers that are accepted, as they stand in the document that answers it. */
export interface Question {
  readonly id: string;
  readonly question: string;
  readonly answers: readonly string[];
  readonly doc: string;
}

/** A question made of several, by their ids. */
export interface Composite {
  readonly question: string;
  readonly parts: readonly string[];
}

export interface Dataset {
  /** The folder; its documents are in `docs`. */
  readonly dir: string;
  readonly questions: readonly Question[];
  readonly composites: readonly Composite[];
}

/** Reads a folder with `questions.json`, `composite.json` and `docs`. */
export function readDataset(dir: string): Dataset {
  const json = (name: string): unknown => JSON.parse(readFileSync(join(dir, name), "utf8"));
  return {
    dir,
    questions: json("questions.json") as Question[],
    composites: json("composite.json") as Composite[],
  };
}

/** Every `step`-th item: a sample that touches every document. */
export const every = <T>(items: readonly T[], step: number): T[] => items.filter((_, at) => at % step === 0);
