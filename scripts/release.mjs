// npm run release [-- --dry-run]: checks, builds and publishes every package whose version the registry does not have.
// Versions and changelogs are changesets' (.changeset/README.md).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { root } from "./root.mjs";
import { run } from "./run.mjs";
import { setup } from "./setup.mjs";

await setup();
const dry = process.argv.includes("--dry-run");
const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const step = async (command, args) => {
  const code = await run(command, args, { cwd: root });
  if (code === 0) return;
  console.error(`Nothing more is done: ${[command, ...args].join(" ")} ended with ${code}.`);
  process.exit(code);
};

await step(process.execPath, ["scripts/check.mjs"]);
if (!dry) await step(process.execPath, ["scripts/test.mjs"]);
await build();
const publish = ["--recursive", "--filter=./packages/*", "publish", "--access=public"];
// A dry run may be made from any state of the work; a release only from what is committed.
await step("npx", ["-y", packageManager, ...publish, ...(dry ? ["--dry-run", "--no-git-checks"] : [])]);
if (!dry) await step(process.execPath, [join(root, "node_modules/@changesets/cli/bin.js"), "tag"]);
