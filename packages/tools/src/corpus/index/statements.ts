import type { Index } from "./database.ts";

/** Prepared statements of an index that can be let go of together. */
export interface Statements {
  /** Prepares a query; rows are arrays in the order of its columns. */
  rows<Row extends readonly unknown[]>(sql: string): (...args: unknown[]) => Row[];
  /** Whoever asks afterwards is told that the corpus is closed. */
  close(): void;
}

export function statementsOf(index: Index): Statements {
  const prepared: { all(...args: unknown[]): unknown[] }[] = [];
  return {
    rows: <Row extends readonly unknown[]>(sql: string) => {
      const place = prepared.push(index.prepare(sql).raw()) - 1;
      return (...args: unknown[]) => {
        const statement = prepared[place];
        if (!statement) throw new Error("the corpus is closed: its scope has ended");
        return statement.all(...args) as Row[];
      };
    },
    close: () => {
      prepared.length = 0;
    },
  };
}
