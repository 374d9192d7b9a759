import type { RecordedSource } from "../../values/entry.ts";
import type { Changes } from "./changes.ts";

/** A row for each document that some agent saw, as it was last summed up. */
export class SourcesTable {
  readonly #run: string;
  readonly #changes: Changes;

  constructor(run: string, changes: Changes) {
    this.#run = run;
    this.#changes = changes;
  }

  seen({ source, title, lines, readBy, quotations }: RecordedSource): void {
    this.#changes.note("sources", { run: this.#run, source, title, lines, read_by: readBy, quotations });
  }
}
