import type { Finding } from "../rows/finding.ts";
import { findingLine } from "./finding-line.ts";

/** What a row came to. */
export interface RowResult {
  readonly row: number;
  readonly title: string;
  readonly conditions: string;
  readonly findings: readonly Finding[];
}

export const rowText = ({ row, title, conditions, findings }: RowResult): string =>
  [`${row}  ${title}`, `   ${conditions}`, ...findings.map(findingLine), ""].join("\n");
