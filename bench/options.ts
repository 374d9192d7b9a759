import { parseArgs } from "node:util";

export interface Options {
  /** Numbers of the rows to measure. */
  readonly only: readonly number[];
  readonly quick: boolean;
  readonly json: boolean;
  /** A folder with a question set, for the quality of the research job. */
  readonly data: string | undefined;
}

export type Command =
  | { readonly type: "measure"; readonly options: Options }
  | { readonly type: "help" }
  | { readonly type: "wrong"; readonly message: string };

export const usage = `npm run bench -- [options]

Measures agentpool beside its peers, in one go, and prints ratios with pass or miss.

  --only 1,3     only these rows (1 to 9)
  --quick        a tenth of the work, three rounds: to see that it runs
  --json         one JSON document on stdout
  --data DIR     the quality of the research job too, on the question set in DIR
  --help         this text

Ends with 0 whatever was found, with 1 where something could not be measured, with 2 where an option is wrong.
`;

/** What the command line asks for. `rows` are the numbers there are. */
export function readCommand(args: readonly string[], rows: readonly number[]): Command {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: "string" },
        quick: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        data: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) return { type: "help" };
    const { quick, json, data } = values;
    return { type: "measure", options: { only: readRows(values.only, rows), quick, json, data } };
  } catch (error) {
    return { type: "wrong", message: error instanceof Error ? error.message : String(error) };
  }
}

function readRows(only: string | undefined, rows: readonly number[]): readonly number[] {
  if (only === undefined) return rows;
  const asked = only.split(",").map((text) => ({ text, number: Number(text.trim() || Number.NaN) }));
  const unknown = asked.find(({ number }) => !rows.includes(number));
  if (unknown) throw new Error(`--only: found "${unknown.text}"; accepted are rows ${rows.join(", ")}.`);
  return rows.filter((row) => asked.some(({ number }) => number === row));
}
