// npm test [-- vitest arguments]: sets up what is missing, runs the tests, and closes with one line that counts them.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { root } from "./root.mjs";
import { run } from "./run.mjs";
import { setup } from "./setup.mjs";
import { closingLine, count } from "./tally.mjs";

await setup();
const scratch = mkdtempSync(join(tmpdir(), "agentpool-test-"));
const report = join(scratch, "report.json");
let code = await run(
  process.execPath,
  [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--reporter=default",
    "--reporter=json",
    ...(process.env.CI ? [`--reporter=${join(root, "scripts/stuck-reporter.mjs")}`] : []),
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: ["ignore", "inherit", "inherit"] },
);
let tally = { passed: 0, failed: 0, skipped: [] };
try {
  tally = count(JSON.parse(readFileSync(report, "utf8")));
} catch {
  // Vitest ended before it wrote a report, and said why.
  code ||= 1;
}
rmSync(scratch, { recursive: true, force: true });

if (tally.skipped.length > 0) {
  console.log("\nSkipped, because what they need is not here:");
  for (const { file, name } of tally.skipped) console.log(`  ${relative(root, file)}: ${name}`);
  if (process.env.AGENTPOOL_NO_SKIP) {
    console.log("No skip is allowed here (AGENTPOOL_NO_SKIP).");
    code ||= 1;
  }
}
if (tally.failed > 0) code ||= 1;
console.log(`\n${closingLine(tally)}`);
process.exitCode = code;
