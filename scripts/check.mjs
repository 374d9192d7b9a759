// npm run check: types and style of everything; fails like a test does.
import { join } from "node:path";
import { root } from "./root.mjs";
import { run } from "./run.mjs";
import { setup } from "./setup.mjs";

await setup();
const node = (program, ...args) =>
  run(process.execPath, [join(root, "node_modules", program), ...args], { cwd: root });
const types = await node("typescript/bin/tsc", "--noEmit", "-p", "tsconfig.json");
const style = await node("@biomejs/biome/bin/biome", "check", "--error-on-warnings");
process.exitCode = types || style;
