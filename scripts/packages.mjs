import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";

/** The packages that are published: the folder's name, the folder, and what its manifest says. */
export const packages = () =>
  readdirSync(join(root, "packages"))
    .sort()
    .map((name) => ({ name, folder: join(root, "packages", name) }))
    .filter(({ folder }) => existsSync(join(folder, "package.json")))
    .map((one) => ({ ...one, manifest: JSON.parse(readFileSync(join(one.folder, "package.json"), "utf8")) }))
    .filter(({ manifest }) => !manifest.private);

/** The file that packing a package makes. */
export const tarballOf = ({ name, version }) => `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
