// npm run create -- <folder> [flags]: `npm create pool`, with the packages of this working copy: packs them, runs the
// packed create-pool, and lets the new project take the others from the tarballs.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { pack } from "./pack.mjs";
import { root } from "./root.mjs";
import { run } from "./run.mjs";
import { useTarballs } from "./use-tarballs.mjs";

const folder = join(root, "node_modules/.packages");
const [project, ...flags] = process.argv.slice(2);
if (project === undefined || project.startsWith("-")) {
  console.error("npm run create -- <folder> [flags of create-pool]");
  process.exit(2);
}
const tarballs = await pack(folder);
// npm runs scripts here, and the folder was meant from where it was called.
const cwd = process.env.INIT_CWD ?? process.cwd();
process.exitCode = await run(
  "npm",
  ["exec", "--yes", `--package=${tarballs["create-pool"]}`, "--", "create-pool", project, ...flags],
  { cwd },
);
const made = resolve(cwd, project);
if (process.exitCode === 0 && existsSync(join(made, "package.json"))) useTarballs(made, folder);
