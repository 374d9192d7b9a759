// npm run bench [-- arguments]: sets up what is missing, the bench's peers too, and measures packages as published.
import { join } from "node:path";
import { build } from "./build.mjs";
import { root } from "./root.mjs";
import { exitWith, run } from "./run.mjs";
import { setup } from "./setup.mjs";

await build();
const bench = join(root, "bench");
await setup(bench, { args: ["--ignore-workspace"], label: "the bench's peers", optional: true });
await exitWith(
  run(process.execPath, [
    "--expose-gc",
    `--import=${import.meta.resolve("tsx")}`,
    join(bench, "main.ts"),
    ...process.argv.slice(2),
  ]),
);
