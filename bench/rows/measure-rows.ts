import type { Operation } from "effection";
import type { RowResult } from "../format/row-text.ts";
import { measure } from "../measure/measure.ts";
import type { Scale } from "../scale.ts";
import type { Row } from "./row.ts";

/** Measures rows together: what they have in common is measured once. */
export function* measureRows(
  rows: readonly Row[],
  scale: Scale,
  onProgress: (line: string) => void,
): Operation<RowResult[]> {
  const entries = new Map(rows.flatMap((row) => row.entries(scale).map((entry) => [entry.name, entry])));
  const which = `row ${rows.map(({ number }) => number).join(" and ")}`;
  const measured = yield* measure([...entries.values()], {
    rounds: scale.rounds,
    onProgress: (line) => onProgress(`${which}: ${line}`),
  });
  return rows.map((row) => ({
    row: row.number,
    title: row.title,
    conditions: row.conditions(scale),
    findings: row.findings(measured),
  }));
}
