/** Where a value of the configuration came from. Lines and columns count from 1. */
export type Origin =
  | { readonly type: "flag"; readonly name: string }
  | { readonly type: "environment"; readonly name: string }
  | { readonly type: "file"; readonly file: string; readonly line: number; readonly column: number }
  | { readonly type: "default" };

/** `harness.yml:7:5`, `--model`, `POOL_MODEL` or `default`. */
export function describeOrigin(origin: Origin): string {
  switch (origin.type) {
    case "file":
      return `${origin.file}:${origin.line}:${origin.column}`;
    case "flag":
    case "environment":
      return origin.name;
    case "default":
      return "default";
  }
}
