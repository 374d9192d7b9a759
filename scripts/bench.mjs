// npm run bench [-- arguments]: sets up what is missing, the bench's peers too, then measures.
import { join } from "node:path";
import { root } from "./root.mjs";
import { exitWith, run } from "./run.mjs";
import { setup } from "./setup.mjs";

await setup();
const bench = join(root, "bench");
await setup(bench, { args: ["--ignore-workspace"], label: "the bench's peers" });
await exitWith(
  run(process.execPath, [
    "--expose-gc",
    "--conditions=@agentpool/source",
    `--import=${import.meta.resolve("tsx")}`,
    join(bench, "main.ts"),
    ...process.argv.slice(2),
  ]),
);
