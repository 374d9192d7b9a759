/**
 * The type of a column in either engine. `json` is text that holds JSON; large texts in it are references. Of a `result`
 * all of it may be one.
 */
export type ColumnType = "text" | "int" | "real" | "json" | "result";

export interface Table {
  readonly columns: { readonly [name: string]: ColumnType };
  readonly key: readonly string[];
}

/**
 * What people query. Every row is derived from the events of its run, and is written with them. Times are in
 * milliseconds since the epoch, tokens are counts, `cost` is in US dollars and null where a price is not known.
 *
 * The sums in `runs` are brought up to date whenever a pool opens or closes, and at the end.
 *
 * `idx` is the place of the event that made the row: rows are added at a table's end, and change near it.
 *
 * `turns` has every generation: one that is `forced` is a report, one with `finish` 'restarted' was sent back, one with
 * 'failed' came to nothing, and all of these count as no turns of their agent and run.
 *
 * `turns.model` is the model that generated the turn. `calls.terminal` is 1 for the call that ends its agent, which
 * counts nowhere; one that executed and whose agent was not let stop is in `refusals` too, no other call is in both.
 */
export const TABLES = {
  runs: {
    key: ["id"],
    columns: {
      id: "text",
      question: "text",
      status: "text",
      started_at: "int",
      ended_at: "int",
      agents: "int",
      turns: "int",
      calls: "int",
      refusals: "int",
      input_tokens: "int",
      output_tokens: "int",
      cached_tokens: "int",
      cost: "real",
      origin: "json",
      settings: "json",
      answer: "json",
      error: "text",
    },
  },
  agents: {
    key: ["run", "idx"],
    columns: {
      run: "text",
      idx: "int",
      agent: "text",
      pool: "text",
      parent: "text",
      depth: "int",
      model: "text",
      task: "text",
      started_at: "int",
      ended_at: "int",
      exit: "text",
      reason: "text",
      result: "json",
    },
  },
  turns: {
    key: ["run", "idx"],
    columns: {
      run: "text",
      idx: "int",
      agent: "text",
      turn: "int",
      attempt: "int",
      forced: "int",
      started_at: "int",
      ended_at: "int",
      finish: "text",
      calls: "int",
      input_tokens: "int",
      output_tokens: "int",
      cached_tokens: "int",
      context_tokens: "int",
      cost: "real",
      model: "text",
    },
  },
  calls: {
    key: ["run", "idx"],
    columns: {
      run: "text",
      idx: "int",
      call: "text",
      agent: "text",
      turn: "int",
      tool: "text",
      identity: "text",
      args: "json",
      outcome: "text",
      attended: "int",
      attempts: "int",
      dispatched_at: "int",
      settled_at: "int",
      ms: "int",
      result: "result",
      terminal: "int",
    },
  },
  refusals: {
    key: ["run", "idx"],
    columns: {
      run: "text",
      idx: "int",
      call: "text",
      agent: "text",
      turn: "int",
      tool: "text",
      identity: "text",
      input: "text",
      kind: "text",
      guard: "text",
      message: "text",
      at: "int",
    },
  },
  approvals: {
    key: ["run", "id"],
    columns: {
      run: "text",
      id: "text",
      agent: "text",
      call: "text",
      tool: "text",
      identity: "text",
      args: "json",
      digest: "text",
      question: "text",
      reviews: "json",
      state: "text",
      reason: "text",
      requested_at: "int",
      decided_at: "int",
    },
  },
  reviews: {
    key: ["run", "review"],
    columns: {
      run: "text",
      review: "int",
      agent: "text",
      turn: "int",
      attempt: "int",
      subject: "text",
      asked: "json",
      verdict: "text",
      problem: "text",
      message: "text",
      model: "text",
      effort: "text",
      remembered: "int",
      input_tokens: "int",
      output_tokens: "int",
      cached_tokens: "int",
      cost: "real",
      ms: "int",
      at: "int",
    },
  },
  sources: {
    key: ["run", "source"],
    columns: {
      run: "text",
      source: "text",
      title: "text",
      lines: "json",
      read_by: "json",
      quotations: "int",
    },
  },
} as const satisfies { readonly [name: string]: Table };

export type TableName = keyof typeof TABLES;

type Value<T extends ColumnType> = T extends "int" | "real"
  ? number | null
  : T extends "text"
    ? string | null
    : unknown;

/** A row of a table before it is written: `json` columns hold their value. */
export type RowOf<T extends TableName> = {
  -readonly [C in keyof (typeof TABLES)[T]["columns"]]: (typeof TABLES)[T]["columns"][C] extends ColumnType
    ? Value<(typeof TABLES)[T]["columns"][C]>
    : never;
};

/** A row that has to be written, whole. */
export type Change = { readonly [T in TableName]: { readonly table: T; readonly row: RowOf<T> } }[TableName];
