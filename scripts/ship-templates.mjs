import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { packages } from "./packages.mjs";
import { root } from "./root.mjs";

/** What running a template in the workspace leaves in its folder. */
const leftovers = new Set(["node_modules", "reports", ".pool", "plans", "harness.local.yml"]);

/**
 * Copies `templates/` into create-pool as they ship: with versions in place of the workspace protocol, and with
 * `.gitignore` under a name that npm does not drop from packages.
 */
export function shipTemplates(to = join(root, "packages/create-pool/templates")) {
  const versions = Object.fromEntries(packages().map(({ manifest }) => [manifest.name, manifest.version]));
  rmSync(to, { recursive: true, force: true });
  for (const name of readdirSync(join(root, "templates"))) {
    const from = join(root, "templates", name);
    if (!existsSync(join(from, "package.json"))) continue;
    cpSync(from, join(to, name), { recursive: true, filter: (path) => !leftovers.has(basename(path)) });
    renameSync(join(to, name, ".gitignore"), join(to, name, "_gitignore"));
    const manifest = join(to, name, "package.json");
    writeFileSync(manifest, withVersions(readFileSync(manifest, "utf8"), versions));
  }
}

const withVersions = (text, versions) =>
  text.replace(/"([^"]+)": "workspace:\*"/g, (_, name) => `"${name}": "^${versions[name]}"`);
