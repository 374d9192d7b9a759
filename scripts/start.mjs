// npm start [-- question]: sets up what is missing, then runs this repository's own harness.
import { root } from "./root.mjs";
import { setup } from "./setup.mjs";

await setup();
process.chdir(root);
// In this very process: ctrl-c, pipes and the exit code are the command's own.
process.argv.splice(1, 1, "pool", "run");
await import("../packages/cli/bin/pool.js");
