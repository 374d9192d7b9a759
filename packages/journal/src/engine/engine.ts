/** One statement of SQL, with `?` for its parameters. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** How many rows it has to change; where it does not, nothing of its transaction happens. */
  readonly changes?: number;
}

export type SqlValue = string | number | null;

export type SqlRow = Record<string, SqlValue>;

/** A statement did not change what it had to. Its transaction was rolled back. */
export class UnmetError extends Error {
  override readonly name = "UnmetError";
  readonly statement: Statement;
  constructor(statement: Statement) {
    super("a statement did not change what it had to");
    this.statement = statement;
  }
}

/** What is read from. */
export interface Reader {
  all(sql: string, params?: readonly SqlValue[]): Promise<SqlRow[]>;
}

/** A database under one schema: SQLite or PostgreSQL. Both speak the SQL that is common to them. */
export interface Engine extends Reader {
  readonly name: "sqlite" | "postgres";
  /** Everything that `read` reads is as it stood at one moment, whatever is written meanwhile. It writes nothing. */
  snapshot<T>(read: (reader: Reader) => Promise<T>): Promise<T>;
  /**
   * All of it in one transaction, or nothing; throws {@link UnmetError} where one did not change what it had to.
   * `announce` it to those who watch.
   */
  write(statements: readonly Statement[], options?: { readonly announce?: boolean }): Promise<void>;
  /** Runs a script of several statements, in one transaction. */
  script(sql: string): Promise<void>;
  /**
   * Calls `heard` after somebody announced what they wrote, in this process or another. Returns how to stop. It may
   * call too often, and may miss one: look again now and then.
   */
  watch(heard: () => void): () => void;
  close(): Promise<void>;
}
