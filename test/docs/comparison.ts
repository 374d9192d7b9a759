import { type Page, proseOf } from "./pages.ts";

/** One behaviour of another system: how it is done here, and the names of the tests that hold it. */
export interface Row {
  readonly behaviour: string;
  readonly here: string;
  readonly tests: readonly string[];
}

/** The rows of the tables whose columns are behaviour, here and test. */
export function rowsOf(page: Page): Row[] {
  const rows: Row[] = [];
  let inTable = false;
  for (const line of proseOf(page).split("\n")) {
    if (/^\| behaviour \| here \| test \|$/.test(line)) inTable = true;
    else if (!line.startsWith("|")) inTable = false;
    else if (inTable && !/^[| -]+$/.test(line)) rows.push(rowOf(line));
  }
  return rows;
}

function rowOf(line: string): Row {
  const [behaviour = "", here = "", tests = ""] = line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
  return { behaviour, here, tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, name]) => name!) };
}
