import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";
import { run } from "./run.mjs";

const read = (path) => (existsSync(path) ? readFileSync(path, "utf8") : "");

/** The files that say what has to be installed below `folder`. */
function manifests(folder) {
  const members = ["packages", "templates"].flatMap((group) => {
    const path = join(folder, group);
    return existsSync(path)
      ? readdirSync(path)
          .sort()
          .map((name) => join(path, name))
      : [];
  });
  return [folder, ...members]
    .map((path) => join(path, "package.json"))
    .concat(join(folder, "pnpm-lock.yaml"), join(folder, "pnpm-workspace.yaml"));
}

/** Changes whenever an install is needed: with the manifests, and with the Node that runs. */
function fingerprint(folder) {
  const hash = createHash("sha256").update(`${process.version} ${process.platform} ${process.arch}`);
  for (const path of manifests(folder)) hash.update(`\0${path}\0`).update(read(path));
  return hash.digest("hex");
}

/**
 * Installs what the lockfile in `folder` names, unless that was done already. Ends the process with pnpm's code
 * when it fails, or goes on without, if it is optional. Says what it does on stderr: stdout belongs to the command
 * that follows.
 */
export async function setup(folder = root, { args = [], label = "the workspace", optional = false } = {}) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    process.stderr.write(`Node ${process.versions.node} is too old: 20.19 or newer is needed.\n`);
    process.exit(2);
  }
  const stamp = join(folder, "node_modules", ".agentpool-setup");
  const wanted = fingerprint(folder);
  if (read(stamp) === wanted) return;
  const { packageManager } = JSON.parse(read(join(root, "package.json")));
  process.stderr.write(`Setting up ${label} with ${packageManager} (once) …\n`);
  const code = await run(
    "npx",
    ["-y", packageManager, "install", "--frozen-lockfile", "--reporter=append-only", ...args],
    // CI=true: pnpm asks nothing. Its output goes to stderr.
    { cwd: folder, env: { CI: "true" }, stdio: ["ignore", 2, 2] },
  );
  if (code !== 0) {
    process.stderr.write(
      `Setting up ${label} failed: pnpm ended with code ${code}.${optional ? " Going on without." : ""}\n`,
    );
    if (optional) return;
    process.exit(code);
  }
  writeFileSync(stamp, wanted);
}
