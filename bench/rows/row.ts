import type { Entry, Measured } from "../measure/measure.ts";
import type { Scale } from "../scale.ts";
import type { Finding } from "./finding.ts";

/** A row of the bench. */
export interface Row {
  readonly number: number;
  readonly title: string;
  /** What was done, in words. */
  conditions(scale: Scale): string;
  /** What has to be measured. Rows that are measured together share entries by name. */
  entries(scale: Scale): readonly Entry[];
  /** What that comes to. */
  findings(measured: ReadonlyMap<string, Measured>): readonly Finding[];
}
