import type { Change, RowOf, TableName } from "../../values/tables.ts";

/** Rows that have to be written, each once and whole, in the order in which they first changed. */
export class Changes {
  #rows = new Map<object, Change>();

  note<T extends TableName>(table: T, row: RowOf<T>): void {
    this.#rows.set(row, { table, row } as Change);
  }

  /** What changed since this was last asked. */
  take(): Change[] {
    const changes = [...this.#rows.values()];
    this.#rows = new Map();
    return changes;
  }
}
